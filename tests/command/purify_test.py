# SPDX-License-Identifier: BSD-3-Clause
"""What `seiche purify` says, against the eigenvectors of a matrix so small that they can be found here."""
import math

from case import Case, csr, on_terminal, ranks, run, seiche


class Purify(Case):
    # Two pairs of levels -1 and 1 in the basis (1, 1), (1, -1): P is 1 in all elements of a pair, Tr(P K) = -4.
    KOHN_SHAM = [[0, -1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, -1], [0, 0, -1, 0]]
    OVERLAP = [[float(i == j) for j in range(4)] for i in range(4)]

    def setUp(self):
        super().setUp()
        self.ks, self.s = self.matrix("ks.csr", self.KOHN_SHAM), self.matrix("s.csr", self.OVERLAP)

    def matrix(self, name, rows):
        return csr(self.folder / name, rows)

    def arguments(self, *more):
        return ["purify", self.ks, self.s, "--electrons", 4, *more]

    def test_written_matrix_is_reported_and_right(self):
        written = self.folder / "p.mtx"
        for path, say in ((written, run(*self.arguments("-o", written)).stdout),
                          (None, run(*self.arguments()).stdout)):
            self.assertEqual("written" in say, path is not None, say)
        elements = {(int(i), int(j)): float(v)
                    for i, j, v in (line.split() for line in written.read_text().splitlines()[2:])}
        for (i, j), value in elements.items():
            self.assertAlmostEqual(value, 1 if (i - 1) // 2 == (j - 1) // 2 else 0, delta=1e-9)
        self.assertGreaterEqual(len(elements), 8)

    def test_fields_of_the_contract(self):
        written = self.folder / "p.csr"
        found = self.report(*self.arguments("-o", written))
        self.assertAlmostEqual(found["trace"], 4, delta=1e-9)
        self.assertAlmostEqual(found["energy"], -4, delta=1e-9)
        self.assertLess(found["idempotency"], 1e-9)
        self.assertLess(found["error_bound"], 1e-6)
        self.assertGreater(found["iterations"], 0)
        self.assertAlmostEqual(found["norm"], 8 ** 0.5, delta=1e-9)
        self.assertIs(found["error_bound_useful"], True)
        self.assertEqual(found["files"], [str(written)])

    def test_one_spin_has_any_number_of_electrons(self):
        self.ks = self.matrix("ks.csr", [[-2, 0, 0, 0], [0, -1, .1, 0], [0, .1, -.5, 0], [0, 0, 0, 1]])
        written = self.folder / "p.mtx"
        found = self.report("purify", self.ks, self.s, "--electrons", 3, "--one-spin", "-o", written)
        self.assertAlmostEqual(found["trace"], 3, delta=1e-9)
        self.assertAlmostEqual(found["energy"], -3.5, delta=1e-9)
        self.assertLess(found["idempotency"], 1e-8)
        self.assertEqual(found["electrons_per_state"], 1)
        for i, j, value in (line.split() for line in written.read_text().splitlines()[2:]):
            self.assertAlmostEqual(float(value), i == j != "4", delta=1e-9)
        self.assertIn("(--one-spin)", run("purify", self.ks, self.s, "--electrons", 3).stderr)

    def test_temperature_fills_levels_in_part(self):
        for electrons, temperature in ((4, 0.5), (2.5, 0.25)):
            found = self.report("purify", self.ks, self.s, "--electrons", electrons, "--temperature", temperature,
                                   "--eps", 0)
            # levels -1 and 1, each two times with two electrons: electrons = 4 (f(-1) + f(1))
            low, high = -10.0, 10.0
            for _ in range(100):
                middle = (low + high) / 2
                f = [1 / (1 + math.exp((level - middle) / temperature)) for level in (-1, 1)]
                low, high = (middle, high) if 4 * sum(f) < electrons else (low, middle)
            entropy = -4 * sum(x * math.log(x) + (1 - x) * math.log(1 - x) for x in f)
            energy = 4 * (f[1] - f[0])
            for field, expected in (("trace", electrons), ("energy", energy), ("entropy", entropy), ("homo", middle),
                                    ("lumo", middle), ("chemical_potential", middle), ("temperature", temperature),
                                    ("free_energy", energy - temperature * entropy)):
                self.assertAlmostEqual(found[field], expected, delta=1e-8, msg=field)
            self.assertEqual(found["purifier"], "fermi-dirac")
            self.assertLess(found["error_bound"], 1e-9)
        said = run(*self.arguments("--temperature", 0.5)).stdout
        self.assertIn("(fermi-dirac)", said)
        self.assertRegex(said, r"(?m)^energy - temperature \* entropy +-")
        self.assertNotIn("entropy", run(*self.arguments()).stdout)
        self.assertIn("--temperature: the value -1 is invalid: it must be at least 0", run(*self.arguments("--temperature", -1)).stderr)

    def test_complex_matrices_of_a_k_point(self):
        # Levels -1 and 1 in the basis (1, i), (1, -i): P is 1 on the diagonal, and -i or i beside it.
        rows = [[0, 1j, 0, 0], [-1j, 0, 0, 0], [0, 0, 0, 1j], [0, 0, -1j, 0]]
        self.ks, written = self.matrix("ks.csr", rows), self.folder / "p.mtx"
        for overlap in (self.s, self.matrix("complex.csr", [[complex(value) for value in row] for row in self.OVERLAP])):  # real, too
            found = self.report("purify", self.ks, overlap, "--electrons", 4, "-o", written)
            self.assertAlmostEqual(found["trace"], 4, delta=1e-9)
            self.assertAlmostEqual(found["energy"], -4, delta=1e-9)
            lines = written.read_text().splitlines()
            self.assertIn("complex", lines[0])
            for i, j, real, imaginary in (line.split() for line in lines[2:]):
                expected = int(i == j) - rows[int(i) - 1][int(j) - 1]
                self.assertAlmostEqual(complex(float(real), float(imaginary)), expected, delta=1e-9)
            written.unlink()
        self.ks = self.matrix("ks.csr", [[0, 1j, 0, 0], [1j, 0, 0, 0], [0, 0, 0, 1j], [0, 0, -1j, 0]])
        self.assertIn("K is not hermitian", run(*self.arguments()).stderr)
        self.s = self.matrix("s.csr", rows)
        self.ks = self.matrix("ks.csr", self.KOHN_SHAM)
        self.assertIn("not positive definite", run(*self.arguments()).stderr)

    def test_bound_of_no_use_is_called_so(self):
        self.ks = self.matrix("ks.csr", [[0, -1, .02, 0], [-1, 0, 0, .01], [.02, 0, 0, -1], [0, .01, -1, 0]])
        self.s = self.matrix("s.csr", [[1, .1, .02, 0], [.1, 1, 0, .01], [.02, 0, 1, .1], [0, .01, .1, 1]])
        for eps, of_use in ((1e-4, True), (0.1, False)):
            arguments = self.arguments("--blocks", "4x1", "--eps", eps)
            found = self.report(*arguments)
            self.assertIs(found["error_bound_useful"], of_use)
            said = r"\S+$" if of_use else r"\S+, too large compared with \|P\| = \S+: use a smaller --eps$"
            self.assertRegex(run(*arguments).stdout, r"(?m)^error of P at most +" + said)

    def test_too_few_iterations_blame_nothing_else(self):
        slow = [[1.0, 0.9, 0, 0], [0.9, 1.0, 0, 0], [0, 0, 1.0, 0.9], [0, 0, 0.9, 1.0]]
        self.s = self.matrix("slow.csr", slow)
        for option in ("--iterations", "--max-iterations"):  # the same, by its old and its new name
            done = run(*self.arguments(option, 3))
            self.assertEqual(done.returncode, 1)
            self.assertIn("S^(-1/2) has not converged in 3 iterations", done.stderr)
            self.assertIn("allow more (default: 100)", done.stderr)
            self.assertNotIn("overlap", done.stderr)

    def test_bar_shows_iterations_on_a_terminal(self):
        if ranks != "1":
            self.skipTest("mpiexec is no terminal")
        said, shown = on_terminal([seiche, *map(str, self.arguments())])
        self.assertIn("Tr(P K)", said)
        self.assertIn("S^(-1/2)  1, error", shown)
        self.assertIn("purify  2, error", shown)
        self.assertTrue(shown.endswith("\r\033[K"), "the bar is left behind")
        self.assertNotIn(", error", run(*self.arguments()).stderr)
