#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The generator of the interfaces: a new line of the description reaches all languages, and mistakes are named."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

INTERFACE = pathlib.Path(__file__).resolve().parents[2] / "interface"

sys.path.insert(0, str(INTERFACE))
import conformance  # noqa: E402
import model  # noqa: E402

# Functions with arrays that tests/c, tests/fortran and tests/python call: on devices, to tune, to change headers, and to read one file.
BY_HAND = {"sphere_fft_round_trip_on_device", "sphere_fft_add_round_trip_on_device", "sphere_fft_to_grid_on_device",
           "tune_sphere", "tune_boxes", "header_set_kpoints", "header_set_states", "orbitals_create_reassigned", "read_wfc"}


class Generated(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.copy, self.made = pathlib.Path(folder.name, "interface"), pathlib.Path(folder.name, "made")
        shutil.copytree(INTERFACE, self.copy)

    def generate(self):
        return subprocess.run([sys.executable, "-B", self.copy / "generate.py", self.made], capture_output=True, text=True,
                              check=False)

    def replace(self, name, old, new):
        path = self.copy / name
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def expect_mistake(self, name, old, new, sentence):
        self.replace(name, old, new)
        done = self.generate()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(sentence, done.stderr)

    def test_the_page_on_errors_lists_the_options_that_may_differ(self):
        page = self.copy.parent / "docs" / "errors_and_threads.md"
        page.parent.mkdir()
        shutil.copy(INTERFACE.parent / "docs" / page.name, page)
        check = [sys.executable, "-B", self.copy / "differs.py", "--check"]
        subprocess.run(check, check=True)
        self.replace("boxes.api", "progress progress differs", "progress progress")
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        self.assertIn("lists other options", done.stderr)

    def test_each_function_with_arrays_is_called_in_all_languages(self):
        described = model.named(model.read_all(), "function").values()
        with_arrays = {item.name for item in described if any(one.array for one in item.rows)}
        self.assertEqual(with_arrays - conformance.called(), BY_HAND)

    def test_an_option_is_one_line(self):
        line = "  int components = 1"
        self.replace("fft.api", line, "  double looseness = 2.5 : how loose it is\n" + line)
        self.assertEqual(self.generate().returncode, 0)
        for path, text in (("include/seiche/c/fft.h", "double looseness; /**< how loose it is */"),
                           ("c/fft_functions.cpp", "options.looseness = asked.looseness;"),
                           ("c/fft_functions.cpp", "options.looseness = 2.5;"),
                           ("fortran/seiche_fft_types.f90", "real(real64) :: looseness = 2.5  !< how loose it is"),
                           ("fortran/seiche_c_fft.f90", "asked%looseness = options%looseness"),
                           ("interface/fft_members.hpp", 'Member{"looseness", "how loose it is", true}')):
            with self.subTest(path):
                self.assertIn(text, (self.made / path).read_text())

    def test_files_that_do_not_change_are_not_written_again(self):
        self.generate()
        header = self.made / "include/seiche/c/fft.h"
        before = header.stat().st_mtime_ns
        self.generate()
        self.assertEqual(header.stat().st_mtime_ns, before)

    def test_former_enumerators_stay_in_c_alone(self):
        self.generate()
        self.assertIn("SEICHE_ALGORITHM_PUT = 7", (self.made / "include/seiche/c/status.h").read_text())
        self.assertNotIn("Algorithm::put", (self.made / "interface/status_members.hpp").read_text())

    def test_mistakes_are_named_with_their_line(self):
        self.expect_mistake("status.api", "enum value", "function broken(", "status.api:")

    def test_an_argument_that_is_none(self):
        self.expect_mistake("sphere_fft.api", "int ranks, shape shape", "ranks, shape shape", "'ranks' is no argument")

    def test_a_member_that_is_none(self):
        self.expect_mistake("fft.api", "  int components = 1", "  components", "declares no member")

    def test_a_function_is_in_one_place(self):
        before = "function sphere_fft_apply_potential("
        self.replace("sphere_fft.api", before, "function sphere_fft_shift(sphere_fft& fft, in coefficients in[in_count], "
                     "out grid out[out_count], bands bands, in potential shifts[points]) collective starts adds=sphere_fft_add_shift\n"
                     "  : Collective. Shifts bands.\n  = fft.shift(in, out, bands, shifts, {result})\n\n" + before)
        self.assertEqual(self.generate().returncode, 0)
        texts = {path: (self.made / path).read_text() for path in ("include/seiche/c/fft.h", "c/fft_functions.cpp", "fortran/seiche_sphere_fft.f90")}
        for name in ("shift", "add_shift", "start_shift", "start_add_shift"):
            self.assertIn(f"seiche_sphere_fft_{name}(", texts["include/seiche/c/fft.h"])
        for code in ("fft.shift(in, out, bands, shifts, Result::adds)", "fft.start_shift(in, out, bands, shifts, Result::replaces)"):
            self.assertIn(code, texts["c/fft_functions.cpp"])
        for kind in ("real32", "real64", "complex32", "complex64"):
            for name in ("shift", "start_shift"):
                self.assertIn(f"recursive subroutine sphere_fft_{name}_{kind}(", texts["fortran/seiche_sphere_fft.f90"])
        self.assertIn("shift(in, out, shifts [, status, add]): Shifts bands. add=.true.", texts["fortran/seiche_sphere_fft.f90"])

    def test_an_array_without_a_role(self):
        self.expect_mistake("sphere_fft.api", "in miller waves[wave_count], fft_options", "in int64 waves[wave_count], fft_options",
                            "sphere_fft_create: Fortran needs a role with a line `count` for the array waves")


if __name__ == "__main__":
    unittest.main()
