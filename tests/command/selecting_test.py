# SPDX-License-Identifier: BSD-3-Clause
"""Some of the states of a file, in any format, judged by its own bytes."""

from case import DATA, SILICON, Case, records


class Selecting(Case):
    def test_bands_and_kpoints_are_those_of_the_source(self):
        made = self.folder / "some.save"
        found = self.report("convert", SILICON, made, "--bands", "2-4,7", "--kpoint", "3,5")
        for part in ("1 occupied band of 4, with 2 of 8 electrons", "6 k-points of 8"):
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
        self.assertIn("the bands of spin up; the other bands are written without spin", found["losses"])
        before, after = self.report("info", spin), self.report("info", made)
        self.assertEqual([after["spins"], after["magnetism"]], [1, "none"])
        self.assert_close(sum(after["energies"][0], []), sum(before["energies"][1], []), 1e-12)

    def test_what_is_not_there_is_refused(self):
        convert = lambda *options: ("convert", SILICON, self.folder / "x.h5", *options)
        for words, part in ((["--bands", "9"], "has 8 bands, but no band 9"), (["--kpoint", "3-12"], "has 8 k-points, but no k-point 9"),
                            (["--spin", "down"], "has 1 spins, but no spin 2"), (["--spin", "left"], "give up or down"),
                            (["--bands", "3-1"], "give for example 1-10,12"), (["--bands", "0"], "not a list of positive integers"),
                            (["--kpoint", "1,,2"], "--kpoint 1,,2 is not a list of positive integers")):
            self.refused(part, arguments=convert(*words))
        density = self.folder / "a.cube"
        self.text("density", SILICON, "-o", density)
        self.refused("a density has no bands", arguments=("convert", density, self.folder / "b.cube", "--bands", "1"))
        self.assertFalse((self.folder / "x.h5").exists())
