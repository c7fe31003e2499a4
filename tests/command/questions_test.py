#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The first questions to a wavefunction file: energies and gaps, some of its states, single orbitals, partial densities. Judged by what the codes printed, and by numpy over the files'
own bytes. questions_test.py SEICHE DATA RANKS MPIEXEC..."""
import cmath
import csv
import itertools
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

seiche, data, ranks, *mpiexec = sys.argv[1:]
DATA = pathlib.Path(data)
SILICON, IRON, WATER = (DATA / name / f"{name}.save" for name in ("si_small", "fe_so", "gamma"))
HARTREE = 27.211386245988


def run(*arguments, launcher=mpiexec):
    return subprocess.run([*launcher, seiche, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def records(path):
    """Of a sequential Fortran file."""
    content, found, at = path.read_bytes(), [], 0
    while at < len(content):
        length = struct.unpack_from("<i", content, at)[0]
        found.append(content[at + 4:at + 4 + length])
        at += length + 8
    return found


def waves_and_band(save, k, band, name="wfc"):
    """Miller indices and coefficients (of spinors up, then down) as they lie in Quantum ESPRESSO's file, counted from 1."""
    parts = records(save / f"{name}{k}.dat")
    numbers = struct.unpack(f"<{len(parts[3]) // 4}i", parts[3])
    values = struct.unpack(f"<{len(parts[3 + band]) // 8}d", parts[3 + band])
    return [numbers[i:i + 3] for i in range(0, len(numbers), 3)], [complex(*values[i:i + 2]) for i in range(0, len(values), 2)]


def cube(path):
    """Values [x][y][z] in a row, and the number of points along each axis."""
    lines = path.read_text().splitlines()
    atoms = int(lines[2].split()[0])
    shape = [int(lines[3 + i].split()[0]) for i in range(3)]
    return [float(x) for line in lines[6 + atoms:] for x in line.split()], shape


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-questions-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def text(self, *arguments, launcher=mpiexec):
        done = run(*arguments, launcher=launcher)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def report(self, *arguments, launcher=mpiexec):
        return json.loads(self.text(*arguments, "--json", launcher=launcher))

    def refused(self, *parts, arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)


class Info(Case):
    # what pw.x 6.7 printed: "highest occupied, lowest unoccupied level (ev)"
    def test_edges_are_those_that_the_code_printed(self):
        for save, occupied, empty in ((SILICON, 6.2914, 7.0549), (WATER, -6.8587, -2.9144)):
            gap = self.report("info", save)["gap"]
            self.assertFalse(gap["metallic"])
            self.assertAlmostEqual(gap["highest_occupied"]["energy"] * HARTREE, occupied, delta=6e-5)
            self.assertAlmostEqual(gap["lowest_empty"]["energy"] * HARTREE, empty, delta=6e-5)
            self.assertAlmostEqual(gap["gap"] * HARTREE, empty - occupied, delta=1.1e-4)

    def test_where_the_gap_of_silicon_is(self):
        found = self.report("info", SILICON)
        gap = found["gap"]
        place = [[gap[edge][word] for word in ("spin", "kpoint", "band")] for edge in ("highest_occupied", "lowest_empty")]
        self.assertEqual(place, [[1, 1, 4], [1, 7, 5]])
        direct = min(point[4] - point[3] for point in found["energies"][0])
        self.assertAlmostEqual(gap["direct_gap"], direct, delta=1e-12)
        self.assertEqual(found["occupations"], [[[1] * 4 + [0] * 4] * 8])
        self.assertEqual([atom["symbol"] for atom in found["atom_list"]], ["Si", "Si"])
        text = self.text("info", SILICON)
        for part in ("Fermi level", "6.2914 eV", "0.7635 eV, indirect, from band 4 at k-point 1 (0.0000 0.0000 0.0000) to band 5 at "
                     "k-point 7", "direct gap", "  k-point 8", "weight 0.093750  200 waves  8.0000 electrons"):
            self.assertIn(part, text)

    def test_metals_and_spins(self):
        self.assertIn("none: bands cross the Fermi level", self.text("info", IRON))
        spin = DATA / "abinit" / "spin" / "WFK.nc"
        found = self.report("info", spin)
        self.assertEqual([len(found["gaps_of_spins"]), len(found["energies"]), found["gap"]["gap"]], [2, 2, 0])
        self.assertIn("gap, spin down", self.text("info", spin))

    def test_bands_as_a_table(self):
        table = self.folder / "bands.csv"
        found = self.report("info", SILICON, "--bands", table)
        self.assertEqual(found["files"], [str(table)])
        with table.open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 64)
        for row in rows:
            k, band = int(row["kpoint"]) - 1, int(row["band"]) - 1
            self.assertEqual(float(row["energy_hartree"]), found["energies"][0][k][band])
            self.assertEqual([float(row[f"k{i}"]) for i in (1, 2, 3)], found["kpoint_list"][k]["k"])
        distances = [float(row["distance"]) for row in rows]
        self.assertEqual(distances, sorted(distances))
        alone = self.folder / "alone.csv"
        self.text("info", SILICON, "--bands", alone, launcher=[])
        self.assertEqual(alone.read_bytes(), table.read_bytes())
        self.refused("would change the input", arguments=("info", SILICON, "--bands", SILICON / "data-file-schema.xml"))


