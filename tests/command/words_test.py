#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the command says, and names that people give to files and formats: remedies that help, and nothing said that a
file does not say. words_test.py SEICHE DATA RANKS MPIEXEC..."""
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from case import DATA, IRON, SILICON, ranks, run



def mounted(kind, *options):
    """Whether a file system could be mounted, which only root can do, and not everywhere."""
    return os.geteuid() == 0 and subprocess.run(["mount", "-t", kind, *map(str, options)], capture_output=True).returncode == 0


class Words(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-words-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def text(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def report(self, *arguments):
        return json.loads(self.text(*arguments, "--json"))

    def refused(self, *parts, arguments, environment=None, **options):
        self.check_refusal(run(*arguments, environment=environment, **options), *parts)

    def check_refusal(self, done, *parts):
        self.assertEqual(done.returncode, 1, done.stderr)
        ours = [line for line in done.stderr.splitlines() if line.startswith("seiche: ") and "not kept: " not in line]
        self.assertEqual(len(ours), 1, done.stderr)
        for part in parts:
            self.assertIn(part, ours[0])
        self.assertEqual(done.stdout, "")

    # Names

    def test_names_of_formats(self):
        for name, options, format in (("a.wfn", [], "BerkeleyGW"), ("A.H5", [], "BerkeleyGW"), ("b", ["--to", "bgw"], "BerkeleyGW"),
                                      ("b", ["--to", "BerkeleyGW"], "BerkeleyGW"), ("X.WAVECAR", [], "VASP"),
                                      ("wavecar", [], "VASP"), ("a.CHECK", [], "CASTEP"), ("a_wfk", [], "ABINIT"),
                                      ("A.SAVE", [], "Quantum ESPRESSO"), ("c", ["--to", "WFN"], "BerkeleyGW")):
            with self.subTest(name=name, options=options):
                self.assertIn(format, self.report("convert", SILICON, self.folder / name, *options)["format"])

    def test_options_follow_the_remedies_of_the_library(self):
        """The library names no option; the command adds it (command/hints.cpp)."""
        cube = self.folder / "rho.cube"
        run("convert", SILICON, cube)
        cube.write_text(cube.read_text().replace("electrons per bohr^3, x slowest", "of another program"))
        self.refused("state their unit (--unit)", arguments=("convert", cube, self.folder / "CHGCAR"))
        self.refused("choose one of", "(--to)", arguments=("convert", SILICON, self.folder / "a.doc"))
        found = self.report("convert", cube, self.folder / "CHGCAR", "--unit", "electrons/bohr3")
        self.assertEqual(found["units"], "electrons per bohr^3")
        self.refused("--unit applies to values on a grid only", arguments=("convert", SILICON, self.folder / "b.save", "--unit", "eV"))
        metal = self.folder / "metal.mtx"
        metal.write_text("%%MatrixMarket matrix coordinate real general\n4 4 4\n" + "".join(f"{i} {i} 1.0D+00\n" for i in range(1, 5)))
        self.refused("give a temperature (--temperature)", arguments=("purify", metal, metal, "--electrons", 4))
        self.refused("one spin (--one-spin)", arguments=("purify", metal, metal, "--electrons", 3))
        full = self.report("purify", metal, metal, "--electrons", 8)
        self.assertEqual((full["lumo"], round(full["trace"], 9)), (None, 8))

    def test_endings_in_capitals(self):
        total = self.folder / "TOTAL.CUBE"
        self.text("density", SILICON, "-o", total)
        self.assertEqual(self.report("density", SILICON, "--compare", total)["max_relative_deviation"], 0)
        self.text("convert", total, self.folder / "b.XSF")
        self.assertTrue((self.folder / "b.XSF").read_text().startswith("# Seiche"))
        self.text("density", SILICON, "--picture", self.folder / "A.PNG")

    # What a file is

    def test_info_of_a_file_without_atoms(self):
        wavecar = self.folder / "WAVECAR"
        self.text("convert", SILICON, wavecar)
        text = self.text("info", wavecar)
        for part in ("neither atoms nor symmetry operations", "not in the file: smallest grid for the cutoff",
                     "not in the file: assumed as four times"):
            self.assertIn(part, text)
        for part in (", 0 atoms", "1 symmetry operations", "crystal             ,"):
            self.assertNotIn(part, text)
        self.assertEqual(self.report("info", wavecar)["assumed"], ["symmetries", "density_cutoff_hartree", "grid"])
        self.assertEqual(self.report("info", SILICON)["assumed"], [])
        self.assertIn("Si2, 2 atoms in", self.text("info", SILICON))

    def test_info_of_one_atom(self):
        self.assertIn("Fe, 1 atom in", self.text("info", IRON))

    def test_soundness_of_bands_that_are_not_orthonormal(self):
        """As of ultrasoft pseudopotentials: nothing in the file can say whether they are sound."""
        save = self.folder / "soft.save"
        shutil.copytree(SILICON, save)
        schema = save / "data-file-schema.xml"
        text = schema.read_text()
        self.assertIn("<uspp>false</uspp>", text)
        schema.write_text(text.replace("<uspp>false</uspp>", "<uspp>true</uspp>"))
        self.assertIsNone(self.report("info", save, "--check")["sound"])
        self.assertIn("orthonormal only with augmentation", self.text("info", save, "--check"))
        self.assertIs(self.report("info", SILICON, "--check")["sound"], True)

    def test_hints(self):
        cube = self.folder / "a.cube"
        self.text("density", SILICON, "-o", cube)
        for path in (cube, SILICON / "charge-density.dat", DATA / "abinit" / "spin" / "DEN"):
            self.refused("holds a density or potential", "convert", "difference", arguments=["density", path])
        found = self.report("info", cube)
        self.assertEqual((found["units"], found["atoms"], found["components"]), ("electrons per bohr^3", 2, 1))
        self.assertAlmostEqual(found["integrals"][0], 8, delta=1e-6)
        shutil.copytree(SILICON, self.folder / "x.save")
        self.refused("the folder contains one: give " + str(self.folder / "x.save"), arguments=["info", self.folder])
        self.refused("the name of an input is empty", arguments=["info", ""])
        self.refused("the name of a density is empty", arguments=["convert", "", self.folder / "b.cube"])

    @unittest.skipUnless(ranks == "1", "threads of several processes wait for each other")
    def test_more_threads_than_cores(self):
        """No warning where idle threads sleep."""
        threads = str(len(os.sched_getaffinity(0)) + 1)
        for policy, warned in (("active", True), ("PASSIVE", False)):
            done = run("density", SILICON, "--threads", threads, environment={"OMP_WAIT_POLICY": policy})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(f"{ranks} processes with {threads} threads each share" in done.stderr, warned, done.stderr)

    def test_tables_and_pictures_have_names_and_units(self):
        lines = self.text("cut", SILICON, "--line", "0,0,0:0.5,0.5,0.5").splitlines()
        self.assertEqual(lines[1].split(), ["distance_bohr", "x", "y", "z", "value"])
        self.assertEqual(len(lines[2].split()), 5)
        for component, units in ((0, "electrons per bohr^3"), (3, "Bohr magnetons per bohr^3")):
            found = self.report("density", IRON, "--picture", self.folder / "a.png", "--component", component)
            self.assertEqual(found["picture"]["units"], units)

    def test_help_names_all_codes(self):
        for command in ("info", "density", "convert", "expand", "reassign"):
            text = " ".join(self.text(command, "--help").split())
            for code in ("Quantum ESPRESSO", "WAVECAR", "CASTEP", "ABINIT", "BerkeleyGW"):
                self.assertIn(code, text, command)

    def test_density_of_abinit_for_quantum_espresso(self):
        """The first number of charge-density.dat, that of G = 0, is the electrons over the volume."""
        folder = DATA / "abinit" / "spin"
        waves = self.report("info", folder / "WFK")
        self.text("convert", folder / "DEN", self.folder / "charge-density.dat")
        content = (self.folder / "charge-density.dat").read_bytes()
        numbers = struct.unpack_from("<3i", content, 4)[1]
        values = 20 + 80 + 8 + 12 * numbers + 4  # behind the records of sizes, of vectors, and of waves
        self.assertAlmostEqual(struct.unpack_from("<d", content, values)[0] * waves["volume"], waves["electrons"], delta=1e-6)

    # What was found

    def test_deviations_apart(self):
        cube = self.folder / "fe.cube"
        self.text("density", IRON, "-o", cube)
        text = self.text("density", IRON, "--compare", IRON)
        self.assertIn("deviation of density", text)
        self.assertIn("of magnetisation", text)
        self.assertNotIn("another quantity", text)

    def test_comparison_with_another_quantity(self):
        cube = self.folder / "fe.cube"
        self.text("density", IRON, "-o", cube)
        text = self.text("density", IRON, "--compare", self.folder / "fe_mz.cube")
        self.assertIn("holds 2.98186 electrons instead of 16", text)
        self.assertIn("another quantity", text)

    def test_cutoffs_in_few_digits(self):
        text = self.text("reassign", SILICON, self.folder / "a.h5", "--ecut", "300eV")
        self.assertIn("11.02479665 hartree", text)

    def test_order_of_atoms_is_a_loss_only_where_it_changes(self):
        self.assertFalse([loss for loss in self.report("convert", SILICON, self.folder / "a.check")["losses"] if "atoms" in loss])
        save = self.folder / "mixed.save"
        water = DATA / "gamma" / "gamma.save"
        losses = self.report("convert", water, self.folder / "b.check")["losses"]
        symbols = [line.split('name="')[1].split('"')[0] for line in (water / "data-file-schema.xml").read_text().split("<output")[1].splitlines()
                   if '<atom name="' in line]
        runs = [symbol for i, symbol in enumerate(symbols) if i == 0 or symbols[i - 1] != symbol]
        self.assertEqual(any("sorted by element" in loss for loss in losses), len(runs) != len(set(runs)), symbols)
        shutil.copytree(SILICON, save)  # of three atoms, the one in the middle of another element
        schema = save / "data-file-schema.xml"
        lines = []
        for line in schema.read_text().splitlines():
            lines.append(line)
            if "<atom " in line and 'index="1"' in line:
                lines.append(line.replace('name="Si"', 'name="C"').replace('index="1"', 'index="3"'))
        schema.write_text("\n".join(lines))
        self.assertTrue([loss for loss in self.report("convert", save, self.folder / "c.check")["losses"] if "sorted by element" in loss])

    # Remedies

    def test_number_beyond_all(self):
        save = self.folder / "a.save"
        shutil.copytree(SILICON, save)
        schema = save / "data-file-schema.xml"
        for value, said in (("2800000000", "nbnd is too large ("), ("8.5", "nbnd must be an integer")):
            schema.write_text((SILICON / "data-file-schema.xml").read_text().replace("<nbnd>8</nbnd>", f"<nbnd>{value}</nbnd>"))
            self.refused(value, said, "rerun the code", arguments=["info", save])

    def test_folders_that_cannot_be_written_to(self):
        self.refused("No such file", "create the folder first", arguments=["convert", SILICON, self.folder / "no" / "a.h5"])
        disk = self.folder / "disk"
        disk.mkdir()
        if not mounted("tmpfs", "-o", "ro", "tmpfs", disk):
            self.skipTest("a file system that can only be read cannot be mounted here")
        try:
            self.refused("Read-only file system): choose another path", arguments=["convert", SILICON, disk / "a.h5"])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        save = self.folder / "big.save"
        shutil.copytree(SILICON, save)
        with open(save / "Si.upf", "wb") as file:  # side files are copied
            file.write(bytes(3 << 20))
        if not mounted("tmpfs", "-o", "size=2m", "tmpfs", disk):
            self.skipTest("a small file system cannot be mounted here")
        try:
            self.refused("No space left on device", "free some space", arguments=["convert", save, disk / "a.save"])
            self.assertEqual(list(disk.iterdir()), [])
            (disk / "filling").write_bytes(bytes((2 << 20) - 8192))
            self.refused("No space left on device", "free some space",
                         arguments=["density", SILICON, "--picture", disk / "a.png"])
            self.assertEqual([path.name for path in disk.iterdir()], ["filling"])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_grid_beyond_all_memory(self):
        for case in (["fft", "--grid", 100000], ["bands", "--grid", 100000], ["cache", "--grid", 100000]):
            self.refused("a grid of 100000 x 100000 x 100000 needs", "use a smaller --grid", arguments=["bench", *case])
        self.refused("needs", "use a smaller --grid", arguments=["tune", "--grid", 100000])

    def test_mkl_without_address_space(self):
        """MKL prints and ends the process where it cannot load its parts; FFTW has to take over, or a sentence."""
        if ranks != "1":
            self.skipTest("for one process: where some of several have no room for MPI, the others wait for them")
        case = ["bench", "fft", "--grid", 8, "--repeat", 1]
        mkl = {"SEICHE_FFT": "mkl"}
        if run(*case, environment=mkl).returncode != 0:
            self.skipTest("there is no MKL here")

        def limited(size):
            return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))

        tried = 0
        for size in (300, 400, 500, 600, 800):  # at 250 Open MPI itself is at its end, by chance
            options = {"preexec_fn": limited(size << 20)}
            if run(*case, environment={"SEICHE_FFT": "fftw"}, **options).returncode != 0:
                continue  # too little for MPI itself
            done = run(*case, environment=mkl, **options)
            if done.returncode != 0 and "libpmix" not in done.stderr:  # a thread of Open MPI may crash for want of memory
                tried += 1
                self.check_refusal(done, "mkl cannot be loaded", "ulimit -v")
        self.assertGreater(tried, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
