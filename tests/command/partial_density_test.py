# SPDX-License-Identifier: BSD-3-Clause
"""Partial densities, judged by orbitals and by the whole density."""


from case import HARTREE, IRON, SILICON, WATER, Case, cube, without_weight


class PartialDensities(Case):
    def density(self, *options, save=SILICON):
        path = self.folder / "d.cube"
        found = self.report("density", save, *options, "-o", path)
        return cube(path)[0], found

    def test_one_state(self):
        part, found = self.density("--band", 3, "--kpoint", 2, "--no-symmetry")
        self.text("orbital", SILICON, "--band", 3, "--kpoint", 2, "-o", self.folder / "o.cube")
        weight = 2 * self.report("info", SILICON)["kpoint_list"][1]["weight"]
        self.assert_close(part, [weight * y for y in cube(self.folder / "o.cube")[0]], 1e-13)
        self.assertEqual(found["states"], 1)
        self.assertAlmostEqual(found["electrons"], weight, delta=1e-12)

    def test_states_of_kpoints_without_weight(self):
        save = without_weight(SILICON, 7, self.folder / "path.save")
        part, found = self.density("--band", 5, "--kpoint", 7, "--no-symmetry", save=save)
        self.text("orbital", SILICON, "--band", 5, "--kpoint", 7, "-o", self.folder / "o.cube")
        self.assert_close(part, [2 * y for y in cube(self.folder / "o.cube")[0]], 1e-13)
        self.assertAlmostEqual(found["electrons"], 2, delta=1e-12)
        mesh, beside = self.density("--bands", "1-4", save=save), self.density("--bands", "1-4", "--kpoint", "1-6,8", save=save)
        self.assertAlmostEqual(mesh[1]["electrons"], 8, delta=1e-10)
        self.assertEqual(mesh[0], beside[0])

    def test_all_occupied_states_make_the_density(self):
        self.assertLessEqual(self.report("density", WATER, "--bands", "1-4", "--compare", WATER)["max_relative_deviation"], 1e-12)
        for options in (["--bands", "1-4"], ["--energies", "-100eV:0eV"], ["--energies", ":0"]):
            found = self.report("density", SILICON, *options, "--compare", SILICON)
            self.assertLessEqual(found["max_relative_deviation"], 1e-12)
            self.assertEqual(found["states"], 32)
        self.assertEqual(found["energy_zero"]["is"], "the highest occupied state")
        self.assertAlmostEqual(found["energy_zero"]["energy"] * HARTREE, 6.2914, delta=6e-5)

    def test_empty_states_count_as_full_ones(self):
        low, _ = self.density("--bands", "1-4")
        high, found = self.density("--bands", "5-8")
        self.assertAlmostEqual(found["electrons"], 8, delta=1e-10)
        both, _ = self.density("--bands", "1-8")
        self.assert_close([x + y for x, y in zip(low, high)], both, 1e-13)

    def test_energies_of_a_window(self):
        info = self.report("info", SILICON)
        top = info["gap"]["highest_occupied"]["energy"]
        inside = [e for point in info["energies"][0] for e in point if top - 2 / HARTREE <= e <= top + 1 / HARTREE]
        found = self.report("density", SILICON, "--energies", "-2eV:1eV")
        self.assertEqual(found["states"], len(inside))
        self.assertEqual(self.report("density", SILICON, "--energies", "-2eV:1eV", "--bands", "5-8")["states"],
                         sum(1 for point in info["energies"][0] for e in point[4:] if e <= top + 1 / HARTREE))
        self.assert_close(found["energy_range"], (-2 / HARTREE, 1 / HARTREE), 1e-12)
        for words in ("-2ev:1EV", f"{-4 / HARTREE:.15f}ry:{1 / HARTREE:.15f}ha", "-2 eV:+1 eV"):
            self.assertEqual(self.report("density", SILICON, "--energies", words)["states"], len(inside), words)
        self.assertIn("from -2.0000 eV to the highest state, relative to the highest occupied state", self.text("density", SILICON, "--energies", "-2eV:"))
        self.assertEqual(self.report("density", IRON, "--energies", "-1eV:1eV", "--as-they-are")["energy_zero"]["is"], "the Fermi level")

    def test_without_symmetry_atoms_may_differ(self):
        one, _ = self.density("--band", 4, "--kpoint", 5)
        plain, _ = self.density("--band", 4, "--kpoint", 5, "--no-symmetry")
        self.assertGreater(max(abs(x - y) for x, y in zip(one, plain)), 1e-4)

    def test_what_is_no_choice_is_refused(self):
        for words, part in ((["--energies", "2eV"], "is not a range"), (["--energies", "a:b"], "--energies a is not an energy"),
                            (["--energies", "900eV:"], "has no states in this energy range"), (["--bands", "12"], "no band 12")):
            self.refused(part, arguments=("density", SILICON, *words))
