#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times Seiche between emulated hosts (network namespaces, packaging/hosts.sh), as root.

The cases are one band of a sphere and a pair of dense transforms at each rate, blocking and overlapped. They alternate
with SpFFT or FFTW-MPI, if ./dev bench built them.

hosts.py [--rates 1gbit 4gbit 10gbit] [--rounds 3] [--library fftw] [--data FILE]
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

import figures

HOSTS = figures.PROJECT / "packaging" / "hosts.sh"
SPHERE = ["--grid", "128,128,128", "--radius", "32", "--bands", "32"]
DENSE = ["--grid", "128,128,128"]
# name, command of Seiche, name of the peer, command of the peer
CASES = [
    ("sphere in 128^3, 32 bands", ["bench", "bands", *SPHERE, "--window", "3"], "SpFFT", ["peer_spfft", *SPHERE, "--repeat", "3"]),
    ("c2c 128^3, a pair", ["bench", "fft", *DENSE], "FFTW-MPI", ["peer_fftw_mpi", *DENSE, "--repeat", "7"]),
]


def run(options, rate, command):
    """Returns the JSON line of a program on two hosts, or None if it is not built."""
    program = options.build / "bin" / command[0]
    if not program.exists():
        return None
    done = subprocess.run([HOSTS, "2", rate, "--", program, *command[1:]], capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        sys.exit(f"{command[0]} at {rate}: {done.stderr.strip()}")
    return json.loads(lines[-1])


def median(reports, name):
    return figures.rounded(1e3 * statistics.median(report[name] for report in reports))


def measure(options, rate, case):
    """Returns the row of one case: medians over the rounds, in milliseconds."""
    title, mine, peer, theirs = case
    library = ["--library", options.library] if options.library else []
    ours, others = [], []
    for _ in range(options.rounds):
        ours.append(run(options, rate, ["seiche", *mine, "--algorithm", "pairwise", *library, "--overlap-report", "--json"]))
        others.append(run(options, rate, theirs))
    gbit = float(re.sub("[a-z]+$", "", rate)) * {"m": 1e-3, "g": 1.0}[re.sub("[0-9.]+", "", rate)[0]]
    row = {"case": title, "hosts": 2, "rate_gbit": int(gbit) if gbit.is_integer() else gbit, "rounds": options.rounds,
           "library": options.library or "fastest", "computing": median(ours, "compute_only"),
           "exchange": median(ours, "exchange_only"), "exchange_cpu": median(ours, "exchange_cpu"),
           "blocking": median(ours, "blocking"), "ours": median(ours, "overlapped"), "bound": median(ours, "bound")}
    if None in others:
        print(f"{theirs[0]} is not built: see ./dev bench", file=sys.stderr)
        return row
    ratios = [our["overlapped"] / other["seconds"]["median"] for our, other in zip(ours, others)]
    version = re.search(r"\d+\.\d+(\.\d+)?", others[0]["fft_backend"])
    return {**row, "peer": peer, "peer_version": version[0] if version else figures.package_version("libspfft-dev"),
            "peer_time": figures.rounded(1e3 * statistics.median(other["seconds"]["median"] for other in others)),
            "ratio": figures.rounded(statistics.median(ratios), 3),
            "range": [figures.rounded(end, 3) for end in (min(ratios), max(ratios))]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=pathlib.Path)
    parser.add_argument("--rates", nargs="+", default=["1gbit", "4gbit", "10gbit"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--library", help="1D FFTs of Seiche (default: its choice)")
    figures.add_options(parser)
    options = parser.parse_args()
    rows = []
    print(f"{'case':<28}{'rate':>8}{'blocking':>10}{'overlapped':>12}{'bound':>8}{'peer':>8} ms{'ratio':>8}")
    for case in CASES:
        for rate in options.rates:
            rows.append(measure(options, rate, case))
            row = rows[-1]
            print(f"{row['case']:<28}{rate:>8}{row['blocking']:>10.1f}{row['ours']:>12.1f}{row['bound']:>8.1f}"
                  f"{row.get('peer_time', float('nan')):>8.1f}   {row.get('ratio', float('nan')):>8.2f}", flush=True)
    figures.write(options, "hosts", rows)


if __name__ == "__main__":
    main()
