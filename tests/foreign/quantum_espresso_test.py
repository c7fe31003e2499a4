#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Quantum ESPRESSO itself restarts from a .save that went through another format: the energy of its first iteration is
that of the run that wrote the wavefunctions, and it needs fewer steps than from wavefunctions with their waves out of
order. pp.x and pw2bgw.x read it. Slow, needs Debian's quantum-espresso and the sets beside the repository:
quantum_espresso_test.py SEICHE SHARED"""
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

MISSING = 77  # what ctest takes for a skip
seiche, shared = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
if not shutil.which("pw.x") or not (shared / "pseudo").is_dir():
    print("skipped: no pw.x, or no data/pseudo beside the repository; ./dev foreign installs pw.x")
    sys.exit(MISSING)


def run(*arguments, folder, stdin=None):
    return subprocess.run([str(a) for a in arguments], cwd=folder, capture_output=True, text=True, timeout=300, input=stdin)


def record_offsets(raw):
    at = 0
    while at < len(raw):
        (length,) = struct.unpack_from("<i", raw, at)
        yield at + 4, length
        at += length + 8


class QuantumEspresso(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-qe-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def through(self, name, between):
        """The set's .save after a way through another format, with the density that Seiche makes of it."""
        source, target = shared / name / f"{name}.save", self.folder / "out" / f"{name}.save"
        (self.folder / "out").mkdir(exist_ok=True)
        for one, other in ((source, self.folder / between), (self.folder / between, target)):
            done = run(seiche, "convert", one, other, folder=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        beside = self.folder / "charge-density.dat"  # nothing is written into what is read
        done = run(seiche, "density", target, "-o", beside, "--compare", source, folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.move(beside, target / beside.name)
        return target

    def restart(self, name, solver):
        """The energy (Ry) of the first iteration, and the average number of steps of the solver."""
        text = (shared / name / "scf.in").read_text()
        text = re.sub(r"pseudo_dir='[^']*'", f"pseudo_dir='{shared / 'pseudo'}'", text)
        text = re.sub(r"outdir='[^']*'", "outdir='./out'", text)
        text = re.sub(r"conv_thr=[^,\n]*", "conv_thr=1.0d-6", text)
        text = re.sub(r",?\s*diagonalization='[^']*'", "", text)
        text = text.replace("&ELECTRONS", f"&ELECTRONS\n startingwfc='file', startingpot='file', diagonalization={solver},")
        done = run("pw.x", folder=self.folder, stdin=text)
        self.assertIn("Starting wfcs from file", done.stdout, done.stdout[-2000:])
        energy = re.search(r"total energy\s+=\s+(\S+) Ry", done.stdout)
        steps = re.search(r"avg # of iterations =\s*(\S+)", done.stdout)
        self.assertTrue(energy and steps, done.stdout[-2000:])
        return float(energy[1]), float(steps[1])

    def energy_of(self, name):
        return float(re.findall(r"!\s+total energy\s+=\s+(\S+) Ry", (shared / name / "scf.out").read_text())[-1])

    def test_restart(self):
        # Solvers that take bands which are right already, as pw.x takes its own files with them: not every one does
        for name, solver in (("si_small", "'ppcg'"), ("fe", "'david'"), ("gamma", "'david'")):
            with self.subTest(name):
                self.through(name, f"{name}.h5" if name != "gamma" else "between.save")
                energy, _ = self.restart(name, f"{solver}, diago_thr_init=1.0d-10")
                self.assertAlmostEqual(energy, self.energy_of(name), delta=2e-6)
                print(f"{name}: {energy} Ry, {self.energy_of(name)} where the wavefunctions come from")

    def test_it_is_our_wavefunctions_that_help(self):
        save = self.through("si_small", "a.h5")
        solver = "'cg', diago_thr_init=1.0d-17"  # far below what the density is off: steps are counted, not the energy
        _, good = self.restart("si_small", solver)
        for path in save.glob("wfc*.dat"):
            raw = bytearray(path.read_bytes())
            for offset, length in list(record_offsets(raw))[4:]:
                waves = [bytes(raw[i:i + 16]) for i in range(offset, offset + length, 16)]
                raw[offset:offset + length] = b"".join(reversed(waves))
            path.write_bytes(raw)
        _, bad = self.restart("si_small", solver)
        print(f"{good} steps from our wavefunctions, {bad} from scrambled ones")
        self.assertLess(2 * good, bad)

    def numbers(self, path):
        """The records of a file of pw2bgw.x but the first, which has the date, as numbers. Cell and atoms, which it gives
        in units of a length that a code is free to choose, in bohr."""
        raw = path.read_bytes()
        records = [raw[offset:offset + length] for offset, length in record_offsets(raw)][1:]
        found = [struct.unpack(f"<{len(r) // 4}i", r) if len(r) % 8 else struct.unpack(f"<{len(r) // 8}d", r) for r in records]
        for place in (2, 3):
            volume, unit, *rest = found[place]
            found[place] = (volume, *(unit * x for x in rest[:9]), *rest[9:])
        atoms = struct.unpack("<" + len(records[6]) // 28 * "3di", records[6])
        length = struct.unpack("<20d", records[2])[1]
        found[6] = tuple(x if i % 4 == 3 else length * x for i, x in enumerate(atoms))
        return records, found

    def expect_same_records(self, ours, theirs):
        (bytes_of_one, one), (bytes_of_other, other) = self.numbers(ours), self.numbers(theirs)
        self.assertEqual([len(record) for record in one], [len(record) for record in other])
        for place, (record, wanted) in enumerate(zip(one, other)):
            if bytes_of_one[place] == bytes_of_other[place]:
                continue
            for x, y in zip(record, wanted):
                self.assertAlmostEqual(x, y, delta=1e-11, msg=f"record {place + 2}")
        return len(one)

    def cube(self, path):
        lines = path.read_text().splitlines()
        atoms = int(lines[2].split()[0])
        return [float(x) for line in lines[6 + atoms:] for x in line.split()]

    def test_single_orbitals(self):
        """pp.x puts the same |psi|^2 on the grid, within the digits that it writes. (Of half spheres it takes the stored half
        alone, whose square is another: those are judged by the sum over waves and by the density.)"""
        for name, k, band in (("si_small", 2, 3), ("si_small", 7, 5), ("al2o3_prim", 2, 12)):
            with self.subTest(name, k=k, band=band):
                shutil.copytree(shared / name / f"{name}.save", self.folder / "out" / f"{name}.save", dirs_exist_ok=True)
                save = self.folder / "out" / f"{name}.save"
                for path in [save, *save.iterdir()]:
                    path.chmod(0o755)
                for potential in (shared / "pseudo").glob("*.upf"):
                    shutil.copy(potential, save)
                done = run("pp.x", folder=self.folder,
                           stdin=f"&INPUTPP prefix='{name}', outdir='./out', plot_num=7, kpoint(1)={k}, kband(1)={band}, filplot='one' /\n"
                           "&PLOT iflag=3, output_format=6, fileout='one.cube' /\n")
                self.assertTrue((self.folder / "one.cube").exists(), done.stdout[-2000:] + done.stderr[-500:])
                ours = run(seiche, "orbital", save, "--band", band, "--kpoint", k, "-o", "ours.cube", folder=self.folder)
                self.assertEqual(ours.returncode, 0, ours.stderr)
                one, other = self.cube(self.folder / "ours.cube"), self.cube(self.folder / "one.cube")
                self.assertEqual(len(one), len(other))
                apart = max(abs(x - y) for x, y in zip(one, other)) / max(one)
                print(f"{name}, k-point {k}, band {band}: {apart:.1e} of the largest value from pp.x")
                self.assertLess(apart, 1e-4)
                (self.folder / "one.cube").unlink()

    def test_pw2bgw(self):
        """BerkeleyGW's converter makes the same of our wavefunctions and density as it made of the code's own."""
        save = self.through("si_small", "a.h5")
        self.name_pseudopotential(save)
        text = (shared / "si_small" / "pw2bgw.in").read_text()
        done = run("pw2bgw.x", folder=self.folder, stdin=text)
        self.assertTrue((self.folder / "out" / "RHO").exists(), done.stdout[-2000:] + done.stderr[-500:])
        records = self.expect_same_records(self.folder / "out" / "WFN", shared / "si_small" / "WFN")
        self.assertGreater(records, 64)  # one for each band, and more
        self.expect_same_records(self.folder / "out" / "RHO", shared / "si_small" / "RHO")

    def name_pseudopotential(self, save):
        """The names of pseudopotentials are made up by a file that does not know them."""
        shutil.copy(shared / "pseudo" / "Si_std_PBE_SR.upf", save)
        text = (save / "data-file-schema.xml").read_text()
        (save / "data-file-schema.xml").write_text(text.replace("Si.upf", "Si_std_PBE_SR.upf"))

    def plot(self, number, output):
        """pp.x of our .save: a .cube and an .xsf."""
        for style, ending in ((6, "cube"), (5, "xsf")):
            done = run("pp.x", folder=self.folder,
                       stdin=f"&INPUTPP prefix='si_small', outdir='./out', plot_num={number}, filplot='plot' /\n"
                       f"&PLOT iflag=3, output_format={style}, fileout='{output}.{ending}' /\n")
            self.assertTrue((self.folder / f"{output}.{ending}").exists(), done.stdout[-2000:] + done.stderr[-500:])

    def values(self, path):
        """What seiche makes of a file: the grid, and the numbers of its .cube, which has 17 digits."""
        done = run(seiche, "convert", path, self.folder / "again.cube", "--json", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = (self.folder / "again.cube").read_text().split("\n", 2)[2].split()
        head = 4 + 3 * 4 + 5 * int(words[0])
        return json.loads(done.stdout), [float(word) for word in words[head:]]

    def test_post_processing(self):
        save = self.through("si_small", "a.h5")
        self.name_pseudopotential(save)
        self.plot(0, "rho")
        for ending in ("cube", "xsf"):
            done = run(seiche, "density", save, "--compare", f"rho.{ending}", "--json", folder=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLess(json.loads(done.stdout)["max_relative_deviation"], 1e-4)  # it writes few digits
        self.plot(1, "potential")
        (one, a), (other, b) = (self.values(f"potential.{ending}") for ending in ("cube", "xsf"))
        self.assertEqual([one["units"], other["units"]], ["as in potential.cube", "as in potential.xsf"])
        self.assertEqual([one["grid"], len(a), len(b)], [[20, 20, 20], 8000, 8000])
        scale = max(map(abs, a))
        self.assertGreater(scale, 0.1)
        for x, y in zip(a, b):
            self.assertAlmostEqual(x, y, delta=1e-4 * scale)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
