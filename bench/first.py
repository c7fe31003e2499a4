#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the cost of plans of spheres, and compares it with the time of a call of one band (`seiche bench first`). Plans
whose 1D FFTs are measured when they are created alternate with plans that measure them after some calls.

first.py [--grids 16 24 32 64 128] [--runs 5] [--data FILE]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

import figures

MILLISECONDS = ("first_plan", "later_plan", "band")
PLANS = 12


def run(options, grid, measured):
    command = [*figures.launcher("2"), options.build / "bin/seiche", "--json", "bench", "first", "--grid", grid, "--library", options.library,
               "--plans", PLANS, "--repeat", 5, *(["--measured"] if measured else [])]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--grids", nargs="+", type=int, default=[16, 24, 32, 64, 128])
    parser.add_argument("--library", default="fftw", help="library of the 1D FFTs")
    parser.add_argument("--runs", type=int, default=5)
    figures.add_options(parser)
    options = parser.parse_args()
    rows = []
    for grid in options.grids:
        found = {False: [], True: []}
        for _ in range(options.runs):
            for measured, reports in found.items():
                reports.append(run(options, grid, measured))
        for measured, reports in found.items():
            bands = [report["plan_in_bands"] for report in reports]
            median = {name: statistics.median(report[name] for report in reports) for name in (*MILLISECONDS, "alternating")}
            rows.append({"case": f"sphere in {grid}^3", "grid": grid, "measured": measured, "library": options.library,
                         **{name: figures.rounded(1e3 * median[name]) for name in MILLISECONDS},
                         "alternating": figures.rounded(median["alternating"]), "bands": figures.rounded(statistics.median(bands)),
                         "bands_range": [figures.rounded(min(bands)), figures.rounded(max(bands))], "rounds": len(bands)})
            print(rows[-1], flush=True)
    figures.write(options, "first", rows)


if __name__ == "__main__":
    main()
