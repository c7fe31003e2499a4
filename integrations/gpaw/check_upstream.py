#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs GPAW's own tests of plane waves as GPAW comes and on Seiche, and compares which of them pass.

check_upstream.py SCRATCH [--ranks 1,2,4] [--limit SECONDS] [MODULE ...]

A module that ends neither way within the limit is said, and not compared."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import gpaw.test

MODULES = """core/test_abs_square core/test_matrix_elements new/test_apply_ham new/test_move_wfs pw/test_bulk pw/test_davidson_pw
pw/test_fulldiag pw/test_fulldiagk pw/test_h pw/test_si_stress pw/test_forces_mgga pw/test_fe_stress_mgga
pw/test_smallanglecell pw/test_stresstest noncollinear/test_o2 noncollinear/test_soc mgga/test_mgga_sc spin/test_spinpol
parallel/test_kptpar symmetry/test_symmetry pw/test_par_strategies""".split()


def outcome_of(case):
    """Returns the outcome of a test in a report of pytest."""
    kinds = {"failure": "FAILED", "error": "ERROR", "skipped": "SKIPPED"}
    return next((kinds[child.tag] for child in case if child.tag in kinds), "PASSED")


def outcomes(module, ranks, plugin, limit, scratch):
    """{(rank, test): PASSED, FAILED, SKIPPED or ERROR}, or None where the tests do not end."""
    tests = pathlib.Path(gpaw.test.__file__).parent
    words = ["-q", "-p", "no:cacheprovider", *(["-p", "seiche.gpaw"] if plugin else [])]
    with tempfile.TemporaryDirectory(dir=scratch) as reports:
        # each rank writes its own report, because lines of several ranks mix in the output
        report = f"--junitxml={reports}/${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}"
        command = ["mpiexec", "-n", str(ranks), "sh", "-c", f'exec "$@" "{report}"', "sh", sys.executable, "-m", "pytest",
                   *words, str(tests / f"{module}.py")]
        environment = {**os.environ, "GPAW_MPI_BACKEND": "mpi4py", "GPAW_DEBUG": "1"}
        try:
            subprocess.run(command, cwd=scratch, env=environment, capture_output=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return None
        return {(path.name, case.get("name")): outcome_of(case) for path in pathlib.Path(reports).iterdir()
                for case in xml.etree.ElementTree.parse(path).iter("testcase")}


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
