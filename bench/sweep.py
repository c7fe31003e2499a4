#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the choice of `seiche tune` with all other settings. For each case it tunes, then times the choice, blocking
alltoallv, and every other competitive setting alternately, with the same arrival skew. Prints the ratio to the best.

Runs `seiche bench` through the command of --launch, e.g. "mpiexec -n 2" or "packaging/hosts.sh 2 1gbit --".
"""
import argparse
import itertools
import json
import os
import shlex
import statistics
import tempfile

import launch

ALGORITHMS = ["alltoall", "alltoallv", "ialltoallv", "pairwise", "shared"]
NAMES = {"algorithm": "--algorithm", "progress": "--progress", "library": "--library", "window": "--window", "chunks": "--chunks",
         "decomposition": "--decomposition"}


def settings_of(case, hosts):
    """Yields every setting that a user can choose, as a mapping from names to values."""
    bands = "--radius" in case
    for algorithm in ALGORITHMS:
        if algorithm == "shared" and hosts > 1:
            continue
        goes_on = algorithm in ("ialltoallv", "pairwise")
        for library in ["fftw", "mkl"] if os.environ.get("SEICHE_MKL") else ["fftw"]:
            many = [{"window": str(w)} for w in ([1, 2, 3, 5] if goes_on else [1])] if bands else \
                   [{"chunks": c} for c in (["1", "1,1", "3,1", "1,1,1,1"] if goes_on else ["1"])]
            for some, progress in itertools.product(many, ["poll", "thread", "none"] if goes_on else ["poll"]):
                yield {"algorithm": algorithm, "library": library, "progress": progress, **some}


def words(case, settings):
    """Returns options of the command, equal for equivalent settings: dense grids have no window, bands no chunks."""
    said = {"decomposition": "automatic", **settings, ("chunks" if "--radius" in case else "window"): ""}
    return tuple(word for key, name in NAMES.items() if said.get(key) for word in (name, said[key]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    launch.add_options(parser)
    parser.add_argument("--hosts", type=int, default=1, help="how many hosts the launcher makes")
    parser.add_argument("--case", action="append", required=True, help='e.g. "fft --grid 96" or "bands --grid 96 --radius 20 --bands 12"')
    parser.add_argument("--skew", type=float, default=0, help="microseconds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=10, help="seconds for tuning")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = []
    for text in options.case:
        case = shlex.split(text)
        skew = ["--skew", str(options.skew)]
        with tempfile.TemporaryDirectory() as folder:
            tuned = launch.run(options, ["tune", *case[1:], *skew, "--budget", options.budget],
                               os.path.join(folder, "tuning.json"))
        choice = words(case, tuned["chosen"])
        plain_way = words(case, {**tuned["chosen"], "algorithm": "alltoallv", "progress": "none",
                                 "window": "1", "chunks": "1", "decomposition": "automatic"})
        times = {}

        def time_all(candidates, rounds):
            for _ in range(rounds):
                for settings in candidates:
                    got = launch.run(options, ["bench", *case, *skew, "--repeat", 5, *settings], needed=False)
                    if got is not None:
                        times.setdefault(settings, []).append(got["seconds"]["median"])

        everything = list(dict.fromkeys([choice, plain_way, *(words(case, s) for s in settings_of(case, options.hosts))]))
        time_all(everything, 1)
        best = min(min(t) for t in times.values())
        time_all([s for s in everything if s in (choice, plain_way) or min(times.get(s, [9e9])) < 1.15 * best],
                 options.rounds)
        # compares settings of the same round
        medians = {s: statistics.median(t) for s, t in times.items() if len(t) > 1}
        winner = min(medians, key=medians.get)
        # the best of many settings may be best by chance: times it again, alternately with the choice and blocking alltoallv
        count = len(times)
        times.clear()
        time_all(list(dict.fromkeys([choice, winner, plain_way])), 2 * options.rounds)

        def of(other):
            return statistics.median(mine / theirs for mine, theirs in zip(times[choice], times[other]))

        results.append({"case": text, "skew": options.skew, "chosen": " ".join(choice), "best": " ".join(winner),
                        "settings": count, "seconds": statistics.median(times[choice]), "of_best": of(winner),
                        "of_plain": of(plain_way)})
        if not options.json:
            last = results[-1]
            print(f"{text}, skew {options.skew:g} us, {last['settings']} settings: {1e3 * last['seconds']:.3f} ms by {last['chosen']}\n"
                  f"  {last['of_best']:.3f} of the best ({last['best']}), {last['of_plain']:.3f} of plain", flush=True)
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
