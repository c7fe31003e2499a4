# SPDX-License-Identifier: BSD-3-Clause
"""What examples/scf writes is taken by `seiche density` and `seiche convert`, and by itself on other numbers of ranks.

scf_files_test.py SEICHE LAUNCHER...; the launcher has @ for the number of ranks. Exits with 77 where mpi4py is not to be had.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import seiche

SCF = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "scf"
COMMAND, LAUNCHER = sys.argv[1], sys.argv[2:]
os.environ.setdefault("MPI4PY_MPIABI", "mpich" if "MPICH" in seiche.mpi_library() else "openmpi")


def run(ranks, *words):
    """What a program says on so many ranks, as JSON."""
    launcher = [str(ranks) if word == "@" else word for word in LAUNCHER]
    done = subprocess.run([*launcher, *map(str, words), "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{words} failed:\n{done.stdout}\n{done.stderr}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    if not importlib.util.find_spec("mpi4py"):
        print("skipped: mpi4py is not here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        save, converted = pathlib.Path(folder) / "x.save", pathlib.Path(folder) / "x.h5"
        scf = (sys.executable, SCF, "salt", "--cutoff", "8", "--mesh", "2", "2", "2")
        energy = run(2, *scf, "-o", save)["energies"]["total"]
        density = run(3, COMMAND, "density", save, "-o", pathlib.Path(folder) / "x.cube", "--compare", save)
        run(2, COMMAND, "convert", save, converted)
        differences = [abs(run(ranks, *scf, "--restart", path)["energies"]["total"] - energy)
                       for ranks, path in ((3, save), (1, converted))]
    print(f"density {density['max_relative_deviation']:.1e} from the one written; energies after restarts differ by {differences}")
    return 0 if density["max_relative_deviation"] < 1e-10 and max(differences) < 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
