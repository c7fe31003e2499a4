# SPDX-License-Identifier: BSD-3-Clause
"""WFN and RHO of Fortran records, written beside those that pw2bgw made of the same wavefunctions, and read here record by
record."""
import math
import struct

from case import DATA, IRON, SHARED, SILICON, WATER, Case, doubles, records


def in_bohr(found):
    """Records of cell, reciprocal cell and atoms, without the unit of length, which is any that a code likes."""
    cell, reciprocal = (doubles(record) for record in found[3:5])
    atoms = [struct.unpack_from("<3di", found[7], at) for at in range(0, len(found[7]), 28)]
    return [cell[0], *(cell[1] * x for x in cell[2:11]), *cell[11:], reciprocal[0], *(reciprocal[1] * x for x in reciprocal[2:11]),
            *reciprocal[11:], *(cell[1] * x for atom in atoms for x in atom[:3]), *(float(atom[3]) for atom in atoms)]


class BerkeleyGw(Case):
    def expect_records(self, ours, theirs, exact):
        """`exact`: places of records that have the same bytes; numbers of the others agree but for rounding."""
        self.assertEqual([len(record) for record in ours], [len(record) for record in theirs])
        self.assertEqual(ours[0][:32], theirs[0][:32])
        for x, y in zip(in_bohr(ours), in_bohr(theirs), strict=True):
            self.assertAlmostEqual(x, y, delta=1e-10 * max(1, abs(y)))
        for place, (a, b) in enumerate(zip(ours, theirs)):
            if place in exact:
                self.assertEqual(a, b, place)
            elif a != b and place not in (0, 3, 4, 7):
                turn = 2 * math.pi if place == 6 else math.inf  # translations by whole lattice vectors are the same
                for x, y in zip(doubles(a), doubles(b)):
                    self.assertLess(abs(math.remainder(x - y, turn)), 1e-9 * max(1, abs(y)), place)

    def expect_wfn(self, save, theirs):
        made = self.folder / "WFN"
        self.text("convert", save, made)
        ours, theirs = records(made), records(theirs)
        waves = range(15, len(theirs))  # from the density's waves on: all Miller indices and coefficients
        self.expect_records(ours, theirs, {1, 2, 5, 8, 11, 12, *waves})
        self.text("convert", made, self.folder / "back.save")
        for path in sorted(save.glob("wfc*.dat")):
            self.assertEqual(records(self.folder / "back.save" / path.name)[3:], records(path)[3:], path.name)

    def test_wfn_is_pw2bgws(self):
        self.expect_wfn(SILICON, DATA / "berkeleygw" / "WFN")
        if (SHARED / "fe" / "WFN").exists():
            self.expect_wfn(SHARED / "fe" / "fe.save", SHARED / "fe" / "WFN")

    def test_rho_is_pw2bgws(self):
        theirs = DATA / "berkeleygw" / "RHO"
        self.assertLess(self.deviation(SILICON, theirs), 1e-13)
        for source in (SILICON, theirs):
            made = self.folder / "a.rho"
            self.text("density" if source == SILICON else "convert", source, *(["-o"] if source == SILICON else []), made)
            ours, other = records(made), records(theirs)
            self.expect_records(ours, other, {1, 2, 5, 8, 9, 10, 11, 12})
        found = self.report("convert", theirs, self.folder / "r.cube")
        self.assertEqual([found["grid"], found["units"], found["components"]], [[20, 20, 20], "electrons per bohr^3", 1])

    def test_a_rho_of_two_spins_and_one_of_real_numbers(self):
        if not (SHARED / "fe" / "RHO").exists():
            self.skipTest("fe and al2o3_prim are not here; set SEICHE_SHARED")
        for name in ("fe", "al2o3_prim"):
            save, theirs = SHARED / name / f"{name}.save", SHARED / name / "RHO"
            self.assertLess(self.deviation(save, theirs), 1e-13)
        self.text("density", SHARED / "fe" / "fe.save", "-o", self.folder / "RHO")
        ours, other = records(self.folder / "RHO"), records(SHARED / "fe" / "RHO")
        self.expect_records(ours, other, {1, 2, 5, 8, 9, 10, 11, 12})

    def test_whole_spheres_of_a_half_one(self):
        made = self.folder / "w.rho"
        self.text("density", WATER, "-o", made)
        self.assertLess(self.deviation(WATER, made), 1e-13)
        count = struct.unpack_from("<2i", records(made)[1])[1]
        half = struct.unpack_from("<2i", records(WATER / "charge-density.dat")[0])[1]
        self.assertEqual(count, 2 * half - 1)
        self.assertAlmostEqual(doubles(records(made)[-1])[0], 8, delta=1e-10)

    def test_what_there_is_no_place_for_is_refused(self):
        self.refused("spinors, which binary WFN files cannot hold", arguments=("convert", IRON, self.folder / "WFN"))
        self.refused("cannot hold a noncollinear magnetisation", arguments=("density", IRON, "-o", self.folder / "RHO"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_damaged_rho_is_told(self):
        content = (DATA / "berkeleygw" / "RHO").read_bytes()
        path = self.folder / "RHO"
        for at, value, part in ((108, 3, "a RHO with 3 spins is not supported"), (108 + 8, 49, "ntran must be 1 to 48 (got 49)"), (108 + 16, -1, "-1 atoms"),
                                (108 + 4, 7, "records of 1471 plane waves"), (144, 0, "invalid grid (0 x 20 x 20 points)")):
            damaged = bytearray(content)
            struct.pack_into("<i", damaged, at, value)
            path.write_bytes(damaged)
            self.refused(part, arguments=("convert", path, self.folder / "x.cube"))
        path.write_bytes(content[:-20])
        self.refused("RHO", arguments=("convert", path, self.folder / "x.cube"))
        self.assertFalse((self.folder / "x.cube").exists())
