# SPDX-License-Identifier: BSD-3-Clause
"""seiche verify: k-points that differ by reciprocal vectors, some bands only, groups that the last band cuts, tolerance,
and what it says of files that cannot be compared."""
import json
import math
import os
import re
import shutil
import struct

from case import SILICON, WATER, Case, run

HEAD = 52 + 24 + 80  # bytes of a wfc*.dat before the record of waves


class Save:
    """A .save that the tests change: its k-points are counted from 1, its bands from 0."""

    def __init__(self, path):
        self.path = path
        shutil.copytree(SILICON, path)

    def waves(self, k):
        content = (self.path / f"wfc{k}.dat").read_bytes()
        return struct.unpack_from("<i", content, HEAD)[0] // 12

    def at(self, k, band):
        """Where a band's coefficients begin, and their bytes."""
        waves = self.waves(k)
        return HEAD + 12 * waves + 8 + band * (16 * waves + 8) + 4, 16 * waves

    def band(self, k, band):
        begin, length = self.at(k, band)
        return (self.path / f"wfc{k}.dat").read_bytes()[begin:begin + length]

    def put(self, k, band, content):
        with open(self.path / f"wfc{k}.dat", "r+b") as file:
            file.seek(self.at(k, band)[0])
            file.write(content)

    def alat(self):
        return float(re.findall(r'alat="([^"]+)"', (self.path / "data-file-schema.xml").read_text())[-1])

    def move(self, k, place):
        """A k-point to another place, cartesian in units of 2 pi / alat, as the XML has it; in the file it is in 1/bohr."""
        schema = self.path / "data-file-schema.xml"
        head, bands = schema.read_text().split("<ks_energies>", 1)
        old = re.findall(r"<k_point[^>]*>[^<]+</k_point>", bands)[k - 1]
        new = old[:old.index(">") + 1] + " ".join(f"{x:.16e}" for x in place) + "</k_point>"
        schema.write_text(head + "<ks_energies>" + bands.replace(old, new, 1))
        with open(self.path / f"wfc{k}.dat", "r+b") as file:
            file.seek(8)
            file.write(struct.pack("<3d", *(2 * math.pi / self.alat() * x for x in place)))

    def change(self, old, new, times=1):
        schema = self.path / "data-file-schema.xml"
        text = schema.read_text()
        assert old in text, old
        schema.write_text(text.replace(old, new, times))


