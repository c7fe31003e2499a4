#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times writing and reading of a wavefunction file by N processes. Compares with one process without MPI, and with the
usual methods, which use one process (`seiche bench wavefile --old`).

files.py [--ranks 1 2 4 8] [--repeat 11] [--path FOLDER] [--data FILE]
"""
import argparse

import figures
import launch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--repeat", type=int, default=11)
    parser.add_argument("--path", default=".", help="folder to write to")
    parser.add_argument("--seiche", default="build/release/bin/seiche")
    figures.add_options(parser)
    options = parser.parse_args()
    rows = []
    for ranks in options.ranks:
        options.launch = f"mpiexec --bind-to none -n {ranks}"
        report = launch.run(options, ["bench", "wavefile", "--repeat", options.repeat, "--old", "--path", options.path])
        for what, peer in (("write", "one process, fdatasync"), ("read", "one process, cold")):
            median = {name: figures.rounded(times["median"]) for name, times in report[what].items()}
            rows.append({"case": what, "ranks": ranks, "ours": median["seiche"], "peer": peer, "peer_time": median["plain"],
                         "ratio": figures.rounded(report[f"{what}_ratio"]["seiche"], 3), "repeats": options.repeat,
                         "point_to_point": median["point-to-point"], "gather": median["gather"]})
            row = rows[-1]
            print(f"{what:<6}{ranks:>3} processes: Seiche {row['ours']:.3f} s, one process {row['peer_time']:.3f} s, ratio "
                  f"{row['ratio']:.2f}, point-to-point {row['point_to_point']:.3f} s, gather {row['gather']:.3f} s", flush=True)
    figures.write(options, "files", rows, unit="s")


if __name__ == "__main__":
    main()
