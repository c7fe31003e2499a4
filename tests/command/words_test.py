# SPDX-License-Identifier: BSD-3-Clause
"""What the command says, and names that people give to files and formats: remedies that help, and nothing said that a
file does not say."""
import os
import resource
import unittest

from case import ABINIT, IRON, SILICON, WATER, Case, doubles, mtx, ranks, records, run, told

NAMES = (("a.wfn", "", "BerkeleyGW"), ("A.H5", "", "BerkeleyGW"), ("b", "bgw", "BerkeleyGW"), ("b", "BerkeleyGW", "BerkeleyGW"),
         ("X.WAVECAR", "", "VASP"), ("wavecar", "", "VASP"), ("a.CHECK", "", "CASTEP"), ("a_wfk", "", "ABINIT"), ("A.SAVE", "", "Quantum ESPRESSO"),
         ("c", "WFN", "BerkeleyGW"))
# The library names no option; the command adds it (command/hints.cpp).
HINTS = r"""
convert {cube} {folder}/CHGCAR => state their unit (--unit)
convert {SILICON} {folder}/a.doc => choose one of | (--to)
convert {SILICON} {folder}/b.save --unit eV => --unit applies to values on a grid only
purify {metal} {metal} --electrons 4 => give a temperature (--temperature)
purify {metal} {metal} --electrons 3 => one spin (--one-spin)
density {cube} => holds a density or potential | convert | difference
density {SILICON}/charge-density.dat => holds a density or potential | convert | difference
density {DATA}/abinit/spin/DEN => holds a density or potential | convert | difference
info {within} => the folder contains one: give {within}/x.save
info '' => the name of an input is empty
convert '' {folder}/b.cube => the name of a density is empty
convert {SILICON} {folder}/no/a.h5 => No such file | create the folder first
bench fft --grid 100000 => a grid of 100000 x 100000 x 100000 needs | use a smaller --grid
bench bands --grid 100000 => a grid of 100000 x 100000 x 100000 needs | use a smaller --grid
bench cache --grid 100000 => a grid of 100000 x 100000 x 100000 needs | use a smaller --grid
tune --grid 100000 => needs | use a smaller --grid
"""


