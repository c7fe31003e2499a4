# SPDX-License-Identifier: BSD-3-Clause
"""--memory bounds what each process of convert, expand and reassign has in memory at its peak, or is refused with the
amount that would do, which then does."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from case import SILICON, mpiexec, seiche

def run(*arguments):
    """Its exit code, what it complained of, and the largest memory of one process, in MB."""
    with tempfile.TemporaryFile("w+") as complaint:
        child = subprocess.Popen([*mpiexec, seiche, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=complaint)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        complaint.seek(0)
        return child.returncode, complaint.read(), usage.ru_maxrss / 1024


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-memory-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.large = cls.folder / "large.save"  # 8 MB; its full zone has 67 MB
        code, complaint, _ = run("reassign", SILICON, cls.large, "--ecut", "150Ry")
        assert code == 0, complaint

    def within(self, limit, *arguments):
        code, complaint, used = run(*arguments, "--memory", f"{limit}M")
        self.assertEqual(code, 0, complaint)
        self.assertLessEqual(used, limit, arguments)

    def refused_then_within(self, too_little, *arguments):
        code, complaint, _ = run(*arguments, "--memory", f"{too_little}M")
        self.assertEqual(code, 1, complaint)
        needed = re.search(r"--memory \d+M is too small, because the wavefunctions are held in memory: allow (\d+) MB",
                           complaint)
        self.assertTrue(needed, complaint)
        self.assertFalse(arguments[2].exists())
        self.within(int(needed[1]) + 1, *arguments)

    def test_convert(self):
        self.within(64, "convert", self.large, self.folder / "large.h5")

    def test_expand_from_file_to_file(self):
        self.within(64, "expand", self.large, self.folder / "streamed.save", "--as-they-are")

    def test_expand_through_memory(self):
        self.refused_then_within(36, "expand", self.large, self.folder / "full.save")

    def test_reassign(self):
        self.refused_then_within(36, "reassign", self.large, self.folder / "cut.save", "--ecut", "140Ry")

    def test_reassign_to_orthonormal_bands(self):
        self.refused_then_within(36, "reassign", self.large, self.folder / "loewdin.save", "--ecut", "140Ry",
                                 "--orthonormal", "loewdin")

    def test_reassign_like_another_file(self):
        self.refused_then_within(36, "reassign", self.large, self.folder / "like.save", "--like", self.large)
