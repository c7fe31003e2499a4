#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program that writes its wavefunctions while it works is killed at random moments: the last complete file stays.
killed_test.py SEICHE DATA RANKS MPIEXEC... ; SEICHE_CHECKPOINTS is the program, SEICHE_KILLS says how often."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from case import SILICON, mpiexec, processes_of, ranks, run

KILLS = int(os.environ.get("SEICHE_KILLS", "6"))
PROGRAM = os.environ["SEICHE_CHECKPOINTS"]


class Killed(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-killed-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def kill_one(self, target):
        """Starts the program, waits for its first file, and kills one of its processes. Returns what is left behind."""
        child = subprocess.Popen([*mpiexec, PROGRAM, SILICON, target], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True)
        self.assertEqual(child.stdout.readline(), "written\n")
        time.sleep(random.uniform(0, 0.1))
        victims = processes_of(child.pid, "checkpoints") or [child.pid]
        os.kill(random.choice(victims), signal.SIGKILL)
        try:
            child.communicate(timeout=20)
        except subprocess.TimeoutExpired:  # the launcher hangs
            for process in [*processes_of(child.pid, "checkpoints"), child.pid]:
                os.kill(process, signal.SIGKILL)
            child.communicate()
        self.assertNotEqual(child.returncode, 0)
        return [path for path in self.folder.iterdir() if ".seiche-" in path.name]

    def test_at_random_moments(self):
        random.seed(ranks)
        number = torn = 0
        while number < KILLS or not torn and number < 20 * KILLS:  # at least one while a file is unfinished
            target = self.folder / ("a.h5", "a.save")[number % 2]
            torn += any(path.name.startswith(target.name) for path in self.kill_one(target))
            found = json.loads(run("verify", SILICON, target, "--json").stdout)
            self.assertTrue(found["equal"], found)
            number += 1
        print(f"killed {number} programs, {torn} of them while a file was unfinished")
        self.assertGreater(torn, 0)
        for name in ("a.h5", "a.save"):
            self.assertEqual(run("convert", SILICON, self.folder / name).returncode, 0)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"a.h5", "a.save"})


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=0)
