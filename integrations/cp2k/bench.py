#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times CP2K with and without Seiche, in turn: seconds of the whole run, of all products and of all
transforms between grids and plane waves. It prints medians.

bench.py CP2K LIBRARY SCRATCH [--where 1 2 2x1gbit ...] [--case NAME ...] [--rounds 5] [--data FILE]

CP2K: the folder of get.sh. LIBRARY: libseiche_cp2k.so. Cases are those of check_cases.py. --where: numbers of ranks on
this machine, or HOSTSxRATE: one rank on each host of packaging/hosts.sh, as root. Nothing else should run meanwhile."""
import argparse
import pathlib
import sys

import check_cases
import cp2k_run

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import figures  # noqa: E402

# routine -> its names in the timing report of CP2K: those of Seiche and of the original
ROUTINES = {"whole run": ("CP2K",), "products": ("seiche_multiply", "dbcsr_multiply_generic"),
            "transforms": ("seiche_fft3d", "fft3d_ps")}


def seconds(output, names):
    """Returns the sum over these routines of the largest total time over ranks."""
    total = sum(cp2k_run.timing(output, name)[1] for name in names)
    if total == 0:
        raise RuntimeError(f"the timing report has no {' or '.join(names)}")
    return total


def run(options, case, where, library):
    folder = options.scratch / f"{case}.{where}"
    folder.mkdir(parents=True, exist_ok=True)
    name = check_cases.write_input(options.cp2k, case, folder)
    done = cp2k_run.run(options.cp2k, library, figures.launcher(where), name, folder)
    if done.returncode:
        raise RuntimeError(f"{case} on {where} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    if library and cp2k_run.SERVED not in done.stdout + done.stderr:
        raise RuntimeError(f"{case} on {where}: Seiche computed no products")
    return {routine: seconds(done.stdout, names) for routine, names in ROUTINES.items()}


def rows_of(options, case, where):
    """Runs all rounds. Returns the rows of docs/performance/data."""
    rounds = [[run(options, case, where, library) for library in (None, options.library)] for _ in range(options.rounds)]
    for routine in ROUTINES:
        row = {"case": case, "routine": routine, "where": figures.place(where), "peer": "CP2K", "peer_version": "2025.1",
               **figures.compared([(original[routine], ours[routine]) for original, ours in rounds])}
        print(f"{case}, {routine}, {row['where']}: {row['peer_time']} s, with Seiche {row['ours']} s, ratio {row['ratio']}", flush=True)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cp2k", "library", "scratch"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--where", nargs="+", default=["2", "2x1gbit"])
    parser.add_argument("--case", nargs="+", choices=list(check_cases.CASES),
                        default=["H2O-dft-ls-96", "H2O-dft-ls-192", "H2O-dft-ls-384", "H2O-64"])
    parser.add_argument("--rounds", type=int, default=5)
    figures.add_options(parser)
    options = parser.parse_args()
    rows = [row for case in options.case for where in options.where for row in rows_of(options, case, where)]
    figures.write(options, "cp2k", rows, unit="s")


if __name__ == "__main__":
    main()
