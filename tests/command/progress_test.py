# SPDX-License-Identifier: BSD-3-Clause
"""Bars of commands that take long: a terminal sees one, with the rate and the time left, that goes forward and vanishes; a pipe sees
none. What purify shows is in purify_test.py."""
import os
import re
import subprocess

from case import DATA, SILICON, Case, on_terminal, seiche

CELLS = "━"


class Bars(Case):
    def check(self, bars, *words, ends=100):
        """`bars`: what each bar is called, and the unit of its rate. `ends`: at least so many per cent are shown."""
        words = [seiche, *map(str, words)]
        _, shown = on_terminal(words)
        for name, unit in bars.items():
            drawn = re.findall(rf"\r{re.escape(name)} \x1b\[36m({CELLS}* *)\x1b\[0m +(\d+) %(.*?)\x1b\[K", shown)
            self.assertTrue(drawn, f"{name}: {shown!r}")
            percents = [int(percent) for _, percent, _ in drawn]
            self.assertEqual(percents, sorted(percents))
            self.assertGreaterEqual(percents[-1], ends, shown)
            for cells, percent, rest in drawn:
                self.assertEqual(cells.count(CELLS), int(percent) * 40 // 100)
                self.assertRegex(rest, rf"^  [\d.e+]+ {unit}/s  \d+:\d\d left$" if unit else r"^  \d+:\d\d left$")
        self.assertTrue(shown.endswith("\r\033[K"), f"the bar is left behind: {shown!r}")
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(CELLS, done.stderr + done.stdout)

    def test_info(self):
        self.check({"check": "bands"}, "info", "--check", SILICON)

    def test_convert(self):
        self.check({"convert": "bands"}, "convert", SILICON, self.folder / "a.h5")

    def test_expand(self):
        self.check({"expand": "bands"}, "expand", SILICON, self.folder / "a.save", "--as-they-are")
        self.check({"read": "bands", "symmetrise": "bands", "write": "bands"}, "expand", SILICON, self.folder / "b.save")

    def test_reassign(self):
        self.check({"read": "bands", "map": "bands", "write": "bands"}, "reassign", SILICON, self.folder / "a.save", "--bands", "2")
        self.check({"map": "bands"}, "reassign", SILICON, self.folder / "b.save", "--orthonormal", "loewdin")
        self.check({"compare": ""}, "reassign", SILICON, self.folder / "c.save", "--like", SILICON)

    def test_density(self):
        self.check({"density": "bands"}, "density", SILICON, "-o", self.folder / "a.cube")

    def test_orbital(self):
        self.check({"orbital": ""}, "orbital", SILICON, "--bands", "1-2", "--kpoint", "1", "-o", self.folder / "o.cube")

    def test_average(self):
        self.check({"average": "steps"}, "average", SILICON, "-o", self.folder / "a.csv")

    def test_unfold(self):
        self.check({"unfold": "bands"}, "unfold", SILICON, "--times", "1,1,1", "-o", self.folder / "u.csv")

    def test_verify(self):
        self.check({"verify": "bands"}, "verify", SILICON, SILICON)

    def test_wannier(self):
        self.check({"wannier": "k-points"}, "wannier", SILICON, DATA / "wannier90" / "si_small.nnkp", "-o", self.folder / "si")

    def test_tune(self):
        os.environ["SEICHE_TUNING"] = str(self.folder / "tuning.json")
        self.check({"tune": ""}, "tune", "--grid", "16", "--budget", "0.3", ends=50)  # of a time that it need not use up
