# SPDX-License-Identifier: BSD-3-Clause
"""What `convert`, `expand` and `reassign` keep, lose and say; what is beside their output; and densities that do not hold the
electrons of their file. Files are read here by their layouts, not by the library."""
import re
import struct
import xml.etree.ElementTree as ElementTree

from case import ABINIT, NAMES, SHARED, SILICON, WATER, Case, doubles, output_of, records


def write_records(path, list_of_them):
    path.write_bytes(b"".join(struct.pack("<i", len(r)) + r + struct.pack("<i", len(r)) for r in list_of_them))


def abinit_facts(path):
    """ixc, occopt and tsmear; istwfk; total and Fermi energy and masses; of a header of version 80."""
    found = records(path)
    second = struct.unpack_from("<18i", found[1])
    natom, nkpt, ntypat = second[4], second[8], second[14]
    energies = doubles(found[3])[1 + 3 * natom:]
    return {"ixc": second[3], "occopt": second[15], "istwfk": struct.unpack_from(f"<{nkpt}i", found[2]), "etotal": energies[0],
            "fermie": energies[1], "amu": energies[2:2 + ntypat], "potential": found[5]}


class Soft(Case):
    def soft(self):
        """Silicon as an ultrasoft run would leave it: its bands have not the norm 1."""
        soft = self.copy(SILICON, "soft.save", lambda text: text.replace("<uspp>false", "<uspp>true"))
        for path in soft.glob("wfc*.dat"):
            parts = records(path)
            for band in range(4, len(parts)):
                parts[band] = struct.pack(f"<{len(parts[band]) // 8}d", *(0.8 * x for x in doubles(parts[band])))
            write_records(path, parts)
        return soft


class Electrons(Soft):
    def expect_refused(self, source, bare, formats):
        for word in formats:
            made = self.folder / NAMES[word]
            self.report("convert", source, made, "--to", word)
            self.refused("ultrasoft", "--as-they-are", arguments=("density", made))
            self.assertAlmostEqual(self.report("density", made, "--as-they-are")["electrons"], bare, delta=1e-6 * bare)

    def test_ultrasoft_survives_conversion(self):
        self.expect_refused(self.soft(), 8 * 0.64, ["wfn", "abinit", "castep", "qe", "qe-hdf5"])

    def test_of_castep(self):
        source = SHARED / "foreign" / "GaAs.check"
        if not source.exists():
            self.skipTest("foreign/GaAs.check is not here")
        self.expect_refused(source, 11.2172491201, NAMES.keys() - {"vasp"})  # a WAVECAR of ten k-points has no weights

    def test_of_vasp(self):
        source = SHARED / "foreign" / "WAVECAR.co2"
        if not source.exists():
            self.skipTest("foreign/WAVECAR.co2 is not here")
        self.expect_refused(source, 14.6746482245, NAMES)

    def test_bands_left_out(self):
        for name in ("cut.save", "cut.h5", "cut.check", "cut_WFK"):
            said = self.report("reassign", SILICON, self.folder / name, "--bands", 3)
            self.assertIn("1 occupied band of 4, with 2 of 8 electrons", said["losses"])
            self.refused("6.000000 electrons instead of 8.000000; occupied bands", arguments=("density", self.folder / name))
            self.assertAlmostEqual(self.report("density", self.folder / name, "--as-they-are")["electrons"], 6, delta=1e-9)
        said = self.report("reassign", SILICON, self.folder / "all.save", "--bands", 4)
        self.assertFalse([s for s in said["losses"] if "occupied" in s])

    def test_bands_cut_off(self):
        self.report("reassign", SILICON, self.folder / "low.save", "--ecut", "8Ry")
        self.refused("occupied bands", arguments=("density", self.folder / "low.save"))


class Beside(Case):
    def densities(self, save):
        return sorted(path.name for path in save.iterdir() if path.name.startswith("charge-density"))

    def expect_absent(self, losses, save):
        self.assertEqual(self.densities(save), [])
        self.assertTrue([s for s in losses if s.startswith("the density") and "--density" in s])
        self.assertEqual(self.report("info", save)["density_components"], 0)

    def test_convert_without(self):
        for word in ("qe", "qe-hdf5"):
            to = self.folder / f"{word}.save"
            self.expect_absent(self.report("convert", SILICON, to, "--to", word)["losses"], to)

    def test_convert_with(self):
        for word, name in (("qe", "charge-density.dat"), ("qe-hdf5", "charge-density.hdf5")):
            to = self.folder / f"{word}.save"
            losses = self.report("convert", SILICON, to, "--to", word, "--density")["losses"]
            self.assertEqual(self.densities(to), [name])
            self.assertFalse([s for s in losses if "density" in s])
            self.assertLess(self.deviation(to, to), 1e-12)

    def test_expand_and_reassign(self):
        full, low = self.folder / "full.save", self.folder / "low.save"
        self.expect_absent(self.report("expand", SILICON, full)["losses"], full)
        self.expect_absent(self.report("reassign", SILICON, low, "--ecut", "10Ry")["losses"], low)

    def test_what_belongs_to_the_density_goes_with_it_only(self):
        source = self.copy(SILICON)
        for name in ("paw.txt", "occup.txt", "Si.upf"):
            (source / name).write_text("x")
        for flags, there in (([], [False, False, True]), (["--density"], [True, True, True])):
            to = self.folder / f"to{len(flags)}.save"
            self.report("convert", source, to, *flags)
            self.assertEqual([(to / name).exists() for name in ("paw.txt", "occup.txt", "Si.upf")], there)


