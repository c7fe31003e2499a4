# SPDX-License-Identifier: BSD-3-Clause
"""Whatever happens while a file is written, the one that was there stays whole: killed processes, a full disk, a folder
that cannot be written to. SEICHE_KILLS says how often to kill (default 6)."""
import os
import random
import subprocess
import time

from case import SILICON, Case, IRON as SPINORS, kill_one_of, mpiexec, ranks, run, seiche

KILLS = int(os.environ.get("SEICHE_KILLS", "6"))


class Safety(Case):
    def test_killed(self):
        """A random process gets SIGKILL at a random moment, while an old file is being replaced."""
        random.seed(ranks)
        killed = 0
        for name in ("a.h5", "a.save"):
            target = self.folder / name
            self.text("convert", SILICON, target)
            began = time.monotonic()
            self.text("convert", SILICON, target)
            usual = time.monotonic() - began
            for _ in range(KILLS // 2):
                child = subprocess.Popen([*mpiexec, seiche, "convert", str(SPINORS), str(target)],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(random.uniform(0, 1.2 * usual))
                killed += kill_one_of(child)
                # if the process was killed when the file was complete, it has the new contents
                whole = [run("verify", like, target).returncode == 0 for like in (SPINORS, SILICON)]
                self.assertTrue(whole[0] or child.returncode != 0 and whole[1], whole)
                self.text("convert", SILICON, target)
                self.assertEqual([path.name for path in self.folder.iterdir() if not path.name.startswith("a.")], [])
                left = [path.name for path in self.folder.iterdir() if ".seiche-" in path.name]
                self.assertEqual(left, [], "litter was left by the run after the killed one")
        print(f"killed {killed} of {2 * (KILLS // 2)} runs")
        self.assertGreater(killed, 0)

    def test_full_disk(self):
        with self.mounted("size=900k") as disk:
            self.text("convert", SILICON, disk / "a.h5")
            for name in ("a.h5", "b.h5", "b.save"):
                self.refused("No space left on device", "free some space", arguments=["convert", SPINORS, disk / name])
            self.assertTrue(self.report("verify", SILICON, disk / "a.h5")["equal"])

    def test_calls_that_cannot_be(self):
        """Folders that cannot be written to, not by permissions, which root does not heed; and too little memory."""
        (self.folder / "file").write_text("text")
        self.refuse_all(r"""
            convert {SILICON} {folder}/file/a.h5 => cannot write | choose another path
            convert {SILICON} /proc/a.h5 => cannot write | choose another path
            convert {SILICON} {folder}/a.h5 --memory 1M => --memory 1M | allow more
            convert {SILICON} {folder}/a.h5 --memory many => invalid amount of memory""")
