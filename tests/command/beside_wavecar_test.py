# SPDX-License-Identifier: BSD-3-Clause
"""A WAVECAR with what VASP keeps beside it: POSCAR, IBZKPT, KPOINTS, vasprun.xml."""
import pathlib
import re
import struct

from case import NAMES, SHARED, SILICON, WATER, Case, output_of


class BesideWavecar(Case):
    """Silicon's bands as a WAVECAR, with what VASP keeps beside it, written from the XML of Quantum ESPRESSO."""

    def setUp(self):
        super().setUp()
        self.wavecar = self.folder / "WAVECAR"
        self.report("convert", SILICON, self.wavecar)
        output = output_of(SILICON)
        bohr = 0.529177249
        vectors = [[float(x) * bohr for x in output.find(f"atomic_structure/cell/a{i}").text.split()] for i in (1, 2, 3)]
        atoms = [[float(x) * bohr for x in atom.text.split()] for atom in output.iter("atom")]
        rows = lambda list_of_rows: "\n".join(" ".join(f"{x:.16f}" for x in row) for row in list_of_rows)
        self.poscar = self.folder / "POSCAR"
        self.poscar.write_text(f"silicon\n1.0\n{rows(vectors)}\nSi\n2\nCartesian\n{rows(atoms)}\n")
        alat = float(output.find("atomic_structure").get("alat")) * bohr
        self.points, weights = [], []
        for point in output.iter("ks_energies"):
            k = [float(x) / alat for x in point.find("k_point").text.split()]
            self.points.append([sum(a * b for a, b in zip(vector, k)) for vector in vectors])
            weights.append(float(point.find("k_point").get("weight")))
        self.weights = [w / sum(weights) for w in weights]
        self.ibzkpt = self.folder / "IBZKPT"
        lines = [" ".join(f"{x:.14f}" for x in k) + f" {round(64 * w)}" for k, w in zip(self.points, self.weights)]
        self.ibzkpt.write_text("mesh\n 8\nReciprocal lattice\n" + "\n".join(lines) + "\nTetrahedra\n 1 2\n")

    def test_expand_is_refused_without(self):
        full = self.folder / "full.save"
        self.refused("(--kpoints)", arguments=("expand", self.wavecar, full))
        self.refused("(--atoms)", arguments=("expand", self.wavecar, full, "--kpoints", self.ibzkpt))
        self.refused("(--kpoints)", arguments=("expand", self.wavecar, full, "--atoms", self.poscar))
        self.assertFalse(full.exists())

    def expect_full(self, *beside):
        full, wanted = self.folder / "full.save", self.folder / "wanted.save"
        said = self.report("expand", self.wavecar, full, *beside)
        self.assertEqual((said["operations"], said["kpoints"]), (48, 64))
        self.report("expand", SILICON, wanted)
        self.assertGreater(self.report("verify", full, wanted)["min_overlap"], 1 - 1e-9)
        for point in self.report("info", full)["kpoint_list"]:
            self.assertAlmostEqual(point["weight"], 1 / 64, delta=1e-12)

    def test_expand(self):
        self.expect_full("--atoms", self.poscar, "--kpoints", self.ibzkpt)

    def test_written_files_are_read(self):
        """Existing files are not replaced."""
        wavecar = self.folder / "silicon.wavecar"
        written = [str(self.folder / f"silicon.{name}") for name in ("POSCAR", "KPOINTS")]
        self.assertEqual(self.report("convert", SILICON, wavecar)["beside"], written)
        self.expect_full("--atoms", written[0], "--kpoints", written[1])
        pathlib.Path(written[0]).write_text("mine")
        self.assertEqual(self.report("convert", SILICON, wavecar)["beside"], [])
        self.assertEqual(pathlib.Path(written[0]).read_text(), "mine")

    def test_expand_by_kpoints_called_direct(self):
        self.ibzkpt.write_text(self.ibzkpt.read_text().replace("Reciprocal lattice", "Direct"))
        self.expect_full("--atoms", self.poscar, "--kpoints", self.ibzkpt)

    def test_gap_and_state_beside_a_mesh(self):
        """The last k-point has weight 0, and the WAVECAR no occupations there."""
        record = int(struct.unpack("<d", self.wavecar.read_bytes()[:8])[0])
        content = bytearray(self.wavecar.read_bytes())
        head = (2 + 7 * 9) * record + 32
        for band in range(8):
            content[head + 24 * band + 16:head + 24 * band + 24] = bytes(8)
        self.wavecar.write_bytes(content)
        lines = self.ibzkpt.read_text().splitlines()
        lines[10] = re.sub(r"\d+$", "0", lines[10])
        self.ibzkpt.write_text("\n".join(lines))
        found = self.report("info", self.wavecar, "--kpoints", self.ibzkpt)
        self.assertEqual(found["occupations"][0][7], [1] * 4 + [0] * 4)
        self.assertFalse(found["gap"]["metallic"])
        part = self.report("density", self.wavecar, "--atoms", self.poscar, "--kpoints", self.ibzkpt, "--kpoint", 8, "--bands", 4,
                   "-o", self.folder / "one.cube")
        self.assertAlmostEqual(part["electrons"], 2, delta=1e-9)

    def test_half_of_a_gamma_only_file(self):
        self.report("convert", WATER, self.wavecar)
        self.assertEqual([self.report("info", self.wavecar, *words)["half_axis"] for words in ([], ["--half", "x"], ["--half", "z"])],
                         ["x", "x", "z"])
        whole = self.report("density", self.wavecar)["electrons"]
        self.assertAlmostEqual(self.report("density", self.wavecar, "--half", "z")["electrons"], whole, delta=1e-9)
        self.refused("not a gamma-only WAVECAR", arguments=("info", WATER, "--half", "z"))

    def test_expand_by_vasprun(self):
        rows = lambda values: "".join(f"<v>{' '.join(f'{x:.8f}' for x in row)}</v>" for row in values)
        vasprun = self.folder / "vasprun.xml"
        vasprun.write_text('<?xml version="1.0" encoding="ISO-8859-1"?><modeling><kpoints><generation param="Monkhorst-Pack"/>'
                           f'<varray name="kpointlist">{rows(self.points)}</varray>'
                           f'<varray name="weights">{rows([w] for w in self.weights)}</varray></kpoints></modeling>')
        self.expect_full("--atoms", self.poscar, "--kpoints", vasprun)

    def test_expand_what_lost_its_weights(self):
        for word in ("qe", "wfn"):
            made = self.folder / NAMES[word]
            losses = self.report("convert", self.wavecar, made, "--to", word)["losses"]
            self.assertIn("the weights of the k-points: unknown, written as equal; the number of electrons follows from them", losses)
            self.assertIn("the symmetry: unknown, written as none", losses)
            self.refused("(--kpoints)", arguments=("expand", made, self.folder / "full.save"))
            self.refused("(--kpoints)", arguments=("density", made))
        for word in ("castep", "abinit"):
            losses = self.report("convert", self.wavecar, self.folder / NAMES[word], "--to", word)["losses"]
            self.assertIn("the weights of the k-points: unknown, written as equal; the number of electrons follows from them", losses)

    def test_density(self):
        self.refused("(--kpoints)", arguments=("density", self.wavecar))
        made = self.folder / "whole.save"
        losses = self.report("convert", self.wavecar, made, "--atoms", self.poscar, "--kpoints", self.ibzkpt)["losses"]
        self.assertFalse([s for s in losses if "weights" in s or "symmetry" in s])
        cube = self.folder / "rho.cube"
        self.report("density", self.wavecar, "--atoms", self.poscar, "--kpoints", self.ibzkpt, "-o", cube)
        self.assertLess(self.deviation(made, cube), 1e-12)

    def test_forms_of_a_poscar(self):
        lines = self.poscar.read_text().splitlines()
        scaled = [" ".join(f"{float(x) / 2:.16f}" for x in line.split()) for line in lines[2:5]]
        direct = ["Selective dynamics", "Direct", "0 0 0 T T T", "0.25 0.25 0.25 F F F"]
        variants = {"factor": ["si", "2.0", *scaled, "Si_pv", "2", *direct], "axes": ["si", "2 2 2", *scaled, "Si", "2", *direct],
                    "volume": ["si", f"{-abs(self.report('info', self.wavecar)['volume']) * 0.529177249 ** 3:.12f}", *scaled, "Si", "2", *direct]}
        for name, content in variants.items():
            self.poscar.write_text("\n".join(content))
            self.expect_full("--atoms", self.poscar, "--kpoints", self.ibzkpt)

    def test_wrong_files_are_refused(self):
        full = self.folder / "full.save"
        both = lambda part: self.refused(part, arguments=("expand", self.wavecar, full, "--atoms", self.poscar, "--kpoints", self.ibzkpt))
        good = self.ibzkpt.read_text()
        for bad, part in ((good.replace("Reciprocal", "Cartesian"), "does not list k-points in reciprocal"),
                          ("Automatic\n0\nGamma\n4 4 4\n", "does not list k-points in reciprocal"),
                          (good.replace("0.25", "0.26"), "has other k-points than"), ("x\n8\nr\n0 0 0\n", "instead of a k-point and its weight"),
                          ("x\n8\n", "ends before"), ("x\nmany\n", "'many' instead of the number of k-points"),
                          ('<?xml version="1.0"?><modeling/>', "has no kpointlist"), ("<?xml version", "at byte"),
                          (re.sub(r"(\.\d+) \d+$", r"\1 0", good, flags=re.M), "do not have a positive sum")):
            self.ibzkpt.write_text(bad)
            both(part)
        self.ibzkpt.write_text(good)
        good = self.poscar.read_text()
        for bad, part in ((good.replace("\nSi\n", "\n"), "has no line of elements"), (good.replace("1.0", "1.1", 1), "another cell"),
                          (good.replace("\nSi\n", "\nSi O\n"), "has 2 elements but 1 numbers"), (good[:120], "POSCAR"),
                          (re.sub(r"\nSi\n\d+\n", "\nSi C\n900000 100001\n", good), "declares 900000 atoms"),
                          (good.replace("Cartesian", "Cartesian\nx"), "'x' instead of the position of an atom")):
            self.poscar.write_text(bad)
            both(part)
        self.poscar.write_text(good)
        self.refused("cannot read", arguments=("density", self.wavecar, "--kpoints", self.folder / "none"))
        self.refused("contains the weights of its k-points", arguments=("density", SILICON, "--kpoints", self.ibzkpt))
        self.refused("contains the atoms", arguments=("density", SILICON, "--atoms", self.poscar))

    def test_of_vasp(self):
        source = SHARED / "foreign" / "WAVECAR.wfc_r"
        if not source.exists():
            self.skipTest("foreign/WAVECAR.wfc_r is not here")
        full, cell = self.folder / "full.h5", "3.185 0 0\n-1.5925 2.7582909110534373 0\n0 0 35"
        self.poscar.write_text(f"one atom has the symmetry of the lattice\n1\n{cell}\nMo\n1\nDirect\n0 0 0\n")
        self.ibzkpt.write_text("3x3\n3\nReciprocal\n0 0 0 1\n0.33333333333333 0 0 6\n0.33333333333333 0.33333333333333 0 2\n")
        self.refused("seiche: ", arguments=("expand", source, full))
        said = self.report("expand", source, full, "--atoms", self.poscar, "--kpoints", self.ibzkpt)
        self.assertEqual((said["operations"], said["kpoints_before"], said["kpoints"]), (24, 3, 9))
        for point in self.report("info", full)["kpoint_list"]:
            self.assertAlmostEqual(point["weight"], 1 / 9, delta=1e-12)