class Selecting(Case):
    def test_bands_and_kpoints_are_those_of_the_source(self):
        made = self.folder / "some.save"
        found = self.report("convert", SILICON, made, "--bands", "2-4,7", "--kpoint", "3,5")
        for part in ("1 occupied band of 4, and with them 2 of 8 electrons", "6 k-points of 8"):
            self.assertTrue([loss for loss in found["losses"] if part in loss], found["losses"])
        for place, k in ((1, 3), (2, 5)):
            ours, theirs = records(made / f"wfc{place}.dat"), records(SILICON / f"wfc{k}.dat")
            self.assertEqual(ours[3:], [theirs[3], *(theirs[3 + band] for band in (2, 3, 4, 7))])
        before, after = self.report("info", SILICON), self.report("info", made)
        self.assertEqual([after["kpoints"], after["bands"], after["mesh"]], [2, 4, [0, 0, 0]])
        for place, k in enumerate((2, 4)):
            for band, energy in zip((1, 2, 3, 6), after["energies"][0][place]):
                self.assertAlmostEqual(energy, before["energies"][0][k][band], delta=1e-12)
        weights = [point["weight"] for point in after["kpoint_list"]]
        self.assertAlmostEqual(sum(weights), 1, delta=1e-12)
        self.assertAlmostEqual(weights[1] / weights[0], 6, delta=1e-9)
        alone = self.folder / "alone.save"
        self.text("convert", SILICON, alone, "--bands", "2-4,7", "--kpoint", "3,5", launcher=[])
        for path in alone.iterdir():
            self.assertEqual(path.read_bytes(), (made / path.name).read_bytes(), path.name)

    def test_any_format_can_be_selected_from(self):
        sources = [self.folder / name for name in ("a.h5", "a.WAVECAR", "a.check", "a_WFK", "b.save")]
        for source in sources:
            options = ["--to", "qe-hdf5"] if source.name == "b.save" else []
            self.text("convert", SILICON, source, *options)
            some, then = self.folder / ("some-" + source.name), self.folder / ("then-" + source.name)
            self.text("convert", source, some, *options, "--bands", "3-8", "--kpoint", "2-8")
            self.text("convert", some, then, *options, "--band", "2,6", "--kpoint", "4")  # a selection of a selection
            once = self.folder / ("once-" + source.name)
            self.text("convert", source, once, *options, "--band", "4,8", "--kpoint", "5")
            self.assertTrue(self.report("verify", then, once)["equal"], source)
            self.assertTrue(self.report("info", once, "--check")["sound"], source)
            want = self.report("info", SILICON)["energies"][0][4]
            have = self.report("info", once)["energies"][0][0]
            self.assertTrue(all(abs(x - y) < 1e-6 for x, y in zip(have, (want[3], want[7]))), source)

    def test_checksums_of_a_selection_are_those_of_its_bands(self):
        source = self.folder / "a.h5"
        self.text("convert", SILICON, source)
        content = bytearray(source.read_bytes())
        at = content.find(records(SILICON / "wfc2.dat")[3 + 6][:64])  # band 6 at k-point 2
        self.assertGreater(at, 0)
        content[at + 3] ^= 1
        source.write_bytes(content)
        self.text("convert", source, self.folder / "b.h5", "--bands", "1-5,7")
        self.text("convert", source, self.folder / "c.h5", "--bands", "6", "--kpoint", "1,3-8")
        self.refused("the checksum of band 6 is wrong", arguments=("convert", source, self.folder / "d.h5", "--bands", "2,6,8"))

    def test_one_spin(self):
        spin, made = DATA / "abinit" / "spin" / "WFK.nc", self.folder / "down.h5"
        found = self.report("convert", spin, made, "--spin", "down")
        self.assertIn("the bands of spin up; the others are written as those of a crystal without spins", found["losses"])
        before, after = self.report("info", spin), self.report("info", made)
        self.assertEqual([after["spins"], after["magnetism"]], [1, "none"])
        for ours, theirs in zip(itertools.chain(*after["energies"][0]), itertools.chain(*before["energies"][1])):
            self.assertAlmostEqual(ours, theirs, delta=1e-12)

    def test_what_is_not_there_is_refused(self):
        convert = lambda *options: ("convert", SILICON, self.folder / "x.h5", *options)
        for words, part in ((["--bands", "9"], "has 8 bands, and no band 9"), (["--kpoint", "3-12"], "has 8 k-points, and no k-point 9"),
                            (["--spin", "down"], "has 1 spins, and no spin 2"), (["--spin", "left"], "give up or down"),
                            (["--bands", "3-1"], "give some such as 1-10,12"), (["--bands", "0"], "counted from 1"),
                            (["--kpoint", "1,,2"], "--kpoint 1,,2 are no numbers")):
            self.refused(part, arguments=convert(*words))
        density = self.folder / "a.cube"
        self.text("density", SILICON, "-o", density)
        self.refused("a density has no bands", arguments=("convert", density, self.folder / "b.cube", "--bands", "1"))
        self.assertFalse((self.folder / "x.h5").exists())


