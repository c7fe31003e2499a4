#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever happens while a file is written, the one that was there stays whole: killed processes, a full disk, a folder
that cannot be written to. Runs the real command: safety_test.py SEICHE DATA RANKS MPIEXEC... ; SEICHE_KILLS says how
often to kill (default 6)."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from case import IRON as SPINORS, SILICON, mpiexec, processes_of, ranks, run, seiche

KILLS = int(os.environ.get("SEICHE_KILLS", "6"))


def report(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


class Safety(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-safe-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def refused(self, done, *parts):
        self.assertEqual(done.returncode, 1, done.stderr)
        ours = [line for line in done.stderr.splitlines() if line.startswith("seiche: ") and "not kept" not in line]
        self.assertEqual(len(ours), 1, done.stderr)
        for part in parts:
            self.assertIn(part, ours[0])

    def test_killed(self):
        """A random process gets SIGKILL at a random moment, while an old file is being replaced."""
        random.seed(ranks)
        killed = 0
        for name in ("a.h5", "a.save"):
            target = self.folder / name
            self.assertEqual(run("convert", SILICON, target).returncode, 0)
            began = time.monotonic()
            self.assertEqual(run("convert", SILICON, target).returncode, 0)
            usual = time.monotonic() - began
            for _ in range(KILLS // 2):
                child = subprocess.Popen([*mpiexec, seiche, "convert", str(SPINORS), str(target)],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(random.uniform(0, 1.2 * usual))
                victims = processes_of(child.pid) or [child.pid]
                try:
                    os.kill(random.choice(victims), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
                try:
                    finished = child.wait(timeout=20) == 0
                except subprocess.TimeoutExpired:  # launchers may hang when a process dies while MPI starts
                    for process in [*processes_of(child.pid), child.pid]:
                        os.kill(process, signal.SIGKILL)
                    finished = child.wait() == 0
                like = SPINORS if finished else SILICON
                found = report("verify", like, target)
                if not found["equal"] and not finished:  # it was complete before the process was killed
                    found = report("verify", SPINORS, target)
                self.assertTrue(found["equal"], found)
                self.assertEqual(run("convert", SILICON, target).returncode, 0)
                self.assertEqual([path.name for path in self.folder.iterdir() if not path.name.startswith("a.")], [])
                left = [path.name for path in self.folder.iterdir() if ".seiche-" in path.name]
                self.assertEqual(left, [], "litter was left by the run after the killed one")
        print(f"killed {killed} of {2 * (KILLS // 2)} runs")
        self.assertGreater(killed, 0)

    def test_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest("a small file system can only be mounted by root")
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=900k", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("a small file system cannot be mounted here")
        try:
            self.assertEqual(run("convert", SILICON, disk / "a.h5").returncode, 0)
            for name in ("a.h5", "b.h5", "b.save"):
                self.refused(run("convert", SPINORS, disk / name), "No space left on device", "free some space")
            self.assertTrue(report("verify", SILICON, disk / "a.h5")["equal"])
            self.assertEqual([path.name for path in disk.iterdir()], ["a.h5"])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_unwritable_folder(self):
        """Not by permissions, which root does not heed: a path through a file, and a folder that nobody may write to."""
        (self.folder / "file").write_text("text")
        self.refused(run("convert", SILICON, self.folder / "file" / "a.h5"), "cannot write", "choose another path")
        self.refused(run("convert", SILICON, "/proc/a.h5"), "cannot write", "choose another path")
        self.assertEqual((self.folder / "file").read_text(), "text")

    def test_memory(self):
        self.refused(run("convert", SILICON, self.folder / "a.h5", "--memory", "1M"), "--memory 1M", "allow more")
        self.refused(run("convert", SILICON, self.folder / "a.h5", "--memory", "many"), "invalid amount of memory")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
