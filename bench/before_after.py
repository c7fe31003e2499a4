#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds slowdowns: times two builds of the command `seiche` on the same cases, alternately, in rounds.

A ratio is the time of NEW divided by the time of OLD in the same round. Each line has the median over the rounds, the
range, and both times. The cases use only options that every version of the command has (see docs/command.md).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess

HOSTS = pathlib.Path(__file__).resolve().parent.parent / "packaging" / "hosts.sh"


def transform(n, library, repeat, kind="c2c"):
    return ["fft", "--grid", f"{n},{n},{n}", "--kind", kind, "--library", library, "--repeat", str(repeat)]


def bands(n, library, repeat):
    return ["bands", "--grid", f"{n},{n},{n}", "--radius", str(n / 4), "--bands", "32", "--library", library,
            "--repeat", str(repeat)]


def product(blocks, fill, sizes, *more):
    return ["blocksparse", "--blocks", str(blocks), "--fill", str(fill), "--sizes", sizes, "--repeat", "5", *more]


ACROSS_HOSTS = [transform(64, "fftw", 11), transform(128, "fftw", 7), bands(64, "fftw", 5), bands(128, "fftw", 3),
                product(200, 0.1, "23", "--keep")]
ON_ONE_MACHINE = [
    *(transform(n, library, 41 if n < 100 else 15) for n in (32, 64, 125, 128) for library in ("fftw", "mkl")),
    transform(64, "fftw", 41, "r2c"), transform(128, "fftw", 15, "r2c"), transform(256, "fftw", 5),
    bands(64, "fftw", 9), bands(125, "fftw", 3), bands(128, "fftw", 5), bands(128, "mkl", 3),
    *(product(*case, *keep) for case in ((200, 0.1, "23"), (1000, 0.02, "23"), (200, 0.1, "5,13"), (1000, 0.02, "5,13"))
      for keep in ([], ["--keep"])),
    ["wavefile", "--repeat", "5", "--kpoints", "2", "--bands", "96", "--waves", "40000"]]


def report_of(program, case, launcher):
    environment = dict(os.environ, SEICHE_TUNING="none", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
    done = subprocess.run([*launcher, program, "bench", *case, "--json"], env=environment, stdout=subprocess.PIPE, text=True,
                          check=True)
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])


def medians_of(report, of=""):
    """Returns the medians in a report, in seconds, by name."""
    found = {}
    for name, value in report.items():
        if isinstance(value, dict):
            found.update(medians_of(value, f"{of}{name}."))
        elif name == "median":
            found[of.rstrip(".")] = value
    return found


def compare(options, case, launcher):
    times = {}
    for number in range(options.rounds):
        programs = [options.old, options.new]
        both = {program: medians_of(report_of(program, case, launcher)) for program in programs[::1 - 2 * (number % 2)]}
        for name in both[options.old].keys() & both[options.new].keys():
            times.setdefault(name, []).append((both[options.old][name], both[options.new][name]))
    print(" ".join(case))
    for name, pairs in sorted(times.items()):
        ratios = [new / old for old, new in pairs]
        old, new = (statistics.median(column) * 1e3 for column in zip(*pairs))
        print(f"  {name:24} {statistics.median(ratios):.3f} ({min(ratios):.2f} to {max(ratios):.2f})  {old:.3f} -> {new:.3f} ms",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="the command of the build before")
    parser.add_argument("new", help="the command of the build after")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is run (default: 5)")
    parser.add_argument("--ranks", type=int, default=2, help="processes on one machine (default: 2)")
    parser.add_argument("--hosts", nargs=2, metavar=("N", "RATE"), help="on N hosts made of network namespaces, say 2 1gbit")
    options = parser.parse_args()
    launcher = [str(HOSTS), *options.hosts, "--"] if options.hosts else ["mpiexec", "-n", str(options.ranks)]
    for case in ACROSS_HOSTS if options.hosts else ON_ONE_MACHINE:
        compare(options, case, launcher)


if __name__ == "__main__":
    main()