class Orbitals(Case):
    def parts(self, save, *options):
        """Each part on the grid."""
        found = {}
        for part in ("density", "real", "imaginary", "magnitude", "phase"):
            path = self.folder / f"{part}.cube"
            self.report("orbital", save, *options, "--part", part, "-o", path)
            found[part], shape = cube(path)
        return found, shape

    def expect_parts(self, save, k, band, waves, coefficients, options=()):
        parts, (nx, ny, nz) = self.parts(save, "--band", band, "--kpoint", k, *options)
        info = self.report("info", save)
        point, volume = info["kpoint_list"][k - 1]["k"], info["volume"]
        psi = [complex(re, im) for re, im in zip(parts["real"], parts["imaginary"])]
        for value, density, magnitude, phase in zip(psi, parts["density"], parts["magnitude"], parts["phase"]):
            self.assertAlmostEqual(abs(value) ** 2, density, delta=1e-13)
            self.assertAlmostEqual(abs(value), magnitude, delta=1e-13)
            self.assertLess(abs(cmath.rect(magnitude, phase) - value), 1e-12)
        turns = []
        for x, y, z in ((0, 0, 0), (1, 2, 3), (nx - 1, 4, 7), (5, ny - 2, nz - 3), (7, 7, 2)):
            direct = sum(c * cmath.exp(2j * math.pi * ((point[0] + g[0]) * x / nx + (point[1] + g[1]) * y / ny + (point[2] + g[2]) * z / nz))
                         for g, c in zip(waves, coefficients)) / math.sqrt(volume)
            here = psi[(x * ny + y) * nz + z]
            self.assertAlmostEqual(abs(direct), abs(here), delta=1e-12)
            if abs(direct) > 1e-3:
                turns.append(here / direct)
        self.assertGreater(len(turns), 1)
        self.assertLess(max(abs(turn - turns[0]) for turn in turns), 1e-9)
        squares = sum(value * value for value in psi)  # the rule of the phase
        self.assertLess(abs(squares.imag), 1e-9 * abs(squares) + 1e-9)
        self.assertGreaterEqual(squares.real, -1e-9)
        largest = max(abs(value.real) for value in psi)
        order = sorted((z, y, x) for x in range(nx) for y in range(ny) for z in range(nz)
                       if abs(psi[(x * ny + y) * nz + z].real) >= largest * (1 - 1e-6))
        z, y, x = order[0]
        self.assertGreater(psi[(x * ny + y) * nz + z].real, 0)

    def test_orbitals_are_the_sums_of_their_waves(self):
        for k, band in ((1, 1), (2, 3), (7, 5), (8, 8)):
            with self.subTest(k=k, band=band):
                self.expect_parts(SILICON, k, band, *waves_and_band(SILICON, k, band))

    def test_half_spheres_are_the_sums_of_both_halves(self):
        waves, half = waves_and_band(WATER, 1, 4)
        whole = list(zip(waves, half)) + [((-g[0], -g[1], -g[2]), c.conjugate()) for g, c in zip(waves, half) if tuple(g) != (0, 0, 0)]
        self.text("orbital", WATER, "--band", 4, "--part", "real", "-o", self.folder / "w.cube")
        values, (nx, ny, nz) = cube(self.folder / "w.cube")
        volume, signs = self.report("info", WATER)["volume"], []
        for x, y, z in ((1, 2, 3), (20, 21, 19), (30, 5, 40), (22, 24, 20)):
            direct = sum(c * cmath.exp(2j * math.pi * (g[0] * x / nx + g[1] * y / ny + g[2] * z / nz)) for g, c in whole) / math.sqrt(volume)
            here = values[(x * ny + y) * nz + z]
            self.assertAlmostEqual(abs(direct), abs(here), delta=1e-12)
            if abs(here) > 1e-3:
                signs.append(direct.real * here > 0)
        self.assertEqual(len(set(signs)), 1, signs)

    def test_a_component_of_a_spinor(self):
        waves, both = waves_and_band(IRON, 3, 6)
        found = {}
        for component, coefficients in (("up", both[:len(waves)]), ("down", both[len(waves):])):
            path = self.folder / f"{component}.cube"
            self.text("orbital", IRON, "--band", 6, "--kpoint", 3, "--component", component, "-o", path)
            found[component], _ = cube(path)
            share = sum(abs(c) ** 2 for c in coefficients)
            mean = sum(found[component]) / len(found[component]) * self.report("info", IRON)["volume"]
            self.assertAlmostEqual(mean, share, delta=1e-12)
        self.text("orbital", IRON, "--band", 6, "--kpoint", 3, "-o", self.folder / "both.cube")
        for up, down, all_of_it in zip(found["up"], found["down"], cube(self.folder / "both.cube")[0]):
            self.assertAlmostEqual(up + down, all_of_it, delta=1e-14)
        self.refused("say of which component", arguments=("orbital", IRON, "--part", "real", "-o", self.folder / "x.cube"))
        self.refused("no component 1; only spinors", arguments=("orbital", SILICON, "--component", "up", "-o", self.folder / "x.cube"))

    def test_a_damaged_band_leaves_no_file(self):
        made, orbital = self.folder / "a.h5", self.folder / "o.cube"
        self.text("convert", SILICON, made)
        content, coefficient = bytearray(made.read_bytes()), waves_and_band(SILICON, 1, 2)[1][5]
        at = content.find(struct.pack("<2d", coefficient.real, coefficient.imag))
        self.assertGreater(at, 0)
        content[at + 5] ^= 1
        made.write_bytes(content)
        self.refused("the checksum of band 2", arguments=("orbital", made, "--band", 2, "--kpoint", 1, "-o", orbital))
        self.assertFalse(orbital.exists())

    def test_functions_that_can_be_real_are(self):
        for save, options in ((WATER, ["--band", 2]), (SILICON, ["--band", 1, "--kpoint", 1]), (SILICON, ["--band", 1, "--kpoint", 3])):
            self.text("orbital", save, *options, "--part", "imaginary", "-o", self.folder / "i.cube")
            self.assertLess(max(map(abs, cube(self.folder / "i.cube")[0])), 1e-8)

    def test_files_do_not_depend_on_the_ranks(self):
        for save, options in ((SILICON, ["--bands", "3-5", "--kpoint", "2,8"]), (IRON, ["--bands", "2,9", "--kpoint", "2", "--component", "down"]),
                              (WATER, ["--bands", "4-5"])):
            for part, ending in (("real", "cube"), ("phase", "xsf"), ("density", "h5")):
                here, there = self.folder / f"here.{ending}", self.folder / f"there.{ending}"
                found = self.report("orbital", save, *options, "--part", part, "-o", here)
                self.text("orbital", save, *options, "--part", part, "-o", there, launcher=[])
                for path in map(pathlib.Path, found["files"]):
                    self.assertEqual(path.read_bytes(), (self.folder / path.name.replace("here", "there")).read_bytes(), path.name)
        names = [path.name for path in sorted(self.folder.glob("here*.cube"))]
        self.assertEqual(names, ["here_b2.cube", "here_b4.cube", "here_b5.cube", "here_b9.cube",
                                 *(f"here_k{k}_b{b}.cube" for k in (2, 8) for b in (3, 4, 5))])
        self.assertEqual(json.loads(self.text("info", SILICON, "--json"))["energies"][0][1][3 - 1],
                         self.report("orbital", SILICON, "--band", 3, "--kpoint", 2, "-o", self.folder / "e.h5")["orbitals"][0]["energy"])

    def test_without_the_bloch_wave(self):
        waves, coefficients = waves_and_band(SILICON, 5, 2)
        for part in ("real", "imaginary"):
            self.text("orbital", SILICON, "--band", 2, "--kpoint", 5, "--periodic", "--part", part, "-o", self.folder / f"{part}.cube")
        (real, (nx, ny, nz)), (imaginary, _) = (cube(self.folder / f"{part}.cube") for part in ("real", "imaginary"))
        volume = self.report("info", SILICON)["volume"]
        turns = []
        for x, y, z in ((1, 2, 3), (5, 9, 11), (14, 3, 8)):
            direct = sum(c * cmath.exp(2j * math.pi * (g[0] * x / nx + g[1] * y / ny + g[2] * z / nz))
                         for g, c in zip(waves, coefficients)) / math.sqrt(volume)
            place = (x * ny + y) * nz + z
            turns.append(complex(real[place], imaginary[place]) / direct)
        self.assertLess(max(abs(turn - turns[0]) for turn in turns), 1e-9)
        self.assertAlmostEqual(abs(turns[0]), 1, delta=1e-10)

    def test_what_cannot_be_drawn_is_refused(self):
        for words, part in ((["-o", "x.png"], "an orbital is not drawn"), (["-o", "x.txt"], "should end in"),
                            (["--band", "9", "-o", "x.cube"], "has 8 bands, and no band 9"),
                            (["-o", SILICON / "charge-density.dat"], "would change the input")):
            self.refused(part, arguments=("orbital", SILICON, *words))


