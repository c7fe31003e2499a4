#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the CPU time per gigabyte of Seiche's exchanges and of a bare MPI loop that sends the same bytes.

cpu_per_byte.py [--launch "packaging/hosts.sh 2 4gbit --"] [--rounds 5]

Runs both alternately. Needs an otherwise idle machine, because the CPU time of all processes is counted. The bare loop
uses its cheapest message size. Both sleep while waiting. The figure of Seiche includes packing and unpacking."""
import argparse
import json
import os
import shlex
import statistics
import subprocess

import figures
import launch

CASES = {
    "c2c 128^3, a pair": ["bench", "fft", "--grid", 128],
    "c2c 64^3, a pair": ["bench", "fft", "--grid", 64],
    "sphere in 128^3, 32 bands": ["bench", "bands", "--grid", 128, "--radius", 32, "--bands", 32, "--window", 3],
}
MESSAGES = [60 << 10, 256 << 10, 1 << 20, 16 << 20]


def bare(options, size, message):
    command = [*shlex.split(options.launch), os.path.join(os.path.dirname(options.seiche), "peer_bare_exchange"), "--bytes", str(size), "--message", str(message)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])["cpu"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    launch.add_options(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--algorithm", default="pairwise")
    figures.add_options(parser)
    options, rows = parser.parse_args(), []
    print("| case | bytes of a rank | Seiche, CPU s a GB | bare loop, CPU s a GB | its messages | ratio | range |\n|" + "---|" * 7, flush=True)
    for name, case in CASES.items():
        ours, theirs, ratios = [], {message: [] for message in MESSAGES}, []
        for _ in range(options.rounds):
            report = launch.run(options, [*case, "--algorithm", options.algorithm, "--library", "fftw", "--repeat", 3, "--overlap-report"])
            size = report["bytes_sent_per_rank"]
            ours.append(report["exchange_cpu"] / size * 1e9)
            for message in MESSAGES:
                theirs[message].append(bare(options, size, message) / size * 1e9)
            ratios.append(ours[-1] / min(found[-1] for found in theirs.values()))
        best = min(MESSAGES, key=lambda message: statistics.median(theirs[message]))
        print(f"| {name} | {size / 1e6:.2f} MB | {statistics.median(ours):.2f} | {statistics.median(theirs[best]):.2f} | {best >> 10} KiB | "
              f"{statistics.median(ratios):.2f} | {min(ratios):.2f}-{max(ratios):.2f} |", flush=True)
        rows.append({"case": f"CPU time of exchanges, {name.split(',')[0]}", "peer": "MPI_Isend and MPI_Irecv",
                     "ours": figures.rounded(statistics.median(ours)), "peer_time": figures.rounded(statistics.median(theirs[best])),
                     "ratio": figures.rounded(statistics.median(ratios)), "range": [figures.rounded(end) for end in (min(ratios), max(ratios))],
                     "rounds": options.rounds})
    figures.write(options, "overhead", rows, unit="CPU s a GB")


if __name__ == "__main__":
    main()
