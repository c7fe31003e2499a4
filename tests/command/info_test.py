# SPDX-License-Identifier: BSD-3-Clause
"""Energies, occupations and gaps, judged by what the codes printed."""
import csv
import re
import struct

from case import DATA, HARTREE, IRON, SILICON, WATER, Case, records, without_weight


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

    def test_occupations_of_a_kpoint_without_weight(self):
        save = without_weight(SILICON, 7, self.folder / "path.save")  # the lowest empty state is there
        found, wanted = self.report("info", save), self.report("info", SILICON)
        self.assertEqual((found["kpoint_list"][6]["weight"], found["gap"]), (0, wanted["gap"]))
        self.assertEqual(found["occupations"], wanted["occupations"])
        self.text("convert", save, self.folder / "WFN")
        self.assertEqual(struct.unpack("<8i", records(self.folder / "WFN")[12]), (4,) * 8)  # ifmax

    def test_metals_and_spins(self):
        self.assertIn("none: bands cross the Fermi level", self.text("info", IRON))
        spin = DATA / "abinit" / "spin" / "WFK.nc"
        found = self.report("info", spin)
        self.assertEqual([len(found["gaps_of_spins"]), len(found["energies"]), found["gap"]["gap"]], [2, 2, 0])
        self.assertIn("gap, spin down", self.text("info", spin))

    def test_two_fermi_levels(self):
        """Of a metal with two spins: each level is named, and energies are relative to one of them."""
        save, schema = self.folder / "two.save", "data-file-schema.xml"
        self.text("convert", DATA / "abinit" / "spin" / "WFK", save)
        text = re.sub("<fermi_energy>[^<]*</fermi_energy>", "<two_fermi_energies>0.1 0.2</two_fermi_energies>", (save / schema).read_text())
        (save / schema).write_text(text.replace('fermi_energy="unknown"', ""))
        found = self.report("info", save)
        self.assertEqual((found["fermi_energy"], found["fermi_energy_down"]), (0.1, 0.2))
        self.assertIn("2.7211 eV (spin up), 5.4423 eV (spin down)", self.text("info", save))
        self.refused("different Fermi levels", "--spin up or --spin down",
                     arguments=("density", save, "--energies", "-9eV:9eV", "--as-they-are"))
        zero = self.report("density", save, "--energies", "-9eV:9eV", "--spin", "down", "--as-they-are")["energy_zero"]
        self.assertEqual(zero["energy"], 0.2)

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
        self.refused("would overwrite the input", arguments=("info", SILICON, "--table", SILICON / "data-file-schema.xml"))