class PartialDensities(Case):
    def density(self, *options, save=SILICON):
        path = self.folder / "d.cube"
        found = self.report("density", save, *options, "-o", path)
        return cube(path)[0], found

    def test_one_state(self):
        part, found = self.density("--band", 3, "--kpoint", 2, "--no-symmetry")
        self.text("orbital", SILICON, "--band", 3, "--kpoint", 2, "-o", self.folder / "o.cube")
        weight = 2 * self.report("info", SILICON)["kpoint_list"][1]["weight"]
        for x, y in zip(part, cube(self.folder / "o.cube")[0]):
            self.assertAlmostEqual(x, weight * y, delta=1e-13)
        self.assertEqual(found["states"], 1)
        self.assertAlmostEqual(found["electrons"], weight, delta=1e-12)

    def test_all_occupied_states_make_the_density(self):
        self.assertLessEqual(self.report("density", WATER, "--bands", "1-4", "--compare", WATER)["max_relative_deviation"], 1e-12)
        for options in (["--bands", "1-4"], ["--energies", "-100eV:0eV"], ["--energies", ":0"]):
            found = self.report("density", SILICON, *options, "--compare", SILICON)
            self.assertLessEqual(found["max_relative_deviation"], 1e-12)
            self.assertEqual(found["states"], 32)
        self.assertEqual(found["energy_zero"]["is"], "the highest occupied state")
        self.assertAlmostEqual(found["energy_zero"]["energy"] * HARTREE, 6.2914, delta=6e-5)

    def test_empty_states_count_as_full_ones(self):
        low, _ = self.density("--bands", "1-4")
        high, found = self.density("--bands", "5-8")
        self.assertAlmostEqual(found["electrons"], 8, delta=1e-10)
        both, _ = self.density("--bands", "1-8")
        for x, y, z in zip(low, high, both):
            self.assertAlmostEqual(x + y, z, delta=1e-13)

    def test_energies_of_a_window(self):
        info = self.report("info", SILICON)
        top = info["gap"]["highest_occupied"]["energy"]
        inside = [e for point in info["energies"][0] for e in point if top - 2 / HARTREE <= e <= top + 1 / HARTREE]
        found = self.report("density", SILICON, "--energies", "-2eV:1eV")
        self.assertEqual(found["states"], len(inside))
        self.assertEqual(self.report("density", SILICON, "--energies", "-2eV:1eV", "--bands", "5-8")["states"],
                         sum(1 for point in info["energies"][0] for e in point[4:] if e <= top + 1 / HARTREE))
        self.assertEqual(self.report("density", IRON, "--energies", "-1eV:1eV", "--as-they-are")["energy_zero"]["is"], "the Fermi level")

    def test_without_symmetry_atoms_may_differ(self):
        one, _ = self.density("--band", 4, "--kpoint", 5)
        plain, _ = self.density("--band", 4, "--kpoint", 5, "--no-symmetry")
        self.assertGreater(max(abs(x - y) for x, y in zip(one, plain)), 1e-4)
        alone = self.folder / "alone.cube"
        self.text("density", SILICON, "--band", 4, "--kpoint", 5, "-o", alone, launcher=[])
        self.text("density", SILICON, "--band", 4, "--kpoint", 5, "-o", self.folder / "d.cube")
        self.assertEqual(alone.read_bytes(), (self.folder / "d.cube").read_bytes())

    def test_what_is_no_choice_is_refused(self):
        for words, part in ((["--energies", "2"], "is no range"), (["--energies", "a:b"], "--energies a is no energy"),
                            (["--energies", "900eV:"], "has no states there"), (["--bands", "12"], "no band 12")):
            self.refused(part, arguments=("density", SILICON, *words))


