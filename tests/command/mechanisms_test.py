#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench/mechanisms.py: all functions of MPI move the right bytes, and a function that does not is noticed. mechanisms_test.py MPICXX MPIEXEC"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/mechanisms.py"
MPICXX, MPIEXEC = sys.argv[1:]
NAMES = {"point-to-point", "point-to-point, pieces", "persistent point-to-point", "MPI_Alltoallv", "MPI_Ialltoallv", "put, fences",
         "put, fences, allocated", "put, flush", "put, flush, allocated"}


def run(*options, mpicxx=MPICXX, mpiexec=MPIEXEC):
    return subprocess.run([sys.executable, SCRIPT, "--mpicxx", mpicxx, "--mpiexec", mpiexec, *map(str, options)], capture_output=True,
                          text=True, check=False, timeout=600)


class Mechanisms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_all_messages_arrive(self):
        sizes = [0, 1, 4096, 61441]  # the last in two pieces
        done = run("--where", 2, 3, "--bytes", *sizes, "--rounds", 1, "--data", self.folder / "data.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads((self.folder / "data.json").read_text())["rows"]
        for where in ("2 ranks", "3 ranks"):
            for size in sizes:
                found = {row["mechanism"] for row in rows if (row["where"], row["bytes"]) == (where, size)}
                self.assertEqual(found - {"persistent alltoallv"}, NAMES)

    def test_each_function_is_checked(self):
        """The program without one of its transfers."""
        transfers = ["MPI_Put(given_.out.data()", "MPI_Alltoallv(given_.out.data()", "MPI_Ialltoallv(given_.out.data()"]
        source = (ROOT / "bench/mechanisms/mechanisms.cpp").read_text()
        for transfer in transfers:
            self.assertEqual(source.count(transfer), 1, transfer)
            call = transfer.split("(")[0]
            changed = self.folder / "changed.cpp"
            changed.write_text(source.replace(transfer, transfer.replace(call, "nothing"), 1).replace(
                "namespace {\n", "template <class... A> int nothing(A&&...) { return 0; }\nnamespace {\n", 1))
            wrapper = self.folder / "mpicxx"
            wrapper.write_text(f'#!/bin/sh\nexec {MPICXX} -std=c++20 -O2 {changed} -o "$5"\n')
            wrapper.chmod(0o755)
            done = run("--where", 2, "--bytes", 100, "--rounds", 1, mpicxx=wrapper)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stderr, r"\d+ bytes arrived with wrong values")

    def test_one_rank_is_refused(self):
        done = run("--where", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("one rank exchanges nothing: start at least two", done.stderr)

    def test_a_program_that_fails_is_named(self):
        done = run("--where", 2, "--bytes", 100, mpiexec="false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("false -n 2", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
