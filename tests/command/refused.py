# SPDX-License-Identifier: BSD-3-Clause
"""A call that has to be refused: exit code 1, within 10 s, exactly one line on stderr that names file, place and remedy; and no
output file, whole or partial, is left."""
import pathlib
import shutil
import tempfile
import unittest

from case import run

LAUNCHER = ("mpiexec", "---", "Primary job", "a non-zero exit code", "the job to be terminated", "Process name",
            "Exit code", "prterun", "=====", "=   ", "YOUR APPLICATION", "[[", "Abort(", "MPI_ABORT", "[warn] Epoll",
            "PMIX ERROR")


def is_ours(line):
    """Launchers say in many lines that a process returned 1."""
    return line.startswith("seiche:") or not (line.strip() == "" or any(mark in line for mark in LAUNCHER))


class Refused(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-bad-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def refused(self, *parts, arguments, code=1, **environment):
        before = sorted(path for path in self.folder.rglob("*"))
        done = run(*arguments, environment=environment)
        self.assertEqual(done.returncode, code, done.stderr)
        ours = [line for line in done.stderr.splitlines() if is_ours(line)]
        self.assertEqual(len(ours), 1, done.stderr)
        self.assertTrue(ours[0].startswith("seiche: "), ours)
        for part in parts:
            self.assertIn(part, ours[0])
        self.assertEqual(done.stdout, "")
        self.assertEqual(sorted(path for path in self.folder.rglob("*")), before, "files were left")