class Averages(Case):
    def expect_averages(self, source, values, shape, distance):
        """`distance`: of neighbouring planes along each axis."""
        nx, ny, nz = shape
        for axis, word in enumerate("abc"):
            table = self.folder / "t.csv"
            found = self.report("average", source, "--axis", word, "--macroscopic", 3.7, "-o", table)
            sums = [0.0] * shape[axis]
            for x, y, z in itertools.product(range(nx), range(ny), range(nz)):
                sums[(x, y, z)[axis]] += values[(x * ny + y) * nz + z]
            means = [value * shape[axis] / (nx * ny * nz) for value in sums]
            self.assertEqual(found["columns"][:2], ["distance_bohr", "average"])
            self.assertEqual(len(found["rows"]), shape[axis])
            for place, (row, mean) in enumerate(zip(found["rows"], means)):
                self.assertAlmostEqual(row[0], place * distance[axis], delta=1e-10)
                self.assertAlmostEqual(row[1], mean, delta=1e-12)
                self.assertAlmostEqual(row[len(row) // 2 + 1], self.running_mean(means, place, 3.7 / distance[axis]), delta=1e-4 * max(map(abs, means)))
            with table.open() as file:
                self.assertEqual([[float(x) for x in row] for row in list(csv.reader(file))[1:]], found["rows"])
            alone = self.folder / "alone.csv"
            self.text("average", source, "--axis", word, "--macroscopic", 3.7, "-o", alone, launcher=[])
            self.assertEqual(alone.read_bytes(), table.read_bytes())

    def running_mean(self, means, place, length):
        """By many small steps."""
        n, steps, total = len(means), 4000, 0
        for i in range(steps):
            at = place + length * ((i + 0.5) / steps - 0.5)
            low = math.floor(at)
            total += means[low % n] * (1 - at + low) + means[(low + 1) % n] * (at - low)
        return total / steps

    def test_planes_and_running_means(self):
        path = self.folder / "water.cube"
        self.text("density", WATER, "-o", path)
        values, shape = cube(path)
        cell = self.report("info", WATER)["cell"]
        self.assertEqual([cell[0][1], cell[1][2], cell[2][0]], [0, 0, 0])
        self.expect_averages(path, values, shape, [cell[i][i] / shape[i] for i in range(3)])

    def test_means_of_a_period_are_the_mean_of_all(self):
        found = self.report("average", SILICON, "--axis", "b", "--macroscopic", 270.2562 / (10.2631 ** 2 * math.sqrt(3) / 4))
        means = [row[2] for row in found["rows"]]
        self.assertAlmostEqual(max(means), min(means), delta=1e-6)
        self.assertAlmostEqual(means[0], 8 / 270.2562, delta=1e-5)

    def test_a_density_minus_another(self):
        path = self.folder / "half.cube"
        self.text("density", SILICON, "--bands", "1-2", "-o", path)
        rest = self.report("average", SILICON, "--minus", path)["rows"]
        self.text("density", SILICON, "--bands", "3-4", "-o", path)
        for row, other in zip(rest, self.report("average", path)["rows"]):
            self.assertAlmostEqual(row[1], other[1], delta=1e-12)
        self.assertIn("electrons per bohr^3, over bohr", self.text("average", SILICON))

    def test_a_magnetisation_has_columns(self):
        found = self.report("average", IRON)
        self.assertEqual(found["columns"], ["distance_bohr", "average", "component_1", "component_2", "component_3"])

    def test_what_cannot_be_averaged_is_refused(self):
        for words, part in (([SILICON, "--macroscopic", "-1"], "a mean over -1 bohr cannot be"), ([SILICON, "--axis", "d"], "--axis"),
                            ([SILICON, "--minus", WATER / "charge-density.dat"], "another cell"),
                            ([self.folder / "none.cube"], "cannot find")):
            self.refused(part, arguments=("average", *words))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
