# SPDX-License-Identifier: BSD-3-Clause
"""Cuts of densities, judged by sums over the plane waves of Quantum ESPRESSO's own file."""
import cmath
import csv
import math
import struct

from case import IRON, SILICON, WATER, Case, records


def density_at(save, component=0):
    """The function of a point (units of the lattice) whose plane waves the file has."""
    parts = records(save / "charge-density.dat")
    half, count, _ = struct.unpack("<3i", parts[0])
    waves, values = struct.unpack(f"<{3 * count}i", parts[2]), struct.unpack(f"<{2 * count}d", parts[3 + component])
    terms = [(waves[3 * n:3 * n + 3], complex(*values[2 * n:2 * n + 2]) * (2 if half and n > 0 else 1)) for n in range(count)]
    return lambda x: sum(c * cmath.exp(2j * math.pi * sum(g * y for g, y in zip(wave, x))) for wave, c in terms).real


class Cuts(Case):
    def rows(self, path):
        with path.open() as file:
            return [[float(x) for x in row] for row in list(csv.reader(file))[1:]]

    def test_a_line_is_the_sum_of_waves(self):
        for save, components in ((SILICON, (0,)), (WATER, (0,)), (IRON, (0, 3))):
            table = self.folder / "l.csv"
            found = self.report("cut", save, "--line", "0.1,0,-0.2:0.45,0.8,1.3", "--points", 7, "-o", table)
            cell = self.report("info", save)["cell"]
            length = math.dist([0] * 3, [sum(d * cell[i][j] for i, d in enumerate((0.35, 0.8, 1.5))) for j in range(3)])
            self.assertEqual(found["columns"][:5], ["distance_bohr", "x", "y", "z", "value"])
            self.assertEqual(self.rows(table), found["rows"])
            self.assertEqual(len(found["rows"]), 7)
            for component in components:
                at = density_at(save, component)
                for n, row in enumerate(found["rows"]):
                    self.assertAlmostEqual(row[0], length * n / 6, delta=1e-9)
                    for i, (start, way) in enumerate(((0.1, 0.35), (0, 0.8), (-0.2, 1.5))):
                        self.assertAlmostEqual(row[1 + i], start + way * n / 6, delta=1e-12)
                    self.assertAlmostEqual(row[4 + component], at(row[1:4]), delta=1e-12)

    def test_a_constant_height_is_the_sum_of_waves(self):
        grid, cell = (self.report("info", SILICON)[word] for word in ("grid", "cell"))
        at = density_at(SILICON)
        for axis, word in enumerate("abc"):
            found = self.report("cut", SILICON, "--axis", word, "--height", 1.7, launcher=[])
            self.assertEqual(found["columns"], ["x_bohr", "y_bohr", "value"])
            first, second = (other for other in range(3) if other != axis)
            self.assertEqual(len(found["rows"]), grid[first] * grid[second])
            apart = 10.2631 / math.sqrt(3)  # planes of the primitive cell, all alike
            for i, j in ((0, 0), (3, 11), (17, 5)):
                x = [0.0] * 3
                x[first], x[second], x[axis] = i / grid[first], j / grid[second], 1.7 / apart
                row = found["rows"][j * grid[first] + i]
                self.assertAlmostEqual(row[2], at(x), delta=1e-12)
                place = [x[first] * a + x[second] * b for a, b in zip(cell[first], cell[second])]
                along = sum(p * a for p, a in zip(place, cell[first])) / math.hypot(*cell[first])
                self.assertAlmostEqual(row[0], along, delta=1e-9)
                self.assertAlmostEqual(math.hypot(*row[:2]), math.hypot(*place), delta=1e-9)

    def test_a_map_of_empty_states_at_a_height(self):
        """A map of scanning tunnelling microscopy: states in a window of energies, at a constant height."""
        self.text("density", WATER, "--energies", "-0.5eV:0", "-o", self.folder / "stm.h5")
        self.text("orbital", WATER, "--band", 4, "-o", self.folder / "homo.h5")
        found, homo = (self.report("cut", self.folder / name, "--height", 3.2)["rows"] for name in ("stm.h5", "homo.h5"))
        self.assert_close([a[2] for a in found], [2 * b[2] for b in homo], 1e-12)

    def test_pictures_say_what_they_show(self):
        picture = self.folder / "p.png"
        facts = lambda save, *words: self.report("cut", save, "-o", picture, *words)["picture"]
        here = facts(SILICON)
        self.assertEqual([here["plane"], here["units"], here["noise"]], ["through Si 1, Si 2 and Si 2", "electrons per bohr^3", False])
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(facts(SILICON, "--plane", "1,1,0@2.5")["plane"], "(1 1 0), 1.323 angstrom from the origin")
        names = [f"{atom['symbol']} {n}" for n, atom in enumerate(self.report("info", WATER)["atom_list"], 1)]
        self.assertEqual(facts(WATER, "--plane", "atoms:2,1,3")["plane"], f"through {names[1]}, {names[0]} and {names[2]}")
        moment = facts(IRON, "--component", 3)
        self.assertGreater(max(abs(moment["least"]), abs(moment["most"])), 0.1)
        text = self.text("cut", WATER, "--plane", "0,0,1", "-o", picture)
        self.assertIn("may be noise", text)  # the water molecule is elsewhere
        for part in ("plane (0 0 1), 0.000 angstrom from the origin", "angstrom wide and high; from", "electrons per bohr^3"):
            self.assertIn(part, text)

    def test_a_plane_of_noise_says_so(self):
        path, shape = self.folder / "far.cube", (8, 9, 40)
        value = lambda z: math.exp(-((z - 20) / 4) ** 2)
        numbers = "".join(f"{value(z)}\n" for _ in range(shape[0] * shape[1]) for z in range(shape[2]))
        steps = "".join(f"{n} " + " ".join("0.5" if i == j else "0" for j in range(3)) + "\n" for i, n in enumerate(shape))
        path.write_text("one layer\nin a cell\n0 0 0 0\n" + steps + numbers)
        self.assertIn("noise", self.text("cut", path, "--plane", "0,0,1", "-o", self.folder / "n.png"))
        found = self.report("cut", path, "--plane", "0,0,1@10", "-o", self.folder / "n.png")
        self.assertFalse(found["picture"]["noise"])

    def test_what_cannot_be_cut_is_refused(self):
        cut = lambda *words: ("cut", SILICON, *words)
        for words, part in ((cut(), "no cut, or several cuts"), (cut("--height", 1, "--line", "0,0,0:1,1,1"), "no cut, or several cuts"),
                            (cut("--line", "0,0,0"), "is not a line"), (cut("--line", "0,0:1,1,1"), "is not a line"),
                            (cut("--line", "0,0,0:0,0,0"), "the end points of a line coincide"), (cut("--height", "nan"), "--height: the value nan is invalid: it must be a finite number"),
                            (cut("-o", self.folder / "x.png", "--plane", "0,0,0"), "(0 0 0) is not a lattice plane"),
                            (cut("-o", self.folder / "x.png", "--plane", "1,1"), "is not a plane"), (cut("-o", self.folder / "x.png", "--plane", "1,1,0@"), "is not a plane"),
                            (cut("-o", self.folder / "x.png", "--plane", "atoms:1,2,9"), "no atom 9 among 2"),
                            (cut("-o", self.folder / "x.png", "--component", 1), "no component 1 of 1"),
                            (cut("--line", "0,0,0:1,1,1", "-o", SILICON / "x.csv"), "would overwrite the input")):
            self.refused(part, arguments=words)
        self.assertFalse((self.folder / "x.png").exists())
