# SPDX-License-Identifier: BSD-3-Clause
"""A program that writes its wavefunctions while it works is killed at random moments: the last complete file stays.
SEICHE_CHECKPOINTS is the program, SEICHE_KILLS says how often."""
import os
import random
import subprocess
import time

from case import SILICON, Case, kill_one_of, mpiexec, ranks

KILLS = int(os.environ.get("SEICHE_KILLS", "6"))
PROGRAM = os.environ["SEICHE_CHECKPOINTS"]


class Killed(Case):
    def kill_one(self, target):
        """Starts the program, waits for its first file, and kills one of its processes. Returns what is left behind."""
        child = subprocess.Popen([*mpiexec, PROGRAM, SILICON, target], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True)
        self.assertEqual(child.stdout.readline(), "written\n")
        time.sleep(random.uniform(0, 0.1))
        kill_one_of(child, "checkpoints")
        self.assertNotEqual(child.returncode, 0)
        return [path for path in self.folder.iterdir() if ".seiche-" in path.name]

    def test_at_random_moments(self):
        random.seed(ranks)
        number = torn = 0
        while number < KILLS or not torn and number < 20 * KILLS:  # at least one while a file is unfinished
            target = self.folder / ("a.h5", "a.save")[number % 2]
            torn += any(path.name.startswith(target.name) for path in self.kill_one(target))
            self.assertTrue(self.report("verify", SILICON, target)["equal"])
            number += 1
        print(f"killed {number} programs, {torn} of them while a file was unfinished")
        self.assertGreater(torn, 0)
        for name in ("a.h5", "a.save"):
            self.text("convert", SILICON, self.folder / name)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"a.h5", "a.save"})
