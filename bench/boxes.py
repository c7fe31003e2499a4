#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times redistributions of complex grids by BoxExchange, by MPI_Alltoallw with subarrays, and by dtFFT (bricks to pencils
only). Uses bench_boxes and peer_dtfft_boxes, which ./dev bench builds. bench_boxes alternates with MPI_Alltoallw in each
repeat; dtFFT alternates with it in each round.

boxes.py [--where one 2x4gbit] [--grids 64 128 192] [--fields 1 4] [--runs 5] [--data FILE]; rates as root
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

import figures

KINDS = ["slabs", "pencils", "halo", "bricks"]
LINE = re.compile(r"fields, (.*): Seiche ([\d.]+) ms, ([\d.]+) of MPI_Alltoallw")


def output_of(options, where, program, grid, fields, *more):
    """Returns what a program prints."""
    launcher, repeat = (figures.launcher("2"), 21) if where == "one" else (figures.launcher(where), 7)
    command = [*launcher, options.build / "bin" / program, "--grid", f"{grid},{grid},{grid}", "--bands", fields, "--repeat",
               repeat, *more]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def rounds(options, where, kind, grid, fields):
    """Returns the name of the case, and for each other library (name, version, [(milliseconds, ratio), ...])."""
    name, alltoallw, dtfft, backend = None, [], [], None
    for _ in range(options.runs):
        name, time, ratio = LINE.search(output_of(options, where, "bench_boxes", grid, fields, "--kind", kind)).groups()
        alltoallw.append((float(time), float(ratio)))
        if kind == "bricks" and (options.build / "bin/peer_dtfft_boxes").exists():
            found = json.loads(output_of(options, where, "peer_dtfft_boxes", grid, fields))
            backend = found["chosen"]
            dtfft.append((float(time), float(time) / (1e3 * found["seconds"]["median"])))
    return name, [("MPI_Alltoallw", None, alltoallw)] + ([("dtFFT", backend, dtfft)] if dtfft else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--where", nargs="+", default=["one", "2x4gbit"], help="one, or HOSTSxRATE")
    parser.add_argument("--grids", nargs="+", type=int, default=[64, 128, 192])
    parser.add_argument("--fields", nargs="+", type=int, default=[1, 4])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--runs", type=int, default=5)
    figures.add_options(parser)
    options = parser.parse_args()
    rows = []
    for where in options.where:
        place = figures.place(where)
        for kind, grid, fields in [(k, g, f) for k in options.kinds for g in options.grids for f in options.fields]:
            name, peers = rounds(options, where, kind, grid, fields)
            for peer, settings, found in peers:
                times, ratios = zip(*found)
                rows.append({"case": f"{name}, {grid}^3" + (f", {fields} fields" if fields > 1 else ""), "where": place,
                             "kind": kind, "grid": grid, "fields": fields, "peer": peer, "peer_settings": settings,
                             "ours": figures.rounded(statistics.median(times)), "ratio": figures.rounded(statistics.median(ratios)),
                             "range": [figures.rounded(min(ratios)), figures.rounded(max(ratios))], "rounds": len(ratios)})
                print(f"{rows[-1]['case']}, {place}: {rows[-1]['ours']:.3f} ms, {rows[-1]['ratio']:.2f} of {peer} "
                      f"({min(ratios):.2f}-{max(ratios):.2f})", flush=True)
    figures.write(options, "boxes", rows)


if __name__ == "__main__":
    main()
