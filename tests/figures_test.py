#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tables of README.md, docs/performance.md and docs/profile.md and the picture are those of docs/performance/data, and each digit that
is changed there is noticed. The tables of docs/merging.md are those of the hooks. figures_test.py"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "docs/performance"))
sys.path.insert(0, str(PROJECT / "bench"))
sys.path.insert(0, str(PROJECT / "integrations"))
import figures  # noqa: E402
import generate  # noqa: E402
import merged_lines  # noqa: E402
import published  # noqa: E402

GENERATED = [*generate.PAGES, generate.PICTURE]
READ = [published.SOURCE, *published.sources(PROJECT)]


class Figures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for name in [*GENERATED, *READ]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, self.root / name)
        shutil.copytree(PROJECT / "docs/performance/data", self.root / "docs/performance/data")

    def check(self, *options):
        return subprocess.run([sys.executable, PROJECT / "docs/performance/generate.py", *options, "--root", self.root],
                              capture_output=True, text=True, check=False, timeout=60)

    def differs(self):
        return any(path.read_text() != text for path, text in generate.generated(self.root))

    def test_tables_are_those_of_the_data(self):
        done = self.check("--check")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_table_of_quantum_espresso_is_that_of_its_data(self):
        done = subprocess.run([PROJECT / "integrations/quantum-espresso/versions.py", "--check"], capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_tables_of_merged_lines_are_those_of_the_hooks(self):
        done = subprocess.run([PROJECT / "integrations/merged_lines.py", "--check"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for code, part, files in merged_lines.requests():
            self.assertLessEqual(sum(map(merged_lines.count, files.values())), 300, f"{code}: {part}")

    def test_each_digit_of_a_table_counts(self):
        for name in generate.PAGES:
            path, text = self.root / name, (PROJECT / name).read_text()
            digits = [found.start() + digit.start() for found in generate.BLOCK.finditer(text)
                      for digit in re.finditer(r"\d", found[0]) if digit.start() > len(found[1])]
            self.assertGreater(len(digits), 10)
            for place in digits[:: max(1, len(digits) // 40)]:
                path.write_text(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1:])
                self.assertTrue(self.differs(), f"{name}: {text[place - 20:place + 20]}")
            path.write_text(text)

    def test_a_changed_digit_of_readme_fails(self):
        path = self.root / "README.md"
        path.write_text(re.sub(r"0\.(\d)(\d)", lambda found: f"0.{found[1]}{(int(found[2]) + 1) % 10}", path.read_text(), count=1))
        done = self.check("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run ./dev figures", done.stderr)
        self.check()
        self.assertEqual(path.read_text(), (PROJECT / "README.md").read_text())

    def test_changed_data_are_noticed(self):
        path = self.root / "docs/performance/data/single-node-zen4.json"
        document = json.loads(path.read_text())
        document["rows"][0]["ratio"] -= 0.01
        path.write_text(json.dumps(document))
        done = self.check("--check")
        self.assertEqual(done.returncode, 1)
        for name in ("README.md", "docs/performance.md", "docs/performance/operations.md", generate.PICTURE):
            self.assertIn(str(self.root / name), done.stdout)

    def test_incomplete_data_are_refused(self):
        path = self.root / "docs/performance/data/single-node-zen4.json"
        document = json.loads(path.read_text())
        del document["date"]
        path.write_text(json.dumps(document))
        done = self.check("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing entries: ['date']", done.stderr)

    def test_another_library_gets_its_rows(self):
        path = self.root / "docs/performance/data/single-node-zen4.json"
        document = json.loads(path.read_text())
        document["rows"].append(dict(document["rows"][0], peer="dtFFT", peer_version="3.2.0", ratio=0.5, range=[0.4, 0.6]))
        path.write_text(json.dumps(document))
        self.assertEqual(self.check().returncode, 0)
        self.assertRegex((self.root / "README.md").read_text(), r"\| dtFFT 3\.2\.0 \| 0\.50, –, – \|")

    def changed_row(self, change):
        """Returns stderr of the generator after a change of the first row with figures."""
        document = json.loads((PROJECT / published.SOURCE).read_text())
        change(next(row for report in document["reports"] for row in report["rows"] if "values" in row))
        (self.root / published.SOURCE).write_text(json.dumps(document))
        return self.check("--check").stderr

    def test_each_published_figure_is_read(self):
        """A figure that changes in its source changes in the page."""
        values = [of for report in published.reports(PROJECT) for row in report["rows"]
                  for of in [*row.get("values", []), *row.get("published_values", []), *row.get("command", [])] if isinstance(of, dict)]
        self.assertGreater(len(values), 50)
        for of in values:
            name = of.get("page") or f"docs/performance/data/{of['data']}"
            path, text = self.root / name, (PROJECT / name).read_text()
            if "page" in of:
                row = re.escape(f"| {of['row']} |")
                changed = re.sub(f"(?m)(?<=^{row}).*$", lambda found: re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), found[0]), text)
            else:
                changed = re.sub(r', "range": \[.*?\]', "", text)
                changed = re.sub(rf'("{of["entry"]}": )([\d.]+)', lambda found: f"{found[1]}{float(found[2]) + 1.5}", changed)
                changed = changed.replace('"command": "', '"command": "nice ')
            path.write_text(changed)
            self.assertNotEqual(published.value(self.root, of), published.value(PROJECT, of), of)
            path.write_text(text)

    def test_rows_of_published_measurements_are_checked(self):
        def without(name):
            return lambda row: row.pop(name)
        self.assertEqual(self.changed_row(lambda row: None), "")
        for name in ("how", "published", "here", "where", "command"):
            self.assertIn(f"missing entries: ['{name}']" if name != "how" else "missing entries", self.changed_row(without(name)))
        self.assertIn("unknown entries: ['why']", self.changed_row(lambda row: row.update(why="because")))
        self.assertIn("missing entries: ['why']", self.changed_row(lambda row: row.update(how="not yet measured")))
        self.assertIn("each figure of 'here'", self.changed_row(lambda row: row.update(here="{} and {}, 4 times")))
        self.assertIn("each figure of 'here'", self.changed_row(lambda row: row.update(here="{}")))
        self.assertIn("each figure of 'here'", self.changed_row(lambda row: row.update(published="{}")))
        self.assertIn("has 0 cells", self.changed_row(lambda row: row["values"][0].update(row="no such row")))
        of = {"data": "cp2k-xeon.json", "row": {"case": "H2O-64", "routine": "transforms"}, "entry": "no such entry"}
        self.assertIn("has no 'no such entry'", self.changed_row(lambda row: row["values"].__setitem__(0, of)))

    def test_files_of_scripts_can_be_published(self):
        """What figures.write makes stands in the tables as it is."""
        options = type("Options", (), {"data": self.root / "docs/performance/data/new.json", "label": "Another machine"})
        row = {"case": "c2c 64^3", "kind": "c2c", "grid": 64, "library": "fastest", "peer": "dtFFT", "peer_version": "3.2.0",
               "ours": 1.0, "peer_time": 2.0, "ratio": 0.5, "range": [0.4, 0.6], "rounds": 5, "repeats": None}
        figures.write(options, "single-node", [row])
        self.assertEqual(self.check().returncode, 0)
        page = (self.root / "docs/performance/operations.md").read_text()
        self.assertRegex(page, r"\| c2c 64³ \| dtFFT 3\.2\.0 \|.* 0\.50 \(0\.40–0\.60\) \|")
        self.assertIn("Another machine", (self.root / generate.PICTURE).read_text())


if __name__ == "__main__":
    unittest.main(verbosity=0)
