# SPDX-License-Identifier: BSD-3-Clause
"""seiche unfold as users run it: weights against sums over the files' own bytes; the same bytes on any number of ranks."""
import csv
import struct

from case import IRON, SILICON, Case, mpiexec, records, waves_and_band


class Unfold(Case):
    def made(self, name, *options, source=SILICON, launcher=mpiexec):
        report = self.report("unfold", source, "-o", self.folder / name, *options, launcher=launcher)
        with (self.folder / name).open() as file:
            return report, list(csv.DictReader(file))

    def test_weights_are_sums_over_waves(self):
        """As if silicon's cell were 2 x 1 x 3 smaller ones: waves G belong to k-point (Gx/2, 0, Gz/3) beside k / (2, 1, 3)."""
        report, rows = self.made("a.csv", "--times", "2,1,3")
        self.assertEqual([report["states"], report["cells"], len(rows)], [64, 6, 384])
        point = {row["k" + str(i)] for row in rows if row["kpoint"] == "1" for i in (2,)}
        self.assertEqual(point, {"0"})
        sharpness = 0
        for k in (1, 4):
            parts = records(SILICON / f"wfc{k}.dat")
            numbers = struct.unpack(f"<{len(parts[3]) // 4}i", parts[3])
            at = self.report("info", SILICON, launcher=[])["kpoint_list"][k - 1]["k"]
            for band in range(1, 9):
                values = struct.unpack(f"<{len(parts[3 + band]) // 8}d", parts[3 + band])
                wanted = {}
                for n in range(len(numbers) // 3):
                    gx, _, gz = numbers[3 * n:3 * n + 3]
                    place = (round((at[0] + gx) / 2 % 1, 6) % 1, round((at[2] + gz) / 3 % 1, 6) % 1)
                    wanted[place] = wanted.get(place, 0) + values[2 * n] ** 2 + values[2 * n + 1] ** 2
                mine = [row for row in rows if (row["kpoint"], row["band"]) == (str(k), str(band))]
                self.assertEqual(len(mine), 6)
                for row in mine:
                    place = (round(float(row["k1"]), 6) % 1, round(float(row["k3"]), 6) % 1)
                    self.assertAlmostEqual(float(row["weight"]), wanted[place], delta=1e-9)
        sharpness = sum(float(row["weight"]) ** 2 for row in rows) / 64
        self.assertAlmostEqual(report["sharpness"], sharpness, delta=1e-12)

    def test_some_of_the_states_and_matrices(self):
        report, rows = self.made("a.csv", "--times", "1,1,0,-1,1,0,0,0,1", "--bands", "2-4", "--kpoint", "3")
        self.assertEqual([report["states"], report["cells"], len(rows)], [3, 2, 6])
        for band in (1, 2, 3):
            self.assertAlmostEqual(sum(float(row["weight"]) for row in rows if row["band"] == str(band)), 1, delta=1e-12)

    def test_spins_of_spinors_are_sums_over_waves(self):
        """<sigma> of the waves of each k-point: as if iron's cell were two, and of bands as they are."""
        _, parts = self.made("parts.csv", "--times", "2,1,1", "--kpoint", "2", "--bands", "3-6", source=IRON)
        _, whole = self.made("whole.csv", "--times", "1,1,1", "--kpoint", "2", "--bands", "3-6", source=IRON)
        at = self.report("info", IRON, launcher=[])["kpoint_list"][1]["k"][0]
        for band in (3, 4, 5, 6):
            waves, both = waves_and_band(IRON, 2, band)
            wanted = {}
            for (gx, _, _), up, down in zip(waves, both, both[len(waves):]):
                flip = 2 * up.conjugate() * down
                here = wanted.setdefault(round((at + gx) / 2 % 1, 6), [0, 0, 0])
                for i, part in enumerate((flip.real, flip.imag, abs(up) ** 2 - abs(down) ** 2)):
                    here[i] += part
            rows = [row for row in parts if row["band"] == str(band - 2)]
            self.assertEqual(len(rows), 2)
            for row in rows:
                for found, value in zip(("spin_x", "spin_y", "spin_z"), wanted[round(float(row["k1"]), 6)]):
                    self.assertAlmostEqual(float(row[found]), value, delta=1e-9)
            alone, = (row for row in whole if row["band"] == str(band - 2))
            for i, name in enumerate(("spin_x", "spin_y", "spin_z")):
                self.assertAlmostEqual(float(alone[name]), sum(part[i] for part in wanted.values()), delta=1e-9)
            self.assertEqual(alone["weight"], "1")
        self.assertGreater(max(abs(float(row["spin_z"])) for row in whole), 0.5)

    def test_what_cannot_be_is_refused(self):
        for times, part in (("2,2", "has 2 numbers"), ("2,x,1", "'x' is not a number of cells"), ("0,1,1", "a supercell of 0 cells"),
                            ("2,2,", "has 2 numbers")):
            self.refused(part, arguments=("unfold", SILICON, "--times", times, "-o", self.folder / "x.csv"))
        self.refuse_all("unfold {SILICON} --times 1,1,1 -o {SILICON}/data-file-schema.xml => would overwrite the input")
