#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times methods and their peers in turn, with cases of `seiche bench` that compare them.

contests.py grid-operator|redistribute [--where 1 2 2x4gbit] [--rounds 5] [--data FILE]; rates as root. Keep the machine quiet.

grid-operator: the potential of a density, and a loop over the spectrum between dense FFTs; four fields from one spectrum, and
four operators; interpolation to a finer grid, and both dense FFTs.
redistribute: wavefunctions in memory to another layout and to another basis, and a collective for each band."""
import argparse
import json
import pathlib
import subprocess
import sys

import figures

# Comparisons: operation, method, peer, and how the data call the peer.
POISSON = ("Poisson", "operator", "loop", "dense FFTs and a loop")
FOUR = ("four fields", "four fields", "four operators", "four operators")
TO_FINER = ("interpolation to twice the points, from", "interpolation", "transforms", "both dense FFTs")
TO_BANDS = ("redistribute", "redistribute", "bands one by one", "a gather of each band")
TO_BASIS = ("reassign", "reassign", "mapped one by one", "a gather and a scatter of each band")


def on_grid(case, n, *comparisons):
    return [case, "--grid", n], [(f"{operation} {'' if case == 'interpolation' else 'on '}{n}^3", *names) for operation, *names in comparisons]


def of_orbitals(bands, waves):
    words = ["redistribute", "--kpoints", 1, "--bands", bands, "--waves", waves]
    return words, [(f"{operation} {bands} bands of {waves} waves", *names) for operation, *names in (TO_BANDS, TO_BASIS)]


# Arguments of `seiche bench`, and comparisons.
TOPICS = {
    "grid-operator": [on_grid("operator", 64, POISSON, FOUR), on_grid("operator", 128, POISSON, FOUR), on_grid("operator", 256, POISSON),
                      on_grid("interpolation", 32, TO_FINER), on_grid("interpolation", 64, TO_FINER)],
    "redistribute": [of_orbitals(64, 2000), of_orbitals(256, 20000)],
}
TOO_LARGE_BETWEEN_HOSTS = ["operator", "--grid", 256]  # minutes for each round


def times(options, where, words):
    """Returns the seconds of each method in one round."""
    command = [*figures.launcher(where), options.build / "bin/seiche", "bench", *words, "--repeat", 5, "--json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return {name: method["median"] for name, method in json.loads(done.stdout)["methods"].items()}


def rows_of(options, where):
    for words, comparisons in TOPICS[options.topic]:
        if words == TOO_LARGE_BETWEEN_HOSTS and "gbit" in where:
            continue
        rounds = [times(options, where, words) for _ in range(options.rounds)]
        for case, method, peer, name in comparisons:
            row = {"case": case, "where": figures.place(where), "peer": name,
                   **figures.compared([(1e3 * one[peer], 1e3 * one[method]) for one in rounds])}
            print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
            yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topic", choices=TOPICS)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--where", nargs="+", default=["1", "2"])
    parser.add_argument("--rounds", type=int, default=5)
    figures.add_options(parser)
    options = parser.parse_args()
    figures.write(options, options.topic, [row for where in options.where for row in rows_of(options, where)])


if __name__ == "__main__":
    main()