class Words(Case):
    def test_names_of_formats(self):
        for name, to, format in NAMES:
            with self.subTest(name=name, to=to):
                self.assertIn(format, self.report("convert", SILICON, self.folder / name, *["--to", to] * bool(to))["format"])

    def test_hints(self):
        cube, metal = self.folder / "rho.cube", mtx(self.folder / "metal.mtx", 4, [f"{i} {i} 1.0D+00" for i in range(1, 5)])
        self.text("convert", SILICON, cube)
        cube.write_text(cube.read_text().replace("electrons per bohr^3, x slowest", "of another program"))
        self.copy(SILICON, "within/x.save")
        self.refuse_all(HINTS, cube=cube, metal=metal, within=self.folder / "within")
        self.assertEqual(self.report("convert", cube, self.folder / "CHGCAR", "--unit", "electrons/bohr3")["units"], "electrons per bohr^3")
        full = self.report("purify", metal, metal, "--electrons", 8)
        self.assertEqual((full["lumo"], round(full["trace"], 9)), (None, 8))

    def test_endings_in_capitals(self):
        total = self.folder / "TOTAL.CUBE"
        self.text("density", SILICON, "-o", total)
        self.assertEqual(self.deviation(SILICON, total), 0)
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
        self.assertIn("Fe, 1 atom in", self.text("info", IRON))

    def test_soundness_of_bands_that_are_not_orthonormal(self):
        """As of ultrasoft pseudopotentials: nothing in the file can say whether they are sound."""
        self.assertIn("<uspp>false</uspp>", (SILICON / "data-file-schema.xml").read_text())
        save = self.copy(SILICON, xml=lambda text: text.replace("<uspp>false</uspp>", "<uspp>true</uspp>"))
        self.assertIsNone(self.report("info", save, "--check")["sound"])
        self.assertIn("orthonormal only with augmentation", self.text("info", save, "--check"))
        self.assertIs(self.report("info", SILICON, "--check")["sound"], True)

    def test_info_of_a_density(self):
        cube = self.folder / "a.cube"
        self.text("density", SILICON, "-o", cube)
        found = self.report("info", cube)
        self.assertEqual((found["units"], found["atoms"], found["components"]), ("electrons per bohr^3", 2, 1))
        self.assertAlmostEqual(found["integrals"][0], 8, delta=1e-6)

    @unittest.skipUnless(ranks == "1", "threads of several processes wait for each other")
    def test_more_threads_than_cores(self):
        """No warning where idle threads sleep."""
        threads = str(len(os.sched_getaffinity(0)) + 1)
        for policy, warned in (("active", True), ("PASSIVE", False)):
            done = run("density", SILICON, "--threads", threads, environment={"OMP_WAIT_POLICY": policy})
            self.assertEqual(done.returncode, 0, told(done))
            self.assertEqual(f"{ranks} processes with {threads} threads each share" in done.stderr, warned, told(done))

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
        waves = self.report("info", ABINIT / "spin" / "WFK")
        self.text("convert", ABINIT / "spin" / "DEN", self.folder / "charge-density.dat")
        mean = doubles(records(self.folder / "charge-density.dat")[3])[0]
        self.assertAlmostEqual(mean * waves["volume"], waves["electrons"], delta=1e-6)

    # What was found

    def test_deviations_apart(self):
        self.text("density", IRON, "-o", self.folder / "fe.cube")
        text = self.text("density", IRON, "--compare", IRON)
        self.assertIn("deviation of density", text)
        self.assertIn("of magnetisation", text)
        self.assertNotIn("another quantity", text)
        text = self.text("density", IRON, "--compare", self.folder / "fe_mz.cube")
        self.assertIn("holds 2.98186 electrons instead of 16", text)
        self.assertIn("another quantity", text)

    def test_cutoffs_in_few_digits(self):
        self.assertIn("11.02479665 hartree", self.text("reassign", SILICON, self.folder / "a.h5", "--ecut", "300eV"))

    def test_order_of_atoms_is_a_loss_only_where_it_changes(self):
        def losses(save, made):
            return [loss for loss in self.report("convert", save, self.folder / made)["losses"] if "atoms" in loss]

        def between(text):
            """Of three atoms, the one in the middle of another element."""
            lines = []
            for line in text.splitlines():
                lines.append(line)
                if "<atom " in line and 'index="1"' in line:
                    lines.append(line.replace('name="Si"', 'name="C"').replace('index="1"', 'index="3"'))
            return "\n".join(lines)

        self.assertFalse(losses(SILICON, "a.check"))
        symbols = [line.split('name="')[1].split('"')[0] for line in (WATER / "data-file-schema.xml").read_text().split("<output")[1].splitlines()
                   if '<atom name="' in line]
        runs = [symbol for i, symbol in enumerate(symbols) if i == 0 or symbols[i - 1] != symbol]
        self.assertEqual(any("sorted by element" in loss for loss in losses(WATER, "b.check")), len(runs) != len(set(runs)), symbols)
        self.assertTrue([loss for loss in losses(self.copy(SILICON, "mixed.save", between), "c.check") if "sorted by element" in loss])

    # Remedies

    def test_number_beyond_all(self):
        for value, said in (("2800000000", "nbnd is too large ("), ("8.5", "nbnd must be an integer")):
            save = self.copy(SILICON, f"{value}.save", lambda text: text.replace("<nbnd>8</nbnd>", f"<nbnd>{value}</nbnd>"))
            self.refused(value, said, "rerun the code", arguments=["info", save])

    def test_folders_that_cannot_be_written_to(self):
        with self.mounted("ro") as disk:
            self.refused("Read-only file system): choose another path", arguments=["convert", SILICON, disk / "a.h5"])

    def test_full_disk(self):
        save = self.copy(SILICON, "big.save")
        (save / "Si.upf").write_bytes(bytes(3 << 20))  # side files are copied
        with self.mounted("size=2m") as disk:
            self.refused("No space left on device", "free some space", arguments=["convert", save, disk / "a.save"])
            (disk / "filling").write_bytes(bytes((2 << 20) - 8192))
            self.refused("No space left on device", "free some space", arguments=["density", SILICON, "--picture", disk / "a.png"])
            self.assertEqual([path.name for path in disk.iterdir()], ["filling"])

    @unittest.skipUnless(ranks == "1", "where some of several processes have no room for MPI, the others wait for them")
    def test_mkl_without_address_space(self):
        """MKL prints and ends the process where it cannot load its parts; FFTW has to take over, or a sentence."""
        case = ["bench", "fft", "--grid", 8, "--repeat", 1]
        mkl = {"SEICHE_FFT": "mkl"}
        if run(*case, environment=mkl).returncode != 0:
            self.skipTest("there is no MKL here")
        tried = 0
        for size in (300, 400, 500, 600, 800):  # at 250 Open MPI itself is at its end, by chance
            options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (size << 20, size << 20))}
            if run(*case, environment={"SEICHE_FFT": "fftw"}, **options).returncode != 0:
                continue  # too little for MPI itself
            done = run(*case, environment=mkl, **options)
            if done.returncode != 0 and "libpmix" not in done.stderr:  # a thread of Open MPI may crash for want of memory
                tried += 1
                self.check_refusal(done, "mkl cannot be loaded", "ulimit -v")
        self.assertGreater(tried, 0)
