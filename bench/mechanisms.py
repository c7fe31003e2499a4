#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the functions of MPI that can exchange messages: collective, point-to-point, persistent and one-sided. They alternate in
one program (bench/mechanisms/mechanisms.cpp), which is compiled with the MPI library of the wrapper.

mechanisms.py [--mpicxx mpicxx.mpich --mpiexec mpiexec.mpich] [--where 2 2x1gbit 2x4gbit] [--rounds 5] [--data FILE]

Places with hosts use packaging/hosts.sh as root. Exits with 1 if a message arrives with wrong values.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import figures

SOURCE = figures.PROJECT / "bench/mechanisms/mechanisms.cpp"


def options_of(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpicxx", default="mpicxx", help="wrapper of the compiler")
    parser.add_argument("--mpiexec", default="mpiexec", help="launcher of the same MPI library")
    parser.add_argument("--where", nargs="+", default=["2"], help="numbers of ranks, or HOSTSxRATE (default: 2)")
    parser.add_argument("--bytes", nargs="+", type=int, default=[256, 4096, 32768, 262144, 1048576, 8388608], help="of a message")
    parser.add_argument("--rounds", type=int, default=5)
    figures.add_options(parser)
    return parser.parse_args(arguments)


def report_of(options, program, where):
    """Returns the JSON of the program at one place."""
    launcher = figures.launcher(where)
    launcher = [options.mpiexec if word == "mpiexec" else word for word in launcher]
    # Open MPI's windows over UCX need a network that UCX knows.
    settings = {"MPIRUN": options.mpiexec, "OMPI_MCA_osc": "^ucx", "OMPI_MCA_pml": "ob1"}
    command = [*map(str, launcher), program, "--bytes", ",".join(map(str, options.bytes)), "--rounds", str(options.rounds)]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(lines[-1])


def rows_of(report, where):
    """Returns a row for each mechanism and size."""
    return [{"case": f"messages of {row['bytes']} bytes", "bytes": row["bytes"], "where": figures.place(where), "mechanism": row["mechanism"],
             "ours": row["median"], "ours_range": [row["least"], row["most"]], "rounds": report["rounds"], "repeats": row["repeats"]}
            for row in report["rows"]]


def main():
    options = options_of()
    rows, wrong, library = [], 0, ""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "mechanisms")
        subprocess.run([options.mpicxx, "-std=c++20", "-O2", SOURCE, "-o", program], check=True)
        for where in options.where:
            report = report_of(options, program, where)
            library = re.sub(r" Version: *| v(?=\d)", " ", report["mpi"])
            wrong += sum(row["wrong"] for row in report["rows"])
            for row in rows_of(report, where):
                rows.append(row)
                print(f"{row['where']:<22}{row['bytes']:>9}  {row['mechanism']:<26}{row['ours']:>12.1f} us", flush=True)
    figures.write(options, "mechanisms", rows, unit="us", mpi=library)
    if wrong:
        sys.exit(f"{wrong:.0f} bytes arrived with wrong values")


if __name__ == "__main__":
    main()
