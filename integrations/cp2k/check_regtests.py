#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs CP2K's own regression tests of linear scaling with and without Seiche.

check_regtests.py CP2K LIBRARY SCRATCH [--ranks 2] [--input PATTERN ...]

CP2K: the folder of get.sh. LIBRARY: libseiche_cp2k.so. Values, references and tolerances are those of CP2K's files
TEST_TYPES and TEST_FILES. Inputs of a folder run in CP2K's order in one folder, because some read files of others. The
status is 1 if an input fails with Seiche that passes without, or ends only with Seiche before CP2K's end."""
import argparse
import fnmatch
import pathlib
import re
import shutil
import sys
import typing

import cp2k_run

FOLDERS = [f"QS/regtest-dm-ls-scf-{n}" for n in (1, 2, 3, 4)]
SHARED = ["Fist/sample_psf", "Fist/sample_crd"]  # inputs read files of these folders
PICTURE = set(r"* \___/ | O/| /| / \ ".split())
ROUTINES = ("seiche_multiply", "dbcsr_multiply_generic", "seiche_fft3d")


class Test(typing.NamedTuple):
    """The last line with `pattern` has the value at the word `column`, counted from 1."""
    name: str
    pattern: re.Pattern
    column: int
    tolerance: float
    reference: float


class Outcome(typing.NamedTuple):
    """`fault`: an empty text if the test passed. `ended`: whether CP2K came to its end. `served`: whether Seiche
    computed products. Then the calls in the timing report, which lists no short ones: products by Seiche and by
    DBCSR, transforms by Seiche."""
    fault: str
    ended: bool
    served: bool
    products: int
    of_dbcsr: int
    transforms: int


def lines_of(path):
    """Returns the lines of a file of CP2K's tests, without comments."""
    lines = (line.split("#", 1)[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return list(filter(None, lines))


def kinds_of(tests):
    """Returns pattern and column of each number in TEST_TYPES, whose first line is their count."""
    lines = (tests / "TEST_TYPES").read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines[1:int(lines[0]) + 1]:
        text, column = line.rsplit("!", 1)
        text = re.sub(r"[|()+]", r"\\\g<0>", text.replace("[[:space:]]", r"\s"))
        found.append((re.compile(text), int(column)))
    return found


def tests_of(tests, folder, patterns):
    """Returns the tests of a folder whose names have one of the patterns, in CP2K's order."""
    kinds = kinds_of(tests)
    found = []
    for line in lines_of(tests / folder / "TEST_FILES"):
        name, kind, tolerance, reference = line.split()
        if any(fnmatch.fnmatch(f"{folder}/{name}", f"*{pattern}*") for pattern in patterns):
            found.append(Test(name, *kinds[int(kind) - 1], float(tolerance), float(reference)))
    return found


def fault_of(test, output):
    """Returns what is wrong with the value in an output, or an empty text."""
    lines = [line for line in output.splitlines() if test.pattern.search(line)]
    if not lines:
        return f"no line has {test.pattern.pattern!r}"
    try:
        value = float(lines[-1].split()[test.column - 1])
    except (IndexError, ValueError):
        return f"word {test.column} is not a number in {lines[-1]!r}"
    difference = abs(value - test.reference) / (abs(test.reference) or 1)
    if difference <= test.tolerance:
        return ""
    return f"{value!r} differs by {difference:.1e} from {test.reference!r}, more than {test.tolerance:.0e}"


def message_of(output):
    """Returns the message in CP2K's box of an error without its picture, or the last line of an output."""
    found = re.search(r"\[ABORT\](.*?)\n \*{60}", output, re.S)
    words = [word for word in found[1].split() if word not in PICTURE] if found else []
    lines = [line for line in output.splitlines() if line.strip()]
    return " ".join(words) or (lines[-1] if lines else "no output")


def run(cp2k, library, ranks, folder, test):
    """Runs a test. `library`: None for the original program."""
    done = cp2k_run.run(cp2k, library, ["mpiexec", "-n", ranks], test.name, folder, SEICHE_CP2K="always")
    output = done.stdout + done.stderr
    (folder / f"{test.name}.out").write_text(output, encoding="utf-8")
    fault = f"ended with {done.returncode}: {message_of(output)}" if done.returncode else fault_of(test, output)
    calls = [cp2k_run.timing(output, routine)[0] for routine in ROUTINES]
    return Outcome(fault, done.returncode == 0, cp2k_run.SERVED in output, *calls)


def copies(tests, scratch, folder):
    """Returns two new copies of a folder: for the original program and with Seiche."""
    for which in ("original", "seiche"):
        for name in (folder, *SHARED):
            shutil.rmtree(scratch / which / name, ignore_errors=True)
            shutil.copytree(tests / name, scratch / which / name)
    return scratch / "original" / folder, scratch / "seiche" / folder


def check(options, test, original_folder, our_folder):
    """Runs a test with and without Seiche, and prints a line. Returns both outcomes. The second is None if the original
    does not come to its end."""
    original = run(options.cp2k, None, options.ranks, original_folder, test)
    if not original.ended:
        print(f"{test.name}: not available in this build: {original.fault}", flush=True)
        return original, None
    ours = run(options.cp2k, options.library, options.ranks, our_folder, test)
    if not ours.fault and original.of_dbcsr and not ours.served:
        ours = ours._replace(fault="Seiche computed no products")
    said = [f"{who} {'FAILS: ' + outcome.fault if outcome.fault else 'passes'}" for who, outcome in
            (("with Seiche", ours), ("original", original))]
    products = "unlisted" if ours.served and not ours.products else ours.products
    print(f"{test.name}: {', '.join(said)}; {products} products by Seiche, "
          f"{ours.of_dbcsr} by DBCSR, {ours.transforms} transforms by Seiche", flush=True)
    return original, ours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("cp2k", "library", "scratch"):
        parser.add_argument(name, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--input", nargs="+", default=["*"], help="only inputs whose folder and name have a pattern")
    options = parser.parse_args()
    tests = options.cp2k / "cp2k-2025.1/tests"
    outcomes = []
    for folder in FOLDERS:
        wanted = tests_of(tests, folder, options.input)
        if wanted:
            print(f"{folder}, {options.ranks} ranks", flush=True)
            places = copies(tests, options.scratch, folder)
            outcomes += [check(options, test, *places) for test in wanted]
    sys.exit(summary(outcomes))


def summary(outcomes):
    """Prints the counts. Returns the status."""
    if not outcomes:
        sys.exit("no input has one of the patterns")
    compared = [(original, ours) for original, ours in outcomes if ours]
    worse = [ours for original, ours in compared if ours.fault and not (original.fault and ours.ended)]
    print(f"{len(outcomes)} inputs: {sum(not ours.fault for _, ours in compared)} pass with Seiche, "
          f"{sum(not original.fault for original, _ in compared)} pass without, {len(worse)} fail only with Seiche, "
          f"{len(outcomes) - len(compared)} are not available in this build; "
          f"{sum(ours.products for _, ours in compared)} listed products by Seiche, "
          f"{sum(ours.of_dbcsr for _, ours in compared)} by DBCSR, "
          f"{sum(ours.transforms for _, ours in compared)} transforms by Seiche")
    return 1 if worse else 0


if __name__ == "__main__":
    main()
