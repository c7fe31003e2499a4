#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every bad input gives exit code 1, within 10 s, and exactly one line on stderr that names file, place and remedy; and
no output file, whole or partial, is left. Runs the real command: bad_input_test.py SEICHE DATA RANKS MPIEXEC..."""
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

seiche, data, ranks, *mpiexec = sys.argv[1:]
SILICON = pathlib.Path(data) / "si_small" / "si_small.save"
LAUNCHER = ("mpiexec", "---", "Primary job", "a non-zero exit code", "the job to be terminated", "Process name",
            "Exit code", "prterun", "=====", "=   ", "YOUR APPLICATION", "[[", "Abort(", "MPI_ABORT")


def is_ours(line):
    """Launchers say in many lines that a process returned 1."""
    return line.startswith("seiche:") or not (line.strip() == "" or any(mark in line for mark in LAUNCHER))


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-bad-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.save = self.folder / "si.save"
        shutil.copytree(SILICON, self.save)
        (self.folder / "out").mkdir()

    def refused(self, *parts, arguments=None, output="out/density.cube"):
        before = sorted(path for path in self.folder.rglob("*"))
        command = ["density", str(self.save), "-o", str(self.folder / output)] if arguments is None else arguments
        done = subprocess.run([*mpiexec, seiche, *command], capture_output=True, text=True, timeout=10)
        self.assertEqual(done.returncode, 1, done.stderr)
        ours = [line for line in done.stderr.splitlines() if is_ours(line)]
        self.assertEqual(len(ours), 1, done.stderr)
        self.assertTrue(ours[0].startswith("seiche: "), ours)
        for part in parts:
            self.assertIn(part, ours[0])
        self.assertEqual(done.stdout, "")
        self.assertEqual(sorted(path for path in self.folder.rglob("*")), before, "files were left")

    def overwrite(self, name, offset, value):
        with open(self.save / name, "r+b") as file:
            file.seek(offset)
            file.write(value)

    def replace(self, old, new):
        path = self.save / "data-file-schema.xml"
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def test_missing_input(self):
        self.refused("cannot find", "nowhere.save", "check the name",
                     arguments=["density", "nowhere.save", "-o", str(self.folder / "out/density.cube")])

    def test_missing_wavefunctions(self):
        (self.save / "wfc4.dat").unlink()
        self.refused("wfc4.dat", "rerun the code")

    def test_truncated_record(self):
        path = self.save / "wfc6.dat"
        path.write_bytes(path.read_bytes()[:-500])
        self.refused("wfc6.dat", "truncated record", "copy it again")

    def test_empty_file(self):
        (self.save / "wfc6.dat").write_bytes(b"")
        self.refused("wfc6.dat", "truncated record", "copy it again")

    def test_wrong_marker_of_the_header(self):
        self.overwrite("wfc2.dat", 0, struct.pack("<i", 77))
        self.refused("wfc2.dat", "wrong marker at byte 0", "copy it again")

    def test_wrong_marker_of_a_band(self):
        self.overwrite("wfc1.dat", 52 + 24 + 80 + 12 * 181 + 8, struct.pack("<i", 77))
        self.refused("wfc1.dat", "wrong marker", "copy it again")

    def test_counts_of_waves_disagree(self):
        self.replace("<npw>181</npw>", "<npw>180</npw>")
        self.refused("wfc1.dat has 181 plane waves", "data-file-schema.xml says 180", "copy the .save again")

    def test_counts_of_kpoints_disagree(self):
        self.replace("<nks>8</nks>", "<nks>9</nks>")
        self.refused("data-file-schema.xml", "8 k-points", "nks is 9", "rerun")

    def test_coefficient_is_no_number(self):
        self.overwrite("wfc1.dat", 52 + 24 + 80 + 12 * 181 + 8 + 4 + 160, struct.pack("<d", math.nan))
        self.refused("wfc1.dat", "band 1", "not a number", "rerun")

    def test_occupations_are_missing(self):
        path = self.save / "data-file-schema.xml"
        text = path.read_text()
        head, bands = text.split("<band_structure>", 1)
        path.write_text(head + "<band_structure>" + bands.replace("<occupations size", "<unknown size")
                        .replace("</occupations>", "</unknown>"))
        self.refused("data-file-schema.xml", "occupations", "missing", "rerun")

    def test_too_few_occupations(self):
        path = self.save / "data-file-schema.xml"
        head, tail = path.read_text().split('<occupations size="8">', 1)
        path.write_text(head + '<occupations size="8">' + tail.replace("e0", "", 1).replace("1.000000000000000", "", 1))
        self.refused("data-file-schema.xml", "occupations holds 7 numbers instead of 8")

    def test_no_bands(self):
        path = self.save / "data-file-schema.xml"
        head, tail = path.read_text().split("<band_structure>", 1)
        path.write_text(head + "<band_structure>" + tail.replace("<nbnd>8</nbnd>", "<nbnd>0</nbnd>"))
        self.refused("data-file-schema.xml", "0 bands", "nbnd")

    def test_broken_xml(self):
        path = self.save / "data-file-schema.xml"
        path.write_text(path.read_text()[:5000])
        self.refused("data-file-schema.xml", "at byte", "rerun")

    def test_not_a_save_at_all(self):
        self.refused("no wavefunction file of a known format", "data-file-schema.xml",
                     arguments=["density", str(self.folder / "out"), "-o", str(self.folder / "out/density.cube")])

    def test_unwritable_folder(self):
        self.refused("nowhere/density.cube", "No such file", "choose another place", output="nowhere/density.cube")

    def test_output_is_a_folder(self):
        (self.folder / "out" / "taken.cube").mkdir()
        self.refused("taken.cube", "it is a folder", "choose another name", output="out/taken.cube")

    def test_unknown_ending(self):
        self.refused("density.doc", ".cube, .xsf or .h5", output="out/density.doc")

    def test_reference_of_another_crystal(self):
        water = pathlib.Path(data) / "gamma" / "gamma.save"
        self.refused("charge-density.dat", "another cell", "same crystal",
                     arguments=["density", str(self.save), "-o", str(self.folder / "out/density.cube"), "--compare",
                                str(water)])

    def test_reference_is_truncated(self):
        path = self.save / "charge-density.dat"
        path.write_bytes(path.read_bytes()[:-100])
        self.refused("charge-density.dat", "truncated",
                     arguments=["density", str(self.save), "-o", str(self.folder / "out/density.cube"), "--compare",
                                str(self.save)])

    def test_info_of_a_damaged_file(self):
        self.overwrite("wfc2.dat", 0, struct.pack("<i", 77))
        self.refused("wfc2.dat", "wrong marker", arguments=["info", str(self.save)])

    def test_unknown_option(self):
        self.refused("--nonsense", "seiche --help", arguments=["density", str(self.save), "--nonsense"])

    def test_no_command(self):
        self.refused("seiche --help", arguments=[])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
