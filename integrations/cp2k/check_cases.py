#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs CP2K as it comes and with Seiche on inputs of its own benchmarks, and compares energies, forces and charges.

check_cases.py CP2K LIBRARY SCRATCH [--ranks 1,2] [--case NAME ...]

CP2K: the folder of get.sh. LIBRARY: libseiche_cp2k.so. The original program gives slightly different numbers for
different numbers of ranks, because SCF amplifies rounding. The numbers with Seiche have to agree with the original's on
the same ranks within that spread. Energies may also differ by 1e-12 of their value, because few runs of the original
may agree by chance."""
import argparse
import itertools
import pathlib
import re
import sys

import cp2k_run

FORCES = ("METHOD QS\n", "METHOD QS\n  &PRINT\n    &FORCES ON\n    &END FORCES\n  &END PRINT\n")
# the timing report then also lists short procedures
TIMES = ("&END GLOBAL", "  &TIMINGS\n    THRESHOLD 0.0001\n  &END TIMINGS\n&END GLOBAL")
DYNAMICS = [FORCES, TIMES, ("STEPS 10", "STEPS 2"),
            ("&MGRID", "&PRINT\n      &MULLIKEN ON\n      &END MULLIKEN\n    &END PRINT\n    &MGRID")]


def linear_scaling(cells):
    """Water in `cells` unit cells of 96 atoms."""
    return ("QS_DM_LS/H2O-dft-ls.inp", [FORCES, TIMES, ("&MULLIKEN OFF", "&MULLIKEN ON"), ("${NREP} ${NREP} ${NREP}", cells),
                                        ("RUN_TYPE ENERGY\n", "RUN_TYPE ENERGY_FORCE\n")])


# name -> input, changes of its text
CASES = {
    "H2O-32": ("QS/H2O-32.inp", DYNAMICS),
    "H2O-64": ("QS/H2O-64.inp", DYNAMICS),
    "H2O-dft-ls-96": linear_scaling("1 1 1"),
    "H2O-dft-ls-192": linear_scaling("2 1 1"),
    "H2O-dft-ls-384": linear_scaling("2 2 1"),
}
NUMBER = r"(-?\d+\.\d+(?:E[-+]\d+)?)"
# kind of numbers -> the pattern of a line with them, and a difference that is always allowed. For energies it is relative:
# energies of H2O-64 on 1 and 2 ranks differ by 2e-12. Those of H2O-32 differ by less than 1e-13 there, but by 2e-13 if
# DBCSR uses another kernel. For other kinds it is the unit in the last printed digit.
KINDS = {
    "energies": (re.compile(r"ENERGY\| Total FORCE_EVAL.*\s" + NUMBER), lambda values: 1e-12 * max(map(abs, values))),
    "forces": (re.compile(rf"FORCES\|\s+\d+\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s"), lambda _: 1e-8),
    "charges": (re.compile(rf"^\s+\d+\s+[A-Z][a-z]?\s+\d+\s+{NUMBER}\s+{NUMBER}\s*$"), lambda _: 1e-6),
}


def changed(cp2k, name, changes):
    """Returns the text of an input of CP2K's benchmarks with changes: pairs of old and new text."""
    text = (cp2k / "cp2k-2025.1/benchmarks" / name).read_text(encoding="utf-8")
    for old, new in changes:
        if old not in text:
            raise RuntimeError(f"{name} has no {old!r}: is this another version of CP2K?")
        text = text.replace(old, new)
    return text


def write_input(cp2k, case, folder):
    """Returns the path of the changed input."""
    path = folder / f"{case}.inp"
    path.write_text(changed(cp2k, *CASES[case]), encoding="utf-8")
    return path


def run(cp2k, library, case, ranks, scratch):
    """Runs a case. Returns its numbers by kind, and its messages. `library`: None for the original program."""
    folder = scratch / f"{case}.{ranks}.{'seiche' if library else 'original'}"
    folder.mkdir(parents=True, exist_ok=True)
    done = cp2k_run.run(cp2k, library, ["mpiexec", "-n", ranks], write_input(cp2k, case, folder), folder,
                        SEICHE_CP2K="always")
    (folder / "output").write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(f"{case} on {ranks} ranks ended with {done.returncode}, see {folder}/output")
    return numbers_of(done.stdout), done.stdout + done.stderr


def numbers_of(output):
    """All numbers of each kind, in the order of the output."""
    lines = output.splitlines()
    found = {}
    for kind, (line, _) in KINDS.items():
        found[kind] = [float(number) for match in map(line.search, lines) if match for number in match.groups()]
        if not found[kind]:
            raise RuntimeError(f"the output has no {kind}")
    return found


def deviation(x, y):
    """The largest difference of two lists, or infinity if their lengths differ."""
    return max(abs(a - b) for a, b in zip(x, y)) if len(x) == len(y) else float("inf")


def faults(original, ours, spread, said):
    """What differs, as text."""
    found = [f"{kind} differ by {deviation(original[kind], ours[kind]):.1e}, more than {spread[kind]:.1e}"
             for kind in KINDS if not deviation(original[kind], ours[kind]) <= spread[kind]]
    if cp2k_run.SERVED not in said:
        found.append("Seiche computed no products")
    return found


def compare(cp2k, library, case, ranks, scratch):
    """Compares a case on all numbers of ranks. Returns whether all agree."""
    original = {count: run(cp2k, None, case, count, scratch)[0] for count in ranks}
    spread = {kind: max([allowed(original[ranks[0]][kind]), *(deviation(original[a][kind], original[b][kind])
                                                               for a, b in itertools.combinations(ranks, 2))])
              for kind, (_, allowed) in KINDS.items()}
    good = True
    for count in ranks:
        ours, said = run(cp2k, library, case, count, scratch)
        wrong = faults(original[count], ours, spread, said)
        numbers = ", ".join(f"{len(ours[kind])} {kind} within {deviation(original[count][kind], ours[kind]):.1e} "
                            f"(allowed {spread[kind]:.1e})" for kind in KINDS)
        print(f"{case} on {count} ranks: {'DIFFERENT: ' + '; '.join(wrong) if wrong else 'equal'}: {numbers}", flush=True)
        good = good and not wrong
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("cp2k", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--ranks", default="1,2", help="numbers of ranks (default: %(default)s)")
    parser.add_argument("--case", action="append", choices=list(CASES), help="only these cases")
    options = parser.parse_args()
    ranks = [int(count) for count in options.ranks.split(",")]
    good = [compare(options.cp2k.resolve(), options.library.resolve(), case, ranks, options.scratch.resolve())
            for case in options.case or CASES]
    print(f"{good.count(False)} of {len(good)} cases differ")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
