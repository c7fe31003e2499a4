# SPDX-License-Identifier: BSD-3-Clause
"""seiche wannier as users run it. The invariant part of the spread, from our .mmn, is what wannier90 printed for the same
crystal. same_bytes_test.py compares the files of other numbers of ranks."""
import pathlib
import struct

from case import DATA, HARTREE, SILICON, Case, records

NNKP = DATA / "wannier90" / "si_small.nnkp"
BOHR = 0.529177210903
INVARIANT = 5.808402259  # angstrom^2: tests/data/wannier90
COLUMNS = r"""
wannier {SILICON} {automatic} => select columns of the density matrix
wannier {SILICON} {automatic} --scdm erfc => needs the energy and the width
wannier {SILICON} {automatic} --centre 1eV => give --scdm
wannier {SILICON} {NNKP} --scdm isolated => does not give the number of projections
"""
REFUSED = r"""
wannier {WATER} {NNKP} => have different cells
wannier {SILICON} {NNKP} --spin down => has 1 spins, but no spin 2
wannier {DATA}/abinit/spin/WFK {NNKP} --spin down => requests k-point
wannier {SILICON} {NNKP} -o {SILICON}/x => would overwrite the input
wannier {SILICON} {folder}/none.nnkp => create it with wannier90.x -pp
"""


def waves_and_bands(k, bands):
    """By wave the coefficients of silicon's first bands, as they lie in Quantum ESPRESSO's file."""
    parts = records(SILICON / f"wfc{k}.dat")
    numbers = struct.unpack(f"<{len(parts[3]) // 4}i", parts[3])
    rows = [struct.unpack(f"<{len(part) // 8}d", part) for part in parts[4:4 + bands]]
    return {numbers[3 * i:3 * i + 3]: [complex(*row[2 * i:2 * i + 2]) for row in rows] for i in range(len(numbers) // 3)}


def invariant(mmn, steps):
    """Omega I of a mesh of silicon whose 8 neighbours are equally far: sum w_b (J - |M|^2) / N."""
    lines = mmn.read_text().splitlines()
    bands, kpoints, neighbours = map(int, lines[1].split())
    length = 2 * 3.141592653589793 / (10.2631 * BOHR) * 3 ** 0.5 / steps  # of b
    weight = 3 / (neighbours * length ** 2)
    values = [float(x) for i, line in enumerate(lines[2:]) if i % (bands * bands + 1) for x in line.split()]
    return weight * (kpoints * neighbours * bands - sum(x * x for x in values)) / kpoints


class Wannier(Case):
    def made(self, name, *options, source=SILICON):
        (self.folder / name).mkdir()
        found = self.report("wannier", source, NNKP, "-o", self.folder / name / "si", *options)
        return found, self.folder / name

    def test_the_spread_is_wannier90s(self):
        report, here = self.made("here", "--unk")
        self.assertEqual([report[field] for field in ("bands", "kpoints", "neighbours", "projections")], [4, 64, 8, 4])
        self.assertEqual(len(report["files"]), 3 + 64)
        self.assertAlmostEqual(invariant(here / "si.mmn", 4), INVARIANT, delta=1e-6)
        self.assertEqual(sorted(path.name for path in here.iterdir()), sorted(pathlib.Path(path).name for path in report["files"]))
        self.check_a_pair(here / "si.mmn")
        head = struct.unpack("<i5ii", (here / "UNK00064.1").read_bytes()[:28])
        self.assertEqual(head, (20, 20, 20, 20, 64, 4, 20))
        energies = [line.split() for line in (here / "si.eig").read_text().splitlines()]
        self.assertEqual(len(energies), 256)
        first = self.report("info", SILICON, launcher=[])["energies"][0][0]
        self.assertEqual([float(row[2]) for row in energies[:4]], [round(e * HARTREE, 12) for e in first[:4]])

    def check_a_pair(self, mmn):
        """M_mn = sum conj(c_mk(G)) c_nk'(G), m fastest, of the first two k-points of the file, which are neighbours."""
        lines = mmn.read_text().splitlines()
        at = lines.index("    1    2    0    0    0")
        found = [complex(*map(float, line.split())) for line in lines[at + 1:at + 17]]
        left, right = waves_and_bands(1, 4), waves_and_bands(2, 4)
        for n in range(4):
            for m in range(4):
                wanted = sum(c[m].conjugate() * right[g][n] for g, c in left.items() if g in right)
                self.assertAlmostEqual(abs(found[4 * n + m] - wanted), 0, delta=2e-12)

    def test_any_format_and_memory(self):
        self.text("convert", SILICON, self.folder / "a.h5", launcher=[])
        _, wanted = self.made("qe")
        _, found = self.made("wfn", "--memory", "1G", source=self.folder / "a.h5")
        self.assertEqual((wanted / "si.mmn").read_bytes(), (found / "si.mmn").read_bytes())
        self.refuse_all("wannier {SILICON} {NNKP} -o {folder}/x --memory 30M => MB on each of", NNKP=NNKP)

    def test_columns(self):
        text = NNKP.read_text()
        begin, end = text.index("begin projections"), text.index("end projections")
        automatic = self.folder / "automatic.nnkp"
        automatic.write_text(text[:begin] + "begin auto_projections\n 4\n 0\nend auto_" + text[end + 4:])
        self.refuse_all(COLUMNS, NNKP=NNKP, automatic=automatic)
        made = self.report("wannier", SILICON, automatic, "--scdm", "gaussian", "--centre", "0", "--width", "5eV")
        self.assertEqual(made["projections"], 4)
        rows = [line.split() for line in (self.folder / "automatic.amn").read_text().splitlines()[2:]]
        self.assertEqual(len(rows), 64 * 16)
        norms = sum(float(row[3]) ** 2 + float(row[4]) ** 2 for row in rows)
        self.assertAlmostEqual(norms, 64 * 4, delta=1e-6)

    def test_what_cannot_be_is_refused(self):
        self.refuse_all(REFUSED, NNKP=NNKP)