class Fields(Soft):
    def test_abinit_to_abinit(self):
        for source in ("spin", "time_reversal"):
            original, copied = ABINIT / source / "WFK", self.folder / f"{source}_WFK"
            losses = self.report("convert", original, copied)["losses"]
            before, after = abinit_facts(original), abinit_facts(copied)
            half = [s for s in losses if "istwfk 1" in s]
            self.assertEqual(bool(half), any(kind > 1 for kind in before["istwfk"]))
            for name in ("ixc", "occopt", "etotal", "fermie", "amu", "potential"):
                self.assertEqual(before[name], after[name], name)
            self.assertEqual(losses, half)

    def test_energies_to_abinit(self):
        made = self.folder / "a_WFK"
        losses = self.report("convert", SILICON, made)["losses"]
        total = float(output_of(SILICON).find("total_energy/etot").text)
        fermi = float(output_of(SILICON).find("band_structure/fermi_energy").text)
        facts = abinit_facts(made)
        self.assertEqual((facts["etotal"], facts["fermie"]), (total, fermi))
        self.assertEqual(len([s for s in losses if "ixc" in s]), 1)

    def test_unknown_energies_are_said(self):
        wavecar = self.folder / "WAVECAR"
        self.report("convert", ABINIT / "gamma" / "WFK", wavecar)
        for word in ("abinit", "castep", "qe"):
            losses = self.report("convert", wavecar, self.folder / NAMES[word], "--to", word)["losses"]
            self.assertIn("the total energy: unknown, written as 0", losses)
            self.assertIn("the symmetry: unknown, written as none", losses)
            self.assertIsNone(self.report("info", self.folder / NAMES[word])["total_energy"])

    def test_quantum_espressos_own(self):
        two = "<two_fermi_energies>1.0e-1 2.0e-1</two_fermi_energies>"
        source = self.copy(SILICON, xml=lambda text: re.sub("(</highestOccupiedLevel>)", r"\1" + two, text).replace(
            "</band_structure>", "</band_structure><stress rank=\"2\">1</stress><made_up>2</made_up>"))
        kept, moved = self.folder / "kept.save", self.folder / "moved.save"
        losses = self.report("convert", source, kept)["losses"]
        self.assertEqual([s for s in losses if "data-file-schema" in s], ["elements of the source's data-file-schema.xml: made_up"])
        losses = self.report("reassign", source, moved, "--ecut", "14Ry")["losses"]
        self.assertIn("elements of the source's data-file-schema.xml: total_energy, stress, made_up, forces, input", losses)
        self.assertIn("the total energy: unknown, written as 0", losses)
        inputs = [ElementTree.parse(save / "data-file-schema.xml").getroot().find("input") for save in (source, kept, moved)]
        self.assertEqual(ElementTree.tostring(inputs[1]).strip(), ElementTree.tostring(inputs[0]).strip())
        self.assertIsNone(inputs[2])
        for save, run_too in ((kept, True), (moved, False)):
            output = output_of(save)
            for name in ("highestOccupiedLevel", "lowestUnoccupiedLevel", "two_fermi_energies", "fermi_energy"):
                element = f"band_structure/{name}"
                self.assertEqual(output.find(element).text, output_of(source).find(element).text)
            self.assertEqual([output.find(name) is not None for name in ("forces", "stress")], [run_too, run_too])
            wanted = output_of(source).find("total_energy/etot").text if run_too else "0"
            self.assertEqual(float(output.find("total_energy/etot").text), float(wanted))

    def test_paw_stays_paw(self):
        source = self.copy(self.soft(), xml=lambda text: text.replace("<uspp>true", "<uspp>false").replace("<paw>false", "<paw>true"))
        self.report("convert", source, self.folder / "a.save")
        algorithm = output_of(self.folder / "a.save").find("algorithmic_info")
        self.assertEqual((algorithm.find("uspp").text, algorithm.find("paw").text), ("false", "true"))

    def test_mesh_of_the_k_points(self):
        for shift, half in (("0", 0), ("1", 0.5)):
            source = self.copy(SILICON, f"shift{shift}.save", lambda text: re.sub('k([123])="0"', f'k\\1="{shift}"', text))
            self.assertEqual([self.report("info", source)[name] for name in ("mesh", "mesh_shift")], [[4, 4, 4], [half] * 3])
            last = source
            for word in ("castep", "abinit", "wfn", "qe"):  # from one to the next
                made = self.folder / f"{shift}{NAMES[word]}"
                self.report("convert", last, made, "--to", word)
                self.assertEqual([self.report("info", made)[name] for name in ("mesh", "mesh_shift")], [[4, 4, 4], [half] * 3], word)
                last = made
            pack = output_of(last).find("band_structure/starting_k_points/monkhorst_pack")
            self.assertEqual([pack.get(name) for name in ("nk1", "nk2", "nk3", "k1", "k2", "k3")], ["4"] * 3 + [shift] * 3)
            lattice = struct.unpack_from("<9i", records(self.folder / f"{shift}a_WFK")[4], 28)
            self.assertEqual(lattice, (4, 0, 0, 0, 4, 0, 0, 0, 4))

    def test_atoms_in_order(self):
        for source, said in ((SILICON, False), (WATER, False)):
            losses = self.report("convert", source, self.folder / "a.check")["losses"]
            self.assertEqual("the order of atoms: they are sorted by element" in losses, said)
        mixed = self.copy(WATER, xml=lambda text: text)
        schema = mixed / "data-file-schema.xml"
        names = iter(["H", "O", "H"])
        head, tail = schema.read_text().split("<output>")
        schema.write_text(head + "<output>" + re.sub('<atom name="[A-Z]"', lambda _: f'<atom name="{next(names)}"', tail, count=3))
        self.assertIn("the order of atoms: they are sorted by element", self.report("convert", mixed, self.folder / "b.check")["losses"])


