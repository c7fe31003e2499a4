#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the CPU time that `seiche profile` adds to a program with a given rate of MPI calls.

Runs the program with and without the profiler alternately. The result is the median over the rounds of the ratio of the
CPU times. Fails if the increase is above --most per cent.

bench/profile_cost.py [--build build/release] [--rate 100000] [--rounds 21] [--launch "mpiexec -n 2"]"""
import argparse
import pathlib
import re
import shlex
import statistics
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    parser.add_argument("--rate", default=100000, type=float, help="calls a second of a core, on each rank")
    parser.add_argument("--rounds", default=21, type=int)
    parser.add_argument("--launch", default="mpiexec -n 1")
    parser.add_argument("--most", default=2, type=float, help="per cent")
    options = parser.parse_args()
    program, command = (str((options.build / "bin" / name).resolve()) for name in ("profile_rate", "seiche"))

    def run(times, kind, work, recorded):
        words = [*shlex.split(options.launch), program, str(times), kind, str(work)]
        if recorded:
            words = [command, "profile", "--mpi", "openmpi", "--", *words]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        seconds, rates = zip(*((float(a), float(b)) for a, b in re.findall(r"([\d.]+) of a core, (\d+) calls", said)))
        return max(seconds), min(rates)

    worst = 0
    for kind, each in (("collective", 1), ("messages", 3)):
        times = int(options.rate / 2 / each)  # repeats for half a second
        work = int(1000 / run(20000, kind, 1000, False)[0] * 20000 * each / options.rate)
        for _ in range(3):
            work = max(1, int(work * run(times, kind, work, False)[1] / options.rate))
        plain, ratios, rates = [], [], []
        for _ in range(options.rounds):
            without, rate = run(times, kind, work, False)
            ratios.append(run(times, kind, work, True)[0] / without)
            plain.append(without)
            rates.append(rate)
        if not 0.8 < statistics.median(rates) / options.rate < 1.25:
            sys.exit(f"{kind}: {statistics.median(rates):.0f} calls a second are not what was asked for; is the machine busy?")
        quarter, middle, upper = statistics.quantiles(ratios, n=4)
        print(f"{kind}: {statistics.median(rates):.0f} calls a second of a core; {100 * (middle - 1):+.2f} % (half of the rounds between {100 * (quarter - 1):+.2f} "
              f"and {100 * (upper - 1):+.2f} %)", flush=True)
        worst = max(worst, 100 * (middle - 1))
    return 0 if worst <= options.most else 1


if __name__ == "__main__":
    sys.exit(main())
