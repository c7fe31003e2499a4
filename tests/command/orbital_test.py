# SPDX-License-Identifier: BSD-3-Clause
"""Single orbitals on the grid, judged by sums over the files' own waves."""
import cmath
import json
import math
import pathlib
import re
import struct

from case import IRON, SILICON, WATER, Case, cube, waves_and_band


def direct_sum(waves, coefficients, x, k=(0, 0, 0)):
    """The sum over plane waves at a point, in units of the lattice."""
    return sum(c * cmath.exp(2j * math.pi * sum((p + n) * y for p, n, y in zip(k, g, x))) for g, c in zip(waves, coefficients))


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
            direct = direct_sum(waves, coefficients, (x / nx, y / ny, z / nz), point) / math.sqrt(volume)
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
            direct = direct_sum(*zip(*whole), (x / nx, y / ny, z / nz)) / math.sqrt(volume)
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
        self.assert_close(map(sum, zip(found["up"], found["down"])), cube(self.folder / "both.cube")[0], 1e-14)
        self.refused("choose the component", arguments=("orbital", IRON, "--part", "real", "-o", self.folder / "x.cube"))
        self.refused("no component 1: only spinors", arguments=("orbital", SILICON, "--component", "up", "-o", self.folder / "x.cube"))

    def damaged(self, band):
        """silicon.h5, one bit of a band at the first k-point changed."""
        made = self.folder / "a.h5"
        self.text("convert", SILICON, made)
        content, coefficient = bytearray(made.read_bytes()), waves_and_band(SILICON, 1, band)[1][5]
        at = content.find(struct.pack("<2d", coefficient.real, coefficient.imag))
        self.assertGreater(at, 0)
        content[at + 5] ^= 1
        made.write_bytes(content)
        return made

    def test_a_damaged_band_changes_no_file(self):
        source, out = self.damaged(6), self.folder / "out"
        out.mkdir()
        older = out / "o_b2.cube"
        older.write_text("of an older run")
        self.refused("the checksum of band 6", arguments=("orbital", source, "--bands", "1-8", "--kpoint", 1, "-o", out / "o.cube"))
        self.assertEqual([path.name for path in out.iterdir()], ["o_b2.cube"])
        self.assertEqual(older.read_text(), "of an older run")
        self.text("orbital", source, "--bands", "1-5", "--kpoint", 1, "-o", out / "o.cube")
        self.assertEqual(sorted(path.name for path in out.iterdir()), [f"o_b{band}.cube" for band in range(1, 6)])
        self.assertNotEqual(older.read_text(), "of an older run")

    def test_a_link_is_followed(self):
        (self.folder / "there").mkdir()
        link = self.folder / "link.cube"
        link.symlink_to(self.folder / "there" / "real.cube")
        self.text("orbital", SILICON, "--band", 1, "--kpoint", 1, "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertGreater(cube(self.folder / "there" / "real.cube")[1][0], 1)

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
            direct = direct_sum(waves, coefficients, (x / nx, y / ny, z / nz)) / math.sqrt(volume)
            place = (x * ny + y) * nz + z
            turns.append(complex(real[place], imaginary[place]) / direct)
        self.assertLess(max(abs(turn - turns[0]) for turn in turns), 1e-9)
        self.assertAlmostEqual(abs(turns[0]), 1, delta=1e-10)

    def test_what_cannot_be_drawn_is_refused(self):
        for words, part in ((["-o", "x.png"], "orbitals cannot be written as pictures"), (["-o", "x.txt"], "unknown format"),
                            (["--band", "9", "-o", "x.cube"], "has 8 bands, but no band 9"),
                            (["-o", SILICON / "charge-density.dat"], "would overwrite the input")):
            self.refused(part, arguments=("orbital", SILICON, *words))
