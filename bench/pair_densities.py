#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times densities of pairs of orbitals, and a loop over the pairs that multiplies orbitals and calls dense FFTs, in turn
(seiche bench pairs).

pair_densities.py [--where 1 2 2x4gbit] [--rounds 5] [--data FILE]; rates as root. Keep the machine quiet.

Between hosts, the script also gives a lower bound. It is the time of computation, or the time that the link needs for
the bytes that a rank sends, whichever is longer."""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

import figures

CASES = [(48, 12), (64, 16), (64, 8)]  # grid, radius of the densities


def times(options, where, grid, radius):
    """Returns the seconds of the loop, of compute() and of its computation, and the bytes of a rank, in one round."""
    groups = ["--band-groups", where.split("x")[0]] if options.grouped else []
    command = [*figures.launcher(where), options.build / "bin/seiche", "bench", "pairs", "--grid", grid, "--radius", radius,
               "--orbitals", options.orbitals, "--repeat", 3, "--json", *groups]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    return {**{name: method["median"] for name, method in found["methods"].items()}, "worked": found["worked"], "sent": found["sent"]}


def bound(rounds, where):
    """Returns the least milliseconds between hosts."""
    rate = float(re.search(r"x([\d.]+)gbit", where)[1]) * 1e9 / 8
    return figures.rounded(1e3 * statistics.median(max(found["worked"], found["sent"] / rate) for found in rounds))


def rows_of(options, where):
    for grid, radius in CASES:
        rounds = [times(options, where, grid, radius) for _ in range(options.rounds)]
        row = {"case": f"{options.orbitals**2} pairs on {grid}^3, radius {radius}", "where": figures.place(where),
               "groups": int(where.split("x")[0]) if options.grouped else 1, "peer": "loop of dense FFTs",
               **figures.compared([(1e3 * found["loop"], 1e3 * found["pairs"]) for found in rounds])}
        if "gbit" in where:
            row["bound"] = bound(rounds, where)
        print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--where", nargs="+", default=["1", "2"])
    parser.add_argument("--orbitals", type=int, default=8)
    parser.add_argument("--grouped", action="store_true", help="one band group per rank")
    parser.add_argument("--rounds", type=int, default=5)
    figures.add_options(parser)
    options = parser.parse_args()
    rows = [row for where in options.where for row in rows_of(options, where)]
    figures.write(options, "pair-densities", rows)


if __name__ == "__main__":
    main()
