# SPDX-License-Identifier: BSD-3-Clause
"""`seiche expand` and `seiche reassign` on good input: densities without symmetrisation are those of the code. tests/orbitals
has the bits of changed orbitals."""

from case import IRON, SHARED, SILICON, WATER, Case


class WaveMaps(Case):
    def expect_density_of(self, source, kpoints):
        full = self.folder / "full.save"
        said = self.report("expand", source, full)
        self.assertEqual((said["kpoints"], said["made_symmetric"]), (kpoints, True))
        info = self.report("info", full, "--check")
        self.assertEqual((info["kpoints"], info["symmetries"], info["sound"]), (kpoints, 1, True))
        self.assertLessEqual(self.deviation(full, source), 1e-12)

    def test_density_of_silicons_full_zone(self):
        self.expect_density_of(SILICON, 64)

    def test_density_of_spinor_irons_full_zone(self):
        self.expect_density_of(IRON, 27)

    def test_density_of_corundums_full_zone(self):
        corundum = SHARED / "al2o3_prim" / "al2o3_prim.save"
        if not corundum.is_dir():
            self.skipTest("al2o3_prim is not here")
        self.expect_density_of(corundum, 7)

    def test_half_spheres_stay(self):
        full = self.folder / "full.save"
        self.assertEqual(self.report("expand", WATER, full)["kpoints"], 1)
        self.assertEqual((full / "wfc1.dat").read_bytes()[156:], (WATER / "wfc1.dat").read_bytes()[156:])

    def test_bands_as_they_are_stay(self):
        full = self.folder / "full.save"
        said = self.report("expand", IRON, full, "--as-they-are")
        self.assertEqual((said["kpoints"], said["made_symmetric"]), (27, False))
        self.assertEqual((full / "wfc1.dat").read_bytes()[156:], (IRON / "wfc1.dat").read_bytes()[156:])
        symmetric = self.folder / "symmetric.save"
        self.report("expand", IRON, symmetric)
        self.assertGreater(self.report("verify", full, symmetric)["min_overlap"], 1 - 1e-9)

    def test_spglib_finds_what_the_file_lists(self):
        listed, found = self.folder / "listed.save", self.folder / "found.save"
        self.report("expand", SILICON, listed)
        self.assertEqual(self.report("expand", SILICON, found, "--operations", "spglib")["kpoints"], 64)
        self.assertGreater(self.report("verify", listed, found)["min_overlap"], 1 - 1e-9)

    def test_changes_are_said(self):
        said = self.report("reassign", SILICON, self.folder / "up.save", "--ecut", "18Ry")
        self.assertGreater(min(said["waves_added"]), 0)
        self.assertEqual((said["cutoff"], max(said["waves_left_out"]), said["max_norm_lost"]), (9, 0, 0))
        said = self.report("reassign", SILICON, self.folder / "low.save", "--ecut", "8Ry", "--bands", "6")
        self.assertEqual(len(said["norm_lost"]), 8 * 6)
        self.assertGreater(min(said["norm_lost"]), 0)
        self.assertEqual(max(said["norm_lost"]), said["max_norm_lost"])

    def test_start_near_converged_bands(self):
        for other in ("si_ecut2", "si_cell2"):
            like = SHARED / other / f"{other}.save"
            if not like.is_dir():
                self.skipTest(f"{other} is not here")
            said = self.report("reassign", SILICON, self.folder / f"{other}.save", "--like", like, "--orthonormal", "loewdin")
            self.assertGreater(said["occupied_overlap"], 0.99)
            self.assertTrue(self.report("info", self.folder / f"{other}.save", "--check")["sound"])
