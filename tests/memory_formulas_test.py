#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the formulas of docs/memory.md with the memory that the command predicts: memory_formulas_test.py SEICHE

tests/predict/work_test.cpp compares predicted memory with the reports of plans.
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

SEICHE = sys.argv[1]
ROOT = Path(__file__).resolve().parent.parent
MACHINE = ROOT / "docs/machines/cluster.json"
ALGORITHMS = ("shared", "pairwise", "alltoallv")


def formulas():
    """Returns {plan: [formula for each algorithm]} of the table of plans."""
    rows = re.findall(r"^\| (`(?:Dense|Sphere)Fft`[^|]*) \|(.*)\|$", (ROOT / "docs/memory.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {name.replace("`", ""): re.findall(r"`([^`]+)`", cells) for name, cells in rows}


def predicted(*words):
    done = subprocess.run([SEICHE, "predict", *map(str, words), "--nodes", "1", "--machine", MACHINE, "--json"], capture_output=True, text=True,
                          timeout=60, check=True)
    return json.loads(done.stdout)["predictions"][0]["memory_bytes"]


class Formulas(unittest.TestCase):
    def compare(self, formula, algorithm, found, **symbols):
        expected = eval(formula, {}, symbols)  # noqa: S307
        least = 0.6 if algorithm == "pairwise" else 0.9
        self.assertLess(found, 1.1 * expected, (formula, algorithm, symbols))
        self.assertGreater(found, least * expected, (formula, algorithm, symbols))

    def test_dense(self):
        for decomposition, ranks in (("slab", (1, 2, 6)), ("pencil", (4, 12))):
            for algorithm, formula in zip(ALGORITHMS, formulas()[f"DenseFft, {decomposition}s"], strict=True):
                for p in ranks if algorithm != "pairwise" else [n for n in ranks if n > 1]:
                    found = predicted("fft", "--grid", "120,144,96", "--ranks", p, "--algorithm", algorithm, "--decomposition", decomposition)
                    self.compare(formula, algorithm, found, N=120 * 144 * 96, P=p)

    def test_spheres(self):
        for algorithm, formula in zip(ALGORITHMS, formulas()["SphereFft"], strict=True):
            for p, window in ((1, 1), (2, 3), (8, 2)):
                found = predicted("bands", "--grid", "120,128,108", "--radius", 27, "--ranks", p, "--window", window, "--algorithm", algorithm)
                self.compare(formula, algorithm, found, nx=120, ny=128, nz=108, P=p, W=window, S=3.14 * 27**2, G=4.19 * 27**3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
