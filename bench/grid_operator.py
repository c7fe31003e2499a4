#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the potential of a density, and a loop over the spectrum between dense FFTs; four fields from one spectrum, and
four operators; interpolation to a finer grid, and both dense FFTs; in turn (seiche bench operator and interpolation).

grid_operator.py [--where 1 2 2x4gbit] [--rounds 5] [--data FILE]; rates as root. Keep the machine quiet."""
import argparse
import json
import pathlib
import subprocess
import sys

import figures

# case of seiche bench, grid, and the comparisons in its result: operation, method, peer, and how the data call the peer
POISSON = ("Poisson", "operator", "loop", "dense FFTs and a loop")
FOUR = ("four fields", "four fields", "four operators", "four operators")
TO_FINER = ("interpolation to twice the points, from", "interpolation", "transforms", "both dense FFTs")
CASES = [("operator", 64, [POISSON, FOUR]), ("operator", 128, [POISSON, FOUR]), ("operator", 256, [POISSON]),
         ("interpolation", 32, [TO_FINER]), ("interpolation", 64, [TO_FINER])]

LARGEST_BETWEEN_HOSTS = 128  # larger grids take minutes for each round


def times(options, where, case, grid):
    """Returns the seconds of each method in one round."""
    command = [*figures.launcher(where), options.build / "bin/seiche", "bench", case, "--grid", grid, "--repeat", 5, "--json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return {name: method["median"] for name, method in json.loads(done.stdout)["methods"].items()}


def rows_of(options, where):
    for case, grid, comparisons in CASES:
        if grid > LARGEST_BETWEEN_HOSTS and "gbit" in where:
            continue
        rounds = [times(options, where, case, grid) for _ in range(options.rounds)]
        for operation, method, peer, name in comparisons:
            row = {"case": f"{operation} {'' if case == 'interpolation' else 'on '}{grid}^3", "where": figures.place(where),
                   "peer": name, **figures.compared([(1e3 * one[peer], 1e3 * one[method]) for one in rounds])}
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--where", nargs="+", default=["1", "2"])
    parser.add_argument("--rounds", type=int, default=5)
    figures.add_options(parser)
    options = parser.parse_args()
    rows = [row for where in options.where for row in rows_of(options, where)]
    figures.write(options, "grid-operator", rows)


if __name__ == "__main__":
    main()