class Verify(Case):
    def report(self, *arguments):
        """The exit status tells whether the files are equal."""
        done = run("verify", *arguments, "--json")
        found = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if found["equal"] else 1, done.stderr)
        return found

    def first_bands(self, name, bands):
        path = self.folder / name
        self.text("reassign", SILICON, path, "--lowest", bands)
        return path

    def cut_pair(self):
        """Two files of the first three bands of silicon, of which the second and third at Gamma are two of three; in the
        one they are others of the three than in the other."""
        first = self.first_bands("two_of_three.save", 3)
        turned = Save(self.folder / "turned.save")
        turned.put(1, 2, Save(self.folder / "as_it_was.save").band(1, 3))  # band 4 in the place of band 3
        second = self.folder / "others.save"
        self.text("reassign", turned.path, second, "--lowest", 3)
        return first, second

    def test_a_group_that_the_last_band_cuts(self):
        first, second = self.cut_pair()
        found = self.report(first, second)
        self.assertTrue(found["equal"], found)
        self.assertEqual([(group["k"], group["bands"]) for group in found["cut"]], [(0, [1, 3])])
        self.assertLess(found["cut"][0]["overlap"], 0.5)
        self.assertGreater(found["min_overlap"], 1 - 1e-9)
        self.assertIn("cut by the last band", run("verify", first, second).stdout)
        self.assertEqual(self.report(first, first)["cut"], [])

    def test_a_band_below_the_cut_differs(self):
        first, second = self.cut_pair()
        with open(second / "wfc1.dat", "r+b") as file:  # the lowest band of Gamma: one coefficient turned
            waves = struct.unpack_from("<i", file.read(HEAD + 4), HEAD)[0] // 12
            file.seek(HEAD + 12 * waves + 8 + 4 + 16)
            pair = struct.unpack("<2d", file.read(16))
            file.seek(-16, os.SEEK_CUR)
            file.write(struct.pack("<2d", -pair[0], -pair[1]))
        found = self.report(first, second)
        self.assertFalse(found["equal"], found)
        self.assertEqual(found["worst"]["bands"], [0, 1])

    def test_the_last_band_is_another(self):
        """Not every last band that differs is part of a group: another kinetic energy is another band."""
        first = self.first_bands("first.save", 3)
        other = Save(self.folder / "other.save")
        other.put(1, 2, other.band(1, 7))
        second = self.folder / "second.save"
        self.text("reassign", other.path, second, "--lowest", 3)
        found = self.report(first, second)
        self.assertEqual((found["equal"], found["cut"]), (False, []))

    def test_some_bands(self):
        other = Save(self.folder / "other.save")
        for k in range(1, 9):
            other.put(k, 6, other.band(k, 0))
        self.assertFalse(self.report(SILICON, other.path)["equal"])
        for options in (["--lowest", 4], ["--occupied"]):
            found = self.report(SILICON, other.path, *options)
            self.assertEqual((found["equal"], found["cut"]), (True, []), found)
        found = self.report(SILICON, other.path, "--lowest", 3)
        self.assertTrue(found["equal"])
        self.assertIn((0, [1, 3]), [(group["k"], group["bands"]) for group in found["cut"]])
        fewer = self.first_bands("fewer.save", 6)
        self.assertIn("has 8 bands, " + str(fewer) + " has 6", self.report(SILICON, fewer)["difference"])
        self.assertTrue(self.report(SILICON, fewer, "--occupied")["equal"])
        self.assertIn("fewer than the 7 to compare", self.report(SILICON, fewer, "--lowest", 7)["difference"])

    def test_kpoints_up_to_a_reciprocal_vector(self):
        """The second k-point moved by b1 - b3, its waves relabelled."""
        moved = Save(self.folder / "moved.save")
        schema = (moved.path / "data-file-schema.xml").read_text()
        alat = moved.alat()
        cell = [[float(x) for x in re.findall(rf"<a{i}>([^<]+)<", schema)[-1].split()] for i in (1, 2, 3)]
        cross = lambda a, b: [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]
        volume = sum(x * y for x, y in zip(cell[0], cross(cell[1], cell[2])))
        reciprocal = [[alat * x / volume for x in cross(cell[(i + 1) % 3], cell[(i + 2) % 3])] for i in range(3)]
        points = re.findall(r"<k_point[^>]*>([^<]+)</k_point>", schema[schema.index("<ks_energies>"):])
        moved.move(2, [float(x) + reciprocal[0][i] - reciprocal[2][i] for i, x in enumerate(points[1].split())])
        self.assertFalse(self.report(SILICON, moved.path)["equal"], "the waves are not yet those of the moved k-point")
        with open(moved.path / "wfc2.dat", "r+b") as file:
            waves = moved.waves(2)
            file.seek(HEAD + 4)
            numbers = list(struct.unpack(f"<{3 * waves}i", file.read(12 * waves)))
            for i in range(waves):
                numbers[3 * i] -= 1
                numbers[3 * i + 2] += 1
            file.seek(HEAD + 4)
            file.write(struct.pack(f"<{3 * waves}i", *numbers))
        found = self.report(SILICON, moved.path)
        self.assertTrue(found["equal"], found)
        self.assertTrue(self.report(moved.path, SILICON)["equal"])

    def test_which_file_lacks_what(self):
        moved = Save(self.folder / "moved.save")
        moved.move(1, [0.123, 0, 0])
        self.assertIn(f"{moved.path} has no k-point (0, 0, 0), which {SILICON} has",
                      self.report(SILICON, moved.path)["difference"])
        self.assertIn(f"{moved.path} has no k-point (0, 0, 0), which {SILICON} has",
                      run("verify", SILICON, moved.path).stdout)
        self.assertIn("different cells", self.report(SILICON, WATER)["difference"])

    def test_tolerance(self):
        other = Save(self.folder / "other.save")
        schema = (other.path / "data-file-schema.xml").read_text()
        first = re.search(r"<eigenvalues[^>]*>\s*(\S+)", schema[schema.index("<ks_energies>"):]).group(1)
        other.change(first, f"{float(first) + 1e-4:.15e}", times=1)
        self.assertAlmostEqual(self.report(SILICON, other.path)["energy_difference"], 1e-4, delta=1e-9)
        for tolerance, equal in ((None, False), ("9e-5", False), ("1.1e-4", True)):
            options = ["--tolerance", tolerance] if tolerance else []
            self.assertEqual(self.report(SILICON, other.path, *options)["equal"], equal)

    def test_energies_up_to_a_constant(self):
        """The second file is higher by 0.25 hartree, and one band by another 2e-6."""
        other = Save(self.folder / "other.save")
        path = other.path / "data-file-schema.xml"
        head, bands = path.read_text().split("<ks_energies>", 1)
        raised = lambda found: found[1] + " ".join(repr(float(x) + 0.25) for x in found[2].split()) + found[3]
        path.write_text(head + "<ks_energies>" + re.sub("(<eigenvalues[^>]*>)(.*?)(</eigenvalues>)", raised, bands, flags=re.S))
        found = self.report(SILICON, other.path)
        self.assertFalse(found["equal"])
        self.assertAlmostEqual(found["energy_difference"], 0.25, delta=1e-9)
        self.assertAlmostEqual(found["energy_constant"], 0.25, delta=1e-9)
        self.assertLess(found["energy_difference_beyond_constant"], 1e-12)
        self.assertIn("which --any-zero ignores", run("verify", SILICON, other.path).stdout)
        self.assertTrue(self.report(SILICON, other.path, "--any-zero")["equal"])
        first = re.search(r"<eigenvalues[^>]*>\s*(\S+)", path.read_text().split("<ks_energies>", 1)[1]).group(1)
        other.change(first, repr(float(first) + 4e-6), times=1)
        found = self.report(SILICON, other.path, "--any-zero")
        self.assertFalse(found["equal"])
        self.assertAlmostEqual(found["energy_difference_beyond_constant"], 2e-6, delta=1e-9)
        self.assertAlmostEqual(found["energy_constant"], 0.25 + 2e-6, delta=1e-9)  # the middle of all differences

    def test_fewer_kpoints_name_expand(self):
        full = self.folder / "full.save"
        self.text("expand", SILICON, full)
        self.assertIn("irreducible k-points only (seiche expand creates the others)", run("verify", SILICON, full).stdout)

    def test_densities(self):
        cube, other = self.folder / "a.cube", self.folder / "b.cube"
        self.text("density", SILICON, "-o", cube)
        lines = cube.read_text().splitlines()
        value = lines[8].split()
        lines[8] = " ".join([repr(float(value[0]) + 1e-3), *value[1:]])
        other.write_text("\n".join(lines) + "\n")
        self.assertEqual(self.report(cube, cube)["max_relative_deviation"], 0)
        found = self.report(cube, other)
        largest = max(float(x) for line in lines[8:] for x in line.split())
        self.assertFalse(found["equal"])
        self.assertAlmostEqual(found["max_relative_deviation"], 1e-3 / largest, delta=1e-9)
        self.assertTrue(self.report(cube, other, "--tolerance", 0.1)["equal"])

    def test_exit_status(self):
        other = Save(self.folder / "other.save")
        other.put(1, 0, other.band(1, 7))
        for second, code in ((SILICON, 0), (other.path, 1), (WATER, 1)):
            done = run("verify", SILICON, second)
            self.assertEqual((done.returncode, [line for line in done.stderr.splitlines() if line.startswith("seiche: ")]), (code, []))
            self.assertIn("equal", done.stdout)
        for words in ((SILICON, self.folder / "nowhere.save"), (SILICON,), (SILICON, SILICON, "--strict")):
            self.assertEqual(run("verify", *words).returncode, 2)

    def test_the_worst_group_has_the_smallest_overlap(self):
        """A band with another norm elsewhere is reported by its own number."""
        other = Save(self.folder / "other.save")
        values = list(struct.unpack(f"<{len(other.band(2, 0)) // 8}d", other.band(2, 0)))
        other.put(2, 0, struct.pack(f"<{len(values)}d", *(1.2 * x for x in values)))
        values = list(struct.unpack(f"<{len(other.band(1, 0)) // 8}d", other.band(1, 0)))
        values[2:4] = [-values[2], -values[3]]
        other.put(1, 0, struct.pack(f"<{len(values)}d", *values))
        found = self.report(SILICON, other.path)
        self.assertEqual((found["worst"]["k"], found["worst"]["bands"]), (0, [0, 1]), found["worst"])
        self.assertEqual(found["min_overlap"], found["worst"]["overlap"])
        self.assertEqual(found["min_overlap"], min(group["overlap"] for group in found["kpoints"]))
        self.assertAlmostEqual(found["norm_difference"], 0.44, delta=1e-6)
        self.assertLess(found["worst"]["norm_difference"], 1e-6)
