#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares exchange energies of Seiche and of Quantum ESPRESSO's pw.x for the same orbitals, with PBE0 and HSE, with
silicon and water, at gamma and at k-points, with one and two spins. Needs Debian's quantum-espresso and the
pseudopotentials beside the repository: exact_exchange_test.py PYTHON SHARED LAUNCHER..."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MISSING = 77  # the exit status of a skipped test
python, shared, *launcher = sys.argv[1:]
pseudo = pathlib.Path(shared) / "pseudo"
if not shutil.which("pw.x") or not pseudo.is_dir():
    print("skipped: no pw.x, or no data/pseudo beside the repository; ./dev foreign installs pw.x")
    sys.exit(MISSING)

SILICON = """
 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, nbnd=4, ecutwfc=12, nosym=.true., noinv=.true., {system}
/
&electrons
 conv_thr=1e-11
/
ATOMIC_SPECIES
Si 28 Si_std_PBE_SR.upf
ATOMIC_POSITIONS alat
Si 0 0 0
Si .26 .25 .25
K_POINTS automatic
2 2 2 0 0 0
"""
WATER = """
 ibrav=1, celldm(1)=11, nat=3, ntyp=2, ecutwfc=25, nosym=.true., {system}
/
&electrons
 conv_thr=1e-10
/
ATOMIC_SPECIES
O 16 O_std_PBE_SR.upf
H 1 H_std_PBE_SR.upf
ATOMIC_POSITIONS angstrom
O 0 0 0
H .757 .586 0
H -.757 .586 0.02
K_POINTS gamma
"""
PBE0, HSE = {"input_dft": "'pbe0'"}, {"input_dft": "'hse'", "screening_parameter": "0.106"}
TWO_SPINS = {"nspin": "2", "tot_magnetization": "0"}
CATION = {"nspin": "2", "tot_charge": "1", "tot_magnetization": "1"}
CASES = {
    "silicon, PBE0, q = 0": (SILICON, PBE0, 1),
    "silicon, PBE0, 2 x 2 x 2 points q": (SILICON, PBE0, 2),
    "silicon, HSE, 2 x 2 x 2 points q": (SILICON, HSE, 2),
    "silicon, PBE0, two spins": (SILICON, {**PBE0, **TWO_SPINS}, 2),
    "water, PBE0": (WATER, PBE0, 1),
    "water, HSE": (WATER, HSE, 1),
    "cation of water, PBE0, two spins": (WATER, {**PBE0, **CATION}, 1),
}
PRINTED = 1.1e-8  # pw.x prints eight digits


class ExactExchange(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="seiche-exchange-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def of_pw(self, text, options, grid):
        """Runs pw.x. Returns its exchange energy and the cutoff of the exchange operator, in Ry."""
        system = {**options, "exxdiv_treatment": "'none'", "x_gamma_extrapolation": ".false.",
                  **{f"nqx{axis}": grid for axis in (1, 2, 3)}}
        control = f"&control\n prefix='x', outdir='{self.folder}', pseudo_dir='{pseudo}'\n/\n&system"
        given = control + text.format(system=", ".join(f"{name}={value}" for name, value in system.items()))
        (self.folder / "in").write_text(given, encoding="utf-8")
        done = subprocess.run(["pw.x", "-in", "in"], cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
        self.assertIn("JOB DONE", done.stdout, done.stdout[-2000:])
        cutoff = re.search(r"cutoff for Fock operator\s*=\s*([\d.]+)", done.stdout)
        return float(re.findall(r"\+ Fock energy.*=\s*(-[\d.]+)", done.stdout)[-1]), float(cutoff[1])

    def of_seiche(self, options, grid, cutoff):
        words = [python, pathlib.Path(__file__).with_name("exchange_energy.py"), self.folder / "x.save", "0.25",
                 options.get("screening_parameter", "0"), str(cutoff), f"{grid},{grid},{grid}"]
        done = subprocess.run([*launcher, *words], cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return float(done.stdout)

    def test_energies_are_equal(self):
        for name, (text, options, grid) in CASES.items():
            with self.subTest(name):
                expected, cutoff = self.of_pw(text, options, grid)
                found = self.of_seiche(options, grid, cutoff)
                print(f"{name}: pw.x {expected:.8f} Ry, Seiche {found:.10f} Ry")
                self.assertAlmostEqual(found, expected, delta=PRINTED)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unittest.main(argv=sys.argv[:1])
