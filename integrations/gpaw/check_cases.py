#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs GPAW as it comes and on Seiche, and compares energies (eV), eigenvalues (eV) and forces (eV/angstrom).

check_cases.py SCRATCH [--ranks 1,2,4] [--case NAME ...]

Numbers of one case on the same ranks have to agree to 1e-9, and iterations have to be equal. Runs that are divided
by k-points and bands, and GPAW's other MPI backend, are on four and two ranks."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

from cases import CASES

TOLERANCE = 1e-9
# name -> case, ranks, options of cases.py, environment
DIVIDED = {
    "al4, two groups of k-points": ("al4_symmetry", 4, ["--kpt", "2"], {}),
    "al4, two groups of bands": ("al4_symmetry", 4, ["--band", "2"], {}),
    "si8_gamma, GPAW's own MPI backend": ("si8_gamma", 2, [], {"GPAW_MPI_BACKEND": "cgpaw"}),
}


def run(case, method, ranks, options, environment, scratch):
    """What cases.py wrote, and what it said."""
    output = scratch / f"{case}.{ranks}.{method}.json"
    output.unlink(missing_ok=True)
    backend = environment.get("GPAW_MPI_BACKEND", "mpi4py")
    # GPAW's own backend starts MPI when gpaw is imported by the program `gpaw python`
    python = ["gpaw", "python"] if backend == "cgpaw" else [sys.executable]
    command = ["mpiexec", "-n", str(ranks), *python, str(pathlib.Path(__file__).with_name("cases.py")), case, method,
               str(output), *options]
    done = subprocess.run(command, env={**os.environ, "GPAW_MPI_BACKEND": backend, **environment}, capture_output=True,
                          text=True, timeout=1800, check=False)
    if done.returncode or not output.is_file():
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    return json.loads(output.read_text(encoding="utf-8")), done.stdout + done.stderr


def faults(original, ours, said):
    """What differs, as text."""
    found = []
    for name in ("energy", "eigenvalues", "forces"):
        a, b = original.get(name, []), ours.get(name, [])
        if len(a) != len(b):
            found.append(f"{len(a)} {name} and {len(b)}")
            continue
        deviation = max((abs(x - y) for x, y in zip(a, b)), default=0.0)
        if not deviation <= TOLERANCE:
            found.append(f"{name} differ by {deviation:.1e}")
    if original["iterations"] != ours["iterations"]:
        found.append(f"{original['iterations']} iterations and {ours['iterations']}")
    if "seiche.gpaw does not support" in said:
        found.append("GPAW's own method ran")
    return found


def compared(title, case, ranks, options, environment, scratch):
    """Whether both runs agree."""
    try:
        original, _ = run(case, "original", ranks, options, environment, scratch)
        ours, said = run(case, "seiche", ranks, options, environment, scratch)
    except RuntimeError as error:
        print(f"{title} on {ranks} ranks: FAILED: {error}", flush=True)
        return False
    wrong = faults(original, ours, said)
    numbers = sum(len(original.get(name, [])) for name in ("energy", "eigenvalues", "forces"))
    verdict = "DIFFERENT: " + "; ".join(wrong) if wrong else "equal"
    print(f"{title} on {ranks} ranks: {numbers} numbers, {verdict}; {original['seconds']:.2f} s, {ours['seconds']:.2f} s on "
          "Seiche", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--ranks", default="1,2,4", help="numbers of ranks (default: %(default)s)")
    parser.add_argument("--case", action="append", choices=list(CASES), help="only these cases")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    good = [compared(name, name, int(ranks), [], {}, options.scratch)
            for name in options.case or CASES for ranks in options.ranks.split(",")]
    if not options.case:
        good += [compared(title, *how, options.scratch) for title, how in DIVIDED.items()]
    print(f"{good.count(False)} of {len(good)} comparisons failed")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
