# SPDX-License-Identifier: BSD-3-Clause
"""Planar and macroscopic averages, judged by sums over a .cube."""
import csv
import itertools
import math
import struct

from case import DATA, IRON, SILICON, WATER, Case, cube


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
        self.assert_close([row[1] for row in rest], [row[1] for row in self.report("average", path)["rows"]], 1e-12)
        self.assertIn("electrons per bohr^3, against position in bohr", self.text("average", SILICON))

    def test_a_file_of_the_difference(self):
        whole, low, high, rest = (self.folder / name for name in ("whole.h5", "low.cube", "high.xsf", "rest.cube"))
        self.text("density", SILICON, "-o", whole)
        for bands, path in (("1-2", low), ("3", high)):
            self.text("density", SILICON, "--bands", bands, "-o", path)
        found = self.report("difference", whole, low, high, "-o", rest)
        self.assertEqual((found["files"], found["components"], found["units"]), ([str(rest)], 1, "electrons per bohr^3"))
        self.assertAlmostEqual(found["integrals"][0], 2, delta=1e-10)
        self.text("density", SILICON, "--bands", "4", "-o", low)
        values, wanted = cube(rest)[0], cube(low)[0]
        self.assert_close(values, wanted, 1e-12)
        self.assertEqual((found["least"], found["most"]), (min(values), max(values)))
        self.assertEqual(self.report("difference", SILICON, whole, "-o", low)["grid"], found["grid"])
        self.text("difference", IRON, IRON, "-o", self.folder / "none.h5")  # four components
        self.text("average", self.folder / "none.h5")

    def test_what_cannot_be_subtracted_is_refused(self):
        potential = self.folder / "POT"
        den = bytearray((DATA / "abinit" / "gamma" / "DEN").read_bytes())
        den[16:20] = struct.pack("<i", 103)
        potential.write_bytes(den)
        out = self.folder / "out.cube"
        for words, part in (([DATA / "abinit" / "gamma" / "DEN", potential], "values in hartree cannot be subtracted from values in electrons"),
                            ([SILICON, IRON], "another cell"), ([SILICON], "MINUS")):
            self.refused(part, arguments=("difference", *words, "-o", out))
        self.refused("would overwrite the input", arguments=("difference", SILICON, potential, "-o", potential))
        self.refused("write an .h5", arguments=("difference", SILICON, SILICON, "-o", self.folder / "a.png"))
        self.assertFalse(out.exists())

    def test_a_magnetisation_has_columns(self):
        found = self.report("average", IRON)
        self.assertEqual(found["columns"], ["distance_bohr", "average", "component_1", "component_2", "component_3"])

    def test_what_cannot_be_averaged_is_refused(self):
        for words, part in (([SILICON, "--macroscopic", "-1"], "the length of the mean must be positive (got -1 bohr)"), ([SILICON, "--axis", "d"], "--axis"),
                            ([SILICON, "--minus", WATER / "charge-density.dat"], "another cell"),
                            ([self.folder / "none.cube"], "cannot find")):
            self.refused(part, arguments=("average", *words))

    def test_a_density_that_begins_elsewhere_is_compared(self):
        path = self.folder / "density.cube"
        self.text("density", SILICON, "-o", path)
        values, shape = cube(path)
        lines = path.read_text().splitlines()
        atoms, steps = int(lines[2].split()[0]), [[float(x) for x in line.split()[1:]] for line in lines[3:6]]
        first = (2, 5, 1)
        origin = [sum(n * step[i] for n, step in zip(first, steps)) for i in range(3)]
        lines[2] = f"{atoms} " + " ".join(f"{x:.10f}" for x in origin)
        moved = [values[((x + first[0]) % shape[0] * shape[1] + (y + first[1]) % shape[1]) * shape[2] + (z + first[2]) % shape[2]]
                 for x, y, z in itertools.product(*map(range, shape))]
        (self.folder / "moved.cube").write_text("\n".join([*lines[:6 + atoms], *map(str, moved)]) + "\n")
        found = self.report("density", SILICON, "--compare", self.folder / "moved.cube")
        self.assertLess(found["max_relative_deviation"], 1e-12)
        self.assertGreater(max(values) - min(values), 0.01)
