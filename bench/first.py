#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the cost of plans, and compares it with the time of a call of one band (`seiche bench first`). Plans of spheres of
Seiche alternate with plans whose 1D FFTs are measured at creation, with SpFFT's, and with dense plans of FFTW-MPI.

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
PLANS = ["--plans", 12, "--repeat", 5]


def libraries(options):
    """Returns the command without --grid, by the name in the table."""
    ours = ["seiche", "--json", "bench", "first", "--library", options.library]
    version = figures.package_version
    return {f"Seiche, {options.library}": ours, f"Seiche, {options.library}, `measured`": [*ours, "--measured"],
            f"SpFFT {version('libspfft-dev')}": ["peer_spfft"],
            f"FFTW-MPI {version('libfftw3-mpi-dev')}, whole grid": ["peer_fftw_mpi"]}


def run(options, grid, program):
    shape = ",".join([str(grid)] * 3)
    command = [*figures.launcher("2"), options.build / "bin" / program[0], *program[1:], "--grid", shape, *PLANS]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--grids", nargs="+", type=int, default=[16, 24, 32, 64, 128])
    parser.add_argument("--library", default="fftw", help="library of Seiche's 1D FFTs")
    parser.add_argument("--runs", type=int, default=5)
    figures.add_options(parser)
    options, rows = parser.parse_args(), []
    compared = libraries(options)
    for grid in options.grids:
        found = {library: [] for library in compared}
        for _ in range(options.runs):
            for library, program in compared.items():
                found[library].append(run(options, grid, program))
        for library, reports in found.items():
            bands = [report["plan_in_bands"] for report in reports]
            median = {name: statistics.median(report[name] for report in reports) for name in MILLISECONDS}
            alternating = [report["alternating"] for report in reports if "alternating" in report]
            rows.append({"case": f"sphere in {grid}^3", "grid": grid, "library": library,
                         **{name: figures.rounded(1e3 * median[name]) for name in MILLISECONDS},
                         "alternating": figures.rounded(statistics.median(alternating)) if alternating else None,
                         "bands": figures.rounded(statistics.median(bands)),
                         "bands_range": [figures.rounded(min(bands)), figures.rounded(max(bands))], "rounds": len(bands)})
            print(rows[-1], flush=True)
    figures.write(options, "first", rows)


if __name__ == "__main__":
    main()