class Averages(Case):
    def test_what_the_source_does_not_average_is_not_averaged(self):
        """A half sphere of a run with an operation more, under which its density is not symmetric: its code ignores it."""
        one = re.compile("<nsym>1</nsym>(.*?)(<symmetry>.*?</symmetry>)", re.S)

        def with_inversion(text):
            head, tail = text.split("<output>")
            def twice(found):
                inversion = re.sub(r"(<rotation[^>]*>).*?(</rotation>)", r"\g<1>-1 0 0 0 -1 0 0 0 -1\2", found[2], flags=re.S)
                return f"<nsym>2</nsym>{found[1]}{found[2]}{inversion}"
            changed, count = one.subn(twice, tail, count=1)
            assert count == 1
            return head + "<output>" + changed
        source = self.copy(WATER, xml=with_inversion)
        self.assertEqual(self.report("info", source)["symmetries"], 2)
        cube = self.folder / "rho.cube"
        self.report("density", source, "-o", cube, "--compare", WATER)
        for word in ("qe-hdf5", "wfn", "castep", "abinit"):
            made = self.folder / NAMES[word]
            losses = self.report("convert", source, made, "--to", word)["losses"]
            self.assertEqual(self.report("info", made)["symmetries"], 1 if word in ("castep", "abinit") else 2)
            self.assertEqual(any("not averaged" in s for s in losses), word in ("castep", "abinit"), word)
            self.assertLess(self.deviation(made, cube), 1e-12, word)
            back = self.folder / f"{word}-back.save"
            self.report("convert", made, back, "--to", "qe")
            self.assertLess(self.deviation(back, cube), 1e-12, word)

    def test_what_the_source_averages_is_averaged(self):
        """ABINIT averages at k = 0 too; a .save of the half sphere says so."""
        made = self.folder / "a.save"
        losses = self.report("convert", ABINIT / "gamma" / "WFK", made)["losses"]
        if self.report("info", made)["symmetries"] > 1:
            self.assertTrue([s for s in losses if "the average of the density over the operations" in s])
        self.assertLess(self.deviation(made, ABINIT / "gamma" / "DEN"), 2e-11)


class Grids(Case):
    def test_too_small_a_grid_is_refused_at_once(self):
        to = self.folder / "a.save"
        for arguments in (["--fft", "16,16,16"], ["--ecut", "20Ry", "--fft", "20,20,20"]):
            self.refused("choose a larger grid (--fft)", arguments=("reassign", SILICON, to, *arguments))
        self.assertFalse(to.exists())
        self.report("reassign", SILICON, to, "--fft", "24,24,24")
        self.assertAlmostEqual(self.report("density", to)["electrons"], 8, delta=1e-9)

    def test_cut_off_of_a_density(self):
        for source in ("spin", "gamma"):
            save = self.folder / f"{source}.save"
            self.report("convert", ABINIT / source / "WFK", save)
            self.report("convert", ABINIT / source / "DEN", save / "charge-density.dat")
            self.assertLess(self.deviation(ABINIT / source / "WFK", save), 2e-11)

    def test_cut_off_of_our_own(self):
        own, save = self.folder / "rho.h5", self.folder / "a.save"
        self.report("density", SILICON, "-o", own)
        self.report("convert", SILICON, save)
        self.report("convert", own, save / "charge-density.dat")
        self.assertEqual((save / "charge-density.dat").stat().st_size, (SILICON / "charge-density.dat").stat().st_size)
        self.assertLess(self.deviation(SILICON, save), 1e-12)
