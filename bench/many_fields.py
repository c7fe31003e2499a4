#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times transforms of many interleaved fields with Seiche in its own arrays and in the arrays of FFTW-MPI. Compares with
FFTW-MPI in place or out of place, whichever is faster (bench_many_fields, which ./dev bench builds).

many_fields.py [--where one 2x1gbit 2x4gbit] [--runs 3] [--data FILE]; rates as root
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

import figures

CASES = {"one": [(48, 30), (64, 8), (128, 1), (32, 30)], "hosts": [(48, 30), (64, 8)]}
LINE = re.compile(r"fields: (Seiche .*?) +([\d.]+) ms a pair, ([\d.]+) of FFTW-MPI")


def run(options, where, grid, fields):
    """Returns (name, milliseconds, ratio) of each kind of arrays."""
    launcher, repeat = (figures.launcher("2"), 7) if where == "one" else (figures.launcher(where), 3)
    command = [*launcher, options.build / "bin/bench_many_fields", "--grid", f"{grid},{grid},{grid}", "--bands", str(fields),
               "--repeat", str(repeat)]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    found = LINE.findall(done.stdout)
    if done.returncode or not found:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return [("Seiche's" if "own" in name else "FFTW-MPI's", float(time), float(ratio)) for name, time, ratio in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--where", nargs="+", default=["one", "2x1gbit", "2x4gbit"], help="one, or HOSTSxRATE")
    parser.add_argument("--runs", type=int, default=3)
    figures.add_options(parser)
    options = parser.parse_args()
    rows = []
    for where in options.where:
        for grid, fields in CASES["one" if where == "one" else "hosts"]:
            found = [one for _ in range(options.runs) for one in run(options, where, grid, fields)]
            for arrays in dict.fromkeys(name for name, _, _ in found):
                times, ratios = zip(*((time, ratio) for name, time, ratio in found if name == arrays))
                place = figures.place(where)
                rows.append({"case": f"{fields} fields of {grid}^3" if fields > 1 else f"one field of {grid}^3", "where": place,
                             "grid": grid, "fields": fields, "arrays": arrays, "peer": "FFTW-MPI",
                             "peer_version": figures.package_version("libfftw3-mpi-dev"), "ours": statistics.median(times),
                             "ratio": statistics.median(ratios), "range": [min(ratios), max(ratios)], "rounds": len(ratios)})
                row = rows[-1]
                print(f"{row['case']}, {place}, {arrays} arrays: {row['ours']:.2f} ms, {row['ratio']:.2f} of FFTW-MPI "
                      f"({min(ratios):.2f}-{max(ratios):.2f})", flush=True)
    figures.write(options, "many-fields", rows)


if __name__ == "__main__":
    main()
