#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What merge.py adds to a tree of Quantum ESPRESSO: only lines, behind the switch, and nothing to a tree that it does not know. merge_test.py"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent
MERGE = PROJECT / "integrations/quantum-espresso/merge.py"
sys.path.insert(0, str(MERGE.parent))
sys.path.insert(0, str(PROJECT / "integrations"))
import merge  # noqa: E402
import merged_lines  # noqa: E402


class Tree(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for addition in merge.ADDITIONS:
            path = self.root / addition.file
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                for i in range(len(addition.texts)):
                    file.write(f"  line {i} before\n  {addition.anchor}\n")
        self.before = self.sources()

    def sources(self):
        return {path: path.read_text(encoding="utf-8") for path in sorted(self.root.rglob("*")) if path.is_file()}

    def merge(self, *words):
        return subprocess.run([sys.executable, MERGE, *(words or [self.root])], capture_output=True, text=True, check=False, timeout=60)

    def test_lines_are_added_behind_the_switch(self):
        self.assertEqual(self.merge().returncode, 0)
        after = self.sources()
        self.assertEqual(after.keys() - self.before.keys(), {self.root / merge.MODULE})
        for path, text in self.before.items():
            switched = re.compile(r"^#if defined\(__SEICHE\)\n.*?^#endif\n|^seiche_on_waves\.o \\\n", re.MULTILINE | re.DOTALL)
            self.assertNotEqual(after[path], text)
            self.assertEqual(switched.sub("", after[path]), text)
        sum_band = after[self.root / "PW/src/sum_band.f90"]
        self.assertEqual([sum_band.count(one) for one in ("CALL add_density( 1,", "CALL add_density( ik,", "END IF")], [1, 1, 2])
        self.assertLess(sum_band.index("add_density( 1,"), sum_band.index("add_density( ik,"))

    def test_the_module_has_no_trace_of_the_hooks(self):
        module = merge.module()
        for name in ("QE_MERGED", "qe_names", "apply_perturbation", "from_environment", "is_started"):
            self.assertNotIn(name, module)
        self.assertTrue(module.startswith("#if defined(__SEICHE)\n") and module.endswith("end module\n#endif\n"))

    def test_a_condition_and_its_alternative(self):
        text = "a\n#ifdef QE_MERGED\nb\n#else\nc\n#endif\n#ifndef QE_MERGED\nd\n#endif\n#ifdef X\ne\n#else\nf\n#endif\n"
        self.assertEqual(merge.merged(text), "a\nb\n#ifdef X\ne\n#else\nf\n#endif\n")

    def test_a_tree_of_another_version_stays(self):
        path = self.root / "PW/src/sum_band.f90"
        path.write_text(self.before[path].replace("USE add_dmft_occ", "USE add_dmft"), encoding="utf-8")
        before = self.sources()
        done = self.merge()
        self.assertEqual(done.returncode, 1)
        self.assertIn("PW/src/sum_band.f90 has 0 lines `USE add_dmft_occ,         ONLY : dmft, dmft_updated, v_dmft` instead of 1; use the "
                      "sources of version 7.5", done.stderr)
        self.assertEqual(self.sources(), before)

    def test_other_faults(self):
        self.assertIn("merge.py TREE", self.merge(self.root, "more").stderr)
        self.assertIn("No such file", self.merge(self.root / "nowhere").stderr)
        self.merge()
        before = self.sources()
        self.assertIn("seiche_on_waves.f90 exists; use a tree that was not merged before", self.merge().stderr)
        self.assertEqual(self.sources(), before)


class Lines(unittest.TestCase):
    def test_procedures_are_left_out(self):
        text = "module m\n  !> A\n  !> more\n  subroutine a(x)\n    y\n  end subroutine\n  integer function b(x)\n  end function\nend module\n"
        self.assertEqual(merged_lines.fortran_without(text, ["a"]), "module m\n  integer function b(x)\n  end function\nend module\n")
        self.assertEqual(merged_lines.fortran_without(text, ["b"]), text.replace("  integer function b(x)\n  end function\n", ""))
        with self.assertRaisesRegex(ValueError, "no procedure c"):
            merged_lines.fortran_without(text, ["c"])

    def test_functions_are_left_out(self):
        text = "import os\n\n\n@deco(1)\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"
        self.assertEqual(merged_lines.python_without(text, ["a"]), "import os\n\n\ndef b():\n    return 2\n")
        with self.assertRaisesRegex(ValueError, "no function c"):
            merged_lines.python_without(text, ["c"])


if __name__ == "__main__":
    unittest.main(verbosity=0)
