#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every bad input is refused, as refused.py says. Runs the real command: bad_input_test.py SEICHE DATA RANKS MPIEXEC..."""
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import unittest

from case import IRON, SILICON, WATER, mpiexec, run, seiche
from refused import Refused

OPEN_MPI = "mpich" not in "".join(mpiexec)  # tests/CMakeLists.txt passes the launcher of the build


class BadInput(Refused):
    def setUp(self):
        super().setUp()
        self.save = self.folder / "si.save"
        shutil.copytree(SILICON, self.save)
        (self.folder / "out").mkdir()

    def refused(self, *parts, arguments=None, output="out/density.cube", code=1, **environment):
        density = ["density", str(self.save), "-o", str(self.folder / output)]
        super().refused(*parts, arguments=density if arguments is None else arguments, code=code, **environment)

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

    def test_missing_trace(self):
        self.refused("run.0", "cannot find the file", "SEICHE_TRACE", arguments=["trace", str(self.folder / "run")])

    def test_not_a_trace(self):
        (self.folder / "run.0").write_text("seiche trace 1\nepoch 0\nwork 1 2 three\n")
        self.refused("run.0", "not a trace file", arguments=["trace", str(self.folder / "run")])

    def test_not_a_tuning_file(self):
        file = self.folder / "tuning.json"
        os.mkfifo(self.folder / "pipe")
        for content in ("{", "[1, 2]", '{"dense": 3}', "pipe", "/dev/null"):
            name = {"pipe": str(self.folder / "pipe"), "/dev/null": "/dev/null"}.get(content, str(file))
            if name == str(file):
                file.write_text(content)
            for command in (["tune", "--show"], ["tune", "--grid", "8", "--budget", "0.1"]):
                self.refused(name, "not a tuning file", "SEICHE_TUNING", arguments=command, SEICHE_TUNING=name)
            subprocess.run([*mpiexec, seiche, "bench", "fft", "--grid", "8"], env={**os.environ, "SEICHE_TUNING": name},
                           capture_output=True, check=True)  # plans ignore it

    def test_benchmarks_that_cannot_be(self):
        self.refused("--distribution curve needs positions", "--water", arguments=["bench", "blocksparse", "--deal", "curve"])
        self.refused("--waves is too small", "at least 100", arguments=["bench", "wavefile", "--waves", "2"])

    def test_no_such_library_of_lines(self):
        case = ["bench", "fft", "--grid", "8"]
        self.refused("SEICHE_FFT ('fftpack')", "fftw, mkl, ducc or fastest", arguments=case, SEICHE_FFT="fftpack")
        self.refused("mkl cannot be loaded", "libfftw3-3", arguments=case, SEICHE_FFT="mkl", SEICHE_MKL="/nowhere")
        self.refused("ducc cannot be loaded", "./dev", arguments=case, SEICHE_FFT="ducc", SEICHE_DUCC="/nowhere")
        done = run(*case, environment={"SEICHE_FFT": "fastest", "SEICHE_DUCC": "/nowhere"})
        self.assertEqual(done.returncode, 0, done.stderr)  # the fastest of those that are there

    def test_tuning_cannot_be_kept(self):
        tune = ["tune", "--grid", "8", "--budget", "0.1"]
        self.refused("no path for the tuning file", "SEICHE_TUNING", arguments=tune)
        self.refused("cannot write the tuning file", "SEICHE_TUNING", arguments=tune, SEICHE_TUNING="/proc/seiche/tuning.json")

    def test_tuning_that_cannot_be(self):
        file = {"SEICHE_TUNING": str(self.folder / "tuning.json")}
        self.refused("unknown command 'seiche tune pigeon'", "product, move, boxes", arguments=["tune", "pigeon"], **file)
        self.refused("--distribution curve needs positions", arguments=["tune", "product", "--deal", "curve"], **file)
        self.refused("nowhere.mtx", arguments=["tune", "product", "--files", "nowhere.mtx"], **file)
        self.refused("ranks", arguments=["tune", "move", "--to", "1,5,7"], **file)
        self.refused("ranks", arguments=["tune", "move", "--from", "1,5,7"], **file)
        self.refused("--bands", arguments=["tune", "move", "--bands", "0"], **file)
        self.refused("--grid", arguments=["tune", "boxes"], **file)
        self.refused("a grid of 1 x 5 x 7 boxes does not match", "ranks", arguments=["tune", "boxes", "--grid", "8", "--to", "1,5,7"], **file)
        self.refused("--fields", arguments=["tune", "boxes", "--grid", "8", "--fields", "0"], **file)
        self.refused("cannot write the tuning file", "SEICHE_TUNING", SEICHE_TUNING="/proc/seiche/tuning.json",
                     arguments=["tune", "move", "--bands", "4", "--waves", "100", "--budget", "0.1"])

    def test_settings_that_mean_nothing(self):
        file = self.folder / "tuning.json"
        tune = ["tune", "product", "--blocks", "9", "--budget", "0.05"]
        subprocess.run([*mpiexec, seiche, *tune], env={**os.environ, "SEICHE_TUNING": str(file)}, capture_output=True, check=True)
        case, = json.loads(file.read_text())
        for settings in ({"algorithm": "pigeon"}, {"window": "some"}):  # products ignore them
            file.write_text(json.dumps({case: settings}))
            subprocess.run([*mpiexec, seiche, "bench", "blocksparse", "--blocks", "9"],
                           env={**os.environ, "SEICHE_TUNING": str(file)}, capture_output=True, check=True)

    def test_tuning_of_no_grid(self):
        self.refused("--grid", arguments=["tune"], SEICHE_TUNING=str(self.folder / "tuning.json"))

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
        self.refused("wfc2.dat", "wrong marker at byte 0", "rerun the code")

    def test_wrong_marker_of_a_band(self):
        self.overwrite("wfc1.dat", 52 + 24 + 80 + 12 * 181 + 8, struct.pack("<i", 77))
        self.refused("wfc1.dat", "wrong marker", "rerun the code")

    def test_counts_of_waves_disagree(self):
        self.replace("<npw>181</npw>", "<npw>180</npw>")
        self.refused("wfc1.dat has 181 plane waves", "data-file-schema.xml has 180", "give those of one run")

    def test_counts_of_kpoints_disagree(self):
        self.replace("<nks>8</nks>", "<nks>9</nks>")
        self.refused("data-file-schema.xml", "8 k-points", "nks is 9", "rerun")

    def test_coefficient_is_no_number(self):
        self.overwrite("wfc1.dat", 52 + 24 + 80 + 12 * 181 + 8 + 4 + 160, struct.pack("<d", math.nan))
        self.refused("wfc1.dat", "band 1", "not finite", "rerun")

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
        self.refused("data-file-schema.xml", "at byte", "truncated: copy it again")

    def test_not_a_save_at_all(self):
        self.refused("not a wavefunction file of a known format", "data-file-schema.xml",
                     arguments=["density", str(self.folder / "out"), "-o", str(self.folder / "out/density.cube")])

    def test_unwritable_folder(self):
        self.refused("nowhere/density.cube", "No such file", "choose another path", output="nowhere/density.cube")

    def test_output_is_a_folder(self):
        (self.folder / "out" / "taken.cube").mkdir()
        self.refused("taken.cube", "it is a folder", "choose another name", output="out/taken.cube")

    def test_unknown_ending(self):
        self.refused("density.doc", ".cube, .xsf or .h5", output="out/density.doc")

    def test_format_of_waves_for_a_density(self):
        self.refused("--to applies to wavefunctions only",
                     arguments=["convert", str(self.save), str(self.folder / "out/density.cube"), "--to", "wfn"])

    def test_density_in_a_format_of_waves(self):
        (self.folder / "density.cube").write_text("a\nb\n0 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1.5\n")
        self.refused(".cube, .xsf or .h5",
                     arguments=["convert", str(self.folder / "density.cube"), str(self.folder / "out/density.save")])

    def test_reference_of_another_crystal(self):
        self.refused("charge-density.dat", "another cell", "same crystal",
                     arguments=["density", str(self.save), "-o", str(self.folder / "out/density.cube"), "--compare",
                                str(WATER)])

    def test_reference_is_truncated(self):
        path = self.save / "charge-density.dat"
        path.write_bytes(path.read_bytes()[:-100])
        self.refused("charge-density.dat", "truncated",
                     arguments=["density", str(self.save), "-o", str(self.folder / "out/density.cube"), "--compare",
                                str(self.save)])

    def test_info_of_a_damaged_file(self):
        self.overwrite("wfc2.dat", 0, struct.pack("<i", 77))
        self.refused("wfc2.dat", "wrong marker", arguments=["info", str(self.save)])

    def reassigning(self, *options):
        return ["reassign", str(self.save), str(self.folder / "out/new.save"), *map(str, options)]

    def test_cell_of_another_lattice_type(self):
        self.refused("si.save", "another lattice type", "choose a cell with the same symmetry",
                     arguments=self.reassigning("--cell", WATER))

    def test_cutoff_below_zero(self):
        self.refused("got -3 hartree", "must be positive", arguments=self.reassigning("--ecut", "-3Ha"))

    def test_numbers_that_are_none(self):
        """Each option of a kind has the same check, so that one of each is enough."""
        for cutoff in ("much", "9", "nanRy", "9 Rydberg", "0x10Ry", "1e999Ha"):
            self.refused(f"--ecut {cutoff} is not an energy", "eV, Ry or Ha", arguments=self.reassigning("--ecut", cutoff))
        self.refused("--energies nan is not an energy", arguments=["density", str(self.save), "--energies", "-2eV:nan"])
        self.refused("--energies -2 is not an energy", arguments=["density", str(self.save), "--energies", "-2:0"])
        for value in ("0", "-1", "nan", "inf", "two"):
            self.refused(f"--repeat: the value {value} is invalid: it must be at least 1", arguments=["bench", "fft", "--grid", "8", "--repeat", value])
            self.refused(f"--tolerance: the value {value} is invalid: it must be above 0", arguments=["verify", str(self.save), str(self.save), "--tolerance", value], code=2)
        for words in (["predict", "fft", "--per-node", "0"], ["purify", "k.csr", "s.csr", "--electrons", "2", "--max-iterations", "0"]):
            self.refused(f"{words[-2]}: the value 0 is invalid: it must be at least 1", arguments=words)
        for value in ("nan", "-1", "0", "1e-9", "2X", "1000000000T"):
            self.refused("memory", f"--memory-limit {value}", "64M or 2G",
                         arguments=["purify", "k.csr", "s.csr", "--electrons", "2", "--memory-limit", value])
        self.refused("--memory 1000000000T", "too large",
                     arguments=["density", str(self.save), "-o", str(self.folder / "out/density.cube"), "--memory", "1000000000T"])
        for plane in ("1,0,0@nan", "1,0,0@", "1,0,0@2x"):
            self.refused(f"--plane {plane} is not a plane", arguments=["cut", str(self.save), "--plane", plane, "-o", str(self.folder / "out/a.png")])
        self.refused("is not a line", arguments=["cut", str(self.save), "--line", "0,0,0:nan,0,0"])
        self.refused("--height: the value nan is invalid", arguments=["cut", str(self.save), "--height", "nan"])

    def test_pictures_and_densities_have_their_endings(self):
        for name in ("a.cube", "a.jpg", "a"):
            self.refused(f"--picture {self.folder}/{name} is not the name of a PNG file", "use the ending .png",
                         arguments=["density", str(self.save), "--picture", str(self.folder / name)])
        self.refused("is the name of a picture", "use --picture", output="out/density.png")

    def test_densities_in_place_of_waves(self):
        cube = self.folder / "density.cube"
        cube.write_text("a\nb\n0 0 0 0\n1 1 0 0\n1 0 1 0\n1 0 0 1\n1.5\n")
        for words, code in ((["verify", cube, self.save], 2), (["density", cube], 1)):
            self.refused("holds a density or potential, not wavefunctions", "verify", "difference", arguments=list(map(str, words)), code=code)
        self.refused("leave out --bands and --check", arguments=["info", str(cube), "--check"])
        self.refused("leave out --bands, --occupied and --any-zero", arguments=["verify", str(cube), str(cube), "--any-zero"], code=2)

    def test_launcher_of_another_library(self):
        """As an MPICH launcher starts a command of Open MPI, and the other way round: processes that are alone."""
        done = run("info", self.save, launcher=[], environment={"PMI_SIZE": "2", "PMI_RANK": "0"} if OPEN_MPI else
                   {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, r"the launcher started 2 processes \(\w+_SIZE\), but each is alone for the MPI library of this command")

    def test_basis_of_other_kpoints(self):
        self.refused("si.save", "gamma.save", "different k-points", "--ecut or --cell",
                     arguments=self.reassigning("--like", WATER))

    def test_more_bands_than_there_are(self):
        self.refused("si.save", "has 8 bands, but 9", "Cholesky", arguments=self.reassigning("--bands", 9))

    def test_grid_too_small(self):
        self.refused("does not fit a grid of 6 x 20 x 20", "choose a larger grid",
                     arguments=self.reassigning("--fft", "6,20,20"))

    def test_nothing_to_change(self):
        self.refused("no change requested", "--ecut", arguments=self.reassigning())

    def expanding(self, *options):
        return ["expand", str(self.save), str(self.folder / "out/full.save"), *map(str, options)]

    def change_rotation(self, number, rows):
        path = self.save / "data-file-schema.xml"
        parts = path.read_text().split("<rotation", number + 1)
        head, tail = parts[-1].split(">", 1)
        parts[-1] = head + ">" + rows + "</rotation>" + tail.split("</rotation>", 1)[1]
        path.write_text("<rotation".join(parts))

    def test_operation_does_not_map_the_kpoints(self):
        # The identity and a threefold rotation: the second power is missing.
        path = self.save / "data-file-schema.xml"
        head, tail = path.read_text().split("<symmetry>", 1)
        blocks = ("<symmetry>" + tail).split("<symmetry>")[1:]
        last, rest = blocks[-1].split("</symmetry>", 1)
        blocks[-1] = last + "</symmetry>"

        def order_three(block):
            numbers = [round(float(x)) for x in block.split("<rotation", 1)[1].split(">", 1)[1].split("<", 1)[0].split()]
            rows = [numbers[0:3], numbers[3:6], numbers[6:9]]
            times = lambda a, b: [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]
            unity = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
            return rows != unity and times(rows, times(rows, rows)) == unity

        turn = next(block for block in blocks if order_three(block))
        head = head.replace("<nsym>48</nsym>", "<nsym>2</nsym>")
        path.write_text(head + "<symmetry>" + blocks[0] + "<symmetry>" + turn + rest)
        self.refused("si.save", "which is not in the list", "--operations spglib", arguments=self.expanding())

    def test_operation_is_no_rotation(self):
        self.change_rotation(1, "2 0 0 0 1 0 0 0 1")
        self.refused("determinant 2", "1 or -1", arguments=self.expanding())

    def test_operations_of_another_crystal(self):
        self.change_rotation(1, "1 0 0 0 1 0 0 0 -1")
        self.refused("changes lengths or angles of the lattice", arguments=self.expanding())

    def test_operations_of_magnetic_order_are_not_found(self):
        self.refused("fe_so.save", "magnetic", "use a file that lists its operations",
                     arguments=["expand", str(IRON), str(self.folder / "out/full.save"), "--operations", "spglib"])

    def test_expanded_file_of_no_format(self):
        self.refused("full.doc", "choose one of", "--to",
                     arguments=["expand", str(self.save), str(self.folder / "out/full.doc")])

    def test_unknown_option(self):
        self.refused("--nonsense", "see seiche density --help", arguments=["density", str(self.save), "--nonsense"])
        self.refused("--nonsense", "see seiche bench fft --help", arguments=["bench", "fft", "--grid", "8", "--nonsense"])
        for words, meant in ((["info", "--bnds", "x.csv", "FILE"], "--bands"), (["density", "FILE", "--compre=x"], "--compare"),
                             (["bench", "fft", "--gird", "8"], "--grid"), (["info", "FILE", "--jsno"], "--json")):
            self.refused(f"did you mean {meant}?", arguments=words)
        self.refused("put -- before the program", arguments=["profile", "mpiexec", "-n", "3", "./program"])

    def test_unknown_command(self):
        self.refused("unknown command 'seiche frobnicate'", "use one of info, density", "see seiche --help",
                     arguments=["frobnicate"])
        self.refused("unknown command 'seiche dnesity': did you mean density?", arguments=["dnesity"])
        self.refused("unknown command 'seiche bench frobnicate'", "use one of fft, bands", "see seiche bench --help",
                     arguments=["bench", "frobnicate", "--grid", "8"])

    def test_no_command(self):
        self.refused("seiche --help", arguments=[])

    def test_questions_about_usage_do_not_start_mpi(self):
        """Open MPI does not start without its folder."""
        without = {"OPAL_PREFIX": "/nowhere"}
        for words, code in ((["--version"], 0), (["info", "--help"], 0), (["info", "--bnds"], 1), (["profile", "--help"], 0)):
            done = run(*words, launcher=[], environment=without)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (code, code), done.stderr)
        if OPEN_MPI:
            self.assertNotEqual(run("info", self.save, launcher=[], environment=without).returncode, 0)

    def test_profile_is_not_launched(self):
        done = run("profile", "--", "true", launcher=[], environment={"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("profile starts the program itself: run seiche profile -- mpiexec", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
