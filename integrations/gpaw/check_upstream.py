#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs GPAW's own tests of plane waves as GPAW comes and on Seiche, and compares which of them pass.

check_upstream.py SCRATCH [--ranks 1,2,4] [--limit SECONDS] [MODULE ...]

A module that ends neither way within the limit is said, and not compared."""
import argparse
import os
import pathlib
import re
import subprocess
import sys

import gpaw.test

MODULES = """core/test_abs_square core/test_matrix_elements new/test_apply_ham new/test_move_wfs pw/test_bulk pw/test_davidson_pw
pw/test_fulldiag pw/test_fulldiagk pw/test_h pw/test_si_stress pw/test_forces_mgga pw/test_fe_stress_mgga
pw/test_smallanglecell pw/test_stresstest noncollinear/test_o2 noncollinear/test_soc mgga/test_mgga_sc spin/test_spinpol
parallel/test_kptpar symmetry/test_symmetry""".split()


def outcomes(module, ranks, plugin, limit, scratch):
    """{test: PASSED, FAILED, SKIPPED or ERROR}, or None where the tests do not end."""
    tests = pathlib.Path(gpaw.test.__file__).parent
    words = ["-q", "-rA", "--color=no", "-p", "no:cacheprovider", *(["-p", "seiche.gpaw"] if plugin else [])]
    command = ["mpiexec", "-n", str(ranks), sys.executable, "-m", "pytest", *words, str(tests / f"{module}.py")]
    environment = {**os.environ, "GPAW_MPI_BACKEND": "mpi4py", "GPAW_DEBUG": "1"}
    try:
        done = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None
    found = re.findall(r"^(PASSED|FAILED|SKIPPED|ERROR)\s+(?:\[\d+\] )?(\S+)", done.stdout, re.MULTILINE)
    return {pathlib.Path(test.split("::")[0]).name + "::" + test.partition("::")[2]: outcome for outcome, test in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("modules", nargs="*", default=MODULES)
    parser.add_argument("--ranks", default="1,2,4", help="numbers of ranks (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=300, help="seconds for a module (default: %(default)s)")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    failed = passed = 0
    for module in options.modules:
        for ranks in map(int, options.ranks.split(",")):
            original = outcomes(module, ranks, False, options.limit, options.scratch)
            ours = outcomes(module, ranks, True, options.limit, options.scratch)
            if original is None and ours is None:
                print(f"{module} on {ranks} ranks: ends neither way within {options.limit:.0f} s; not compared", flush=True)
                continue
            same = original == ours and bool(original)
            failed += not same
            passed += sum(outcome == "PASSED" for outcome in (ours or {}).values())
            print(f"{module} on {ranks} ranks: " + (f"{len(ours)} tests, equal" if same else f"DIFFERENT: {original} and {ours}"),
                  flush=True)
    print(f"{passed} tests passed on Seiche; {failed} modules differ")
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
