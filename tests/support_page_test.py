#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares docs/support.md with the description of the interfaces and with the stable calls that are compiled."""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/support.md").read_text(encoding="utf-8")


class SupportPage(unittest.TestCase):
    def test_table_of_languages(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "docs/site/support_table.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_stable_calls(self):
        compiled = set(re.findall(r"^seiche_status (\w+)\(", (ROOT / "tests/c/stable_calls.c").read_text(encoding="utf-8"), re.MULTILINE))
        stated = set(re.findall(r"`(seiche_\w+)`", PAGE.partition("The stable calls")[2])) - {"seiche_last_error"}
        self.assertEqual(stated, compiled)
        self.assertEqual(len(stated), 12)

    def test_versions_of_codes(self):
        """The versions of Quantum ESPRESSO are the versions that the integration was checked with."""
        checked = list(json.loads((ROOT / "integrations/quantum-espresso/checked.json").read_text(encoding="utf-8")))
        for version, found in zip(re.search(r"Quantum ESPRESSO \| ([\d.]+) to ([\d.]+)", PAGE).groups(), (checked[0], checked[-1]), strict=True):
            self.assertTrue(found.startswith(version), (version, found))


if __name__ == "__main__":
    unittest.main(verbosity=2)
