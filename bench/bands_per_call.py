#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times V psi of a small sphere against the number of bands in a call, between emulated hosts, as root. The time per band of
calls with many bands is the limit for a call that would join the bands of several k-points.

bands_per_call.py [--where 2x1gbit 2x10gbit ...] [--bands 1 5 10 20 40] [--rounds 5] [--data FILE]
"""
import argparse
import json
import pathlib
import statistics
import subprocess

import figures

GRID = 36


def milliseconds(options, where, bands):
    """Returns the time of a band."""
    command = [*figures.launcher(where), options.build / "bin/seiche", "bench", "bands", "--grid", GRID, "--radius", GRID / 4,
               "--bands", bands, "--repeat", 21, "--library", "fftw", "--json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return 1e3 * json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])["seconds"]["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--where", nargs="+", default=["2", "2x1gbit", "2x10gbit", "4x1gbit", "4x10gbit"])
    parser.add_argument("--bands", nargs="+", type=int, default=[1, 5, 10, 20, 40])
    parser.add_argument("--rounds", type=int, default=5)
    figures.add_options(parser)
    options, rows = parser.parse_args(), []
    for where in options.where:
        found = {bands: [] for bands in options.bands}
        for _ in range(options.rounds):
            for bands, times in found.items():
                times.append(milliseconds(options, where, bands))
        for bands, times in found.items():
            rows.append({"case": f"sphere in {GRID}^3", "where": figures.place(where), "bands": bands,
                         "ours": figures.rounded(statistics.median(times)), "rounds": options.rounds})
            print(rows[-1], flush=True)
    figures.write(options, "bands-per-call", rows)


if __name__ == "__main__":
    main()
