#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Other people's programs read what Seiche writes, and Seiche reads what they read in the same way: castepxbin, c2x,
pymatgen, h5py, netCDF4 and ABINIT itself. Slow, and needs their packages: ./dev foreign installs them.
foreign_readers_test.py SEICHE DATA SHARED"""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

MISSING = 77  # what ctest takes for a skip
try:
    import castepxbin.wave
    import h5py
    import netCDF4
    import numpy as np
    from pymatgen.io.vasp.outputs import Chgcar, Locpot, Wavecar
except ImportError as missing:
    print(f"skipped: {missing}; run ./dev foreign")
    sys.exit(MISSING)

seiche, data, shared = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
SETS = {name: data / name / f"{name}.save" for name in ("si_small", "gamma", "fe_so")}


def run(*arguments, folder=None):
    done = subprocess.run([str(a) for a in arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{arguments} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def info(path):
    return json.loads(run(seiche, "info", path, "--json"))


def records(path):
    """The records of a little-endian Fortran file."""
    raw, at = path.read_bytes(), 0
    while at < len(raw):
        (length,) = struct.unpack_from("<i", raw, at)
        yield raw[at + 4:at + 4 + length]
        at += length + 8


def espresso(name, k):
    """Waves and coefficients [band][component][wave] of Quantum ESPRESSO's own file, by its documented layout."""
    content = list(records(SETS[name] / f"wfc{k + 1}.dat"))
    spinor = np.frombuffer(content[1], "<i4")[2]
    waves = np.frombuffer(content[3], "<i4").reshape(-1, 3)
    return waves, np.array([np.frombuffer(r, "<c16") for r in content[4:]]).reshape(-1, spinor, len(waves))


def places(waves, wanted):
    """Where each of `wanted` is in `waves`."""
    found = {tuple(g): i for i, g in enumerate(np.asarray(waves).tolist())}
    return [found[tuple(g)] for g in np.asarray(wanted).astype(int).tolist()]


class Foreign(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="seiche-foreign-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def convert(self, source, name, *options):
        run(seiche, "convert", source, self.folder / name, *options)
        return self.folder / name

    def shared(self, name):
        path = shared / name
        if not path.exists():
            self.skipTest(f"{name} is not here; set SEICHE_SHARED")
        return path

    # ---------------------------------------------------------------------------- what we write, as others read it

    def test_castepxbin_reads_our_check(self):
        for name, path in SETS.items():
            wave = castepxbin.wave.WaveFunction.from_file(str(self.convert(path, f"{name}.check")))
            for k in range(wave.nkpts):
                waves, c = espresso(name, k)
                at = places(waves, wave.get_gvectors(k).T)
                for band in range(len(c)):
                    for component in range(c.shape[1]):
                        np.testing.assert_array_equal(wave.get_plane_wave_coeffs(0, k, band, component),
                                                      c[band, component, at])
            header = info(path)
            np.testing.assert_allclose(np.array(wave.kpts).T, [p["k"] for p in header["kpoint_list"]], atol=1e-14)

    def test_castepxbin_reads_the_density_of_our_check(self):
        for name in ("si_small", "gamma"):
            check = self.convert(SETS[name], f"{name}.check", "--density")
            found = castepxbin.read_castep_bin(str(check))["charge_density"]
            cube = self.folder / f"{name}.h5"
            run(seiche, "density", SETS[name], "-o", cube)
            with h5py.File(cube) as file:
                ours, cell = np.array(file["density"]), np.array(file["lattice"])
            expected = ours.transpose(2, 1, 0) * abs(np.linalg.det(cell))
            self.assertEqual(found.shape[:3], expected.shape)
            np.testing.assert_allclose(np.asarray(found).reshape(expected.shape), expected, rtol=0,
                                       atol=1e-12 * expected.max())

    def test_c2x_reads_our_check(self):
        if not shutil.which("c2x"):
            self.skipTest("c2x is not here; run ./dev foreign")
        for name, path in SETS.items():
            check = self.convert(path, f"{name}.check")
            done = subprocess.run(["c2x", "-v", "-c", "-O", check, self.folder / "out.xsf"], capture_output=True,
                                  text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = done.stdout + done.stderr
            occupied = {"si_small": 4, "gamma": 4, "fe_so": 16}[name]
            total = float(text.split("Weighted total:")[1].split()[0])
            self.assertAlmostEqual(total, occupied, places=5)
            self.assertIn(f"{info(path)['cutoff_hartree'] * 27.211386:.0f}"[:3], text)

    def test_pymatgen_reads_our_wavecar(self):
        for name, path in SETS.items():
            wavecar = Wavecar(str(self.convert(path, f"WAVECAR.{name}")))
            self.assertEqual(wavecar.vasp_type, {"si_small": "std", "gamma": "gam", "fe_so": "ncl"}[name])
            for k in range(wavecar.nk):
                waves, c = espresso(name, k)
                whole = {tuple(g): (i, False) for i, g in enumerate(waves.tolist())}
                if name == "gamma":  # pymatgen lists both of each pair
                    for i, g in enumerate((-waves).tolist()):
                        whole.setdefault(tuple(g), (i, True))
                at = [whole[tuple(g)] for g in wavecar.Gpoints[k].astype(int).tolist()]
                for band in range(wavecar.nb):
                    found = np.asarray(wavecar.coeffs[k][band]).reshape(c.shape[1], -1)
                    for component in range(c.shape[1]):
                        expected = [np.conj(c[band, component, i]) if opposite else c[band, component, i]
                                    for i, opposite in at]
                        np.testing.assert_allclose(found[component], expected, rtol=0, atol=2e-16)

    def test_pymatgen_reads_our_chgcar(self):
        for name, path in SETS.items():
            chgcar, own = self.folder / f"CHGCAR_{name}", self.folder / f"{name}.h5"
            for made in (chgcar, own):
                run(seiche, "convert", path / "charge-density.dat", made)
            found = Chgcar.from_file(str(chgcar))
            with h5py.File(own) as file:
                cell = np.array(file["lattice"])
                expected = {key: np.array(file[key]).transpose(2, 1, 0) * abs(np.linalg.det(cell))
                            for key in ("density", "mx", "my", "mz") if key in file}
                atoms = len(file["atomic_numbers"])
            self.assertEqual(len(found.structure), atoms)
            np.testing.assert_allclose(found.structure.lattice.matrix, cell * 0.529177249, rtol=0, atol=1e-12)
            words = {"density": "total", "mx": "diff_x", "my": "diff_y", "mz": "diff_z"}
            self.assertEqual(name == "fe_so", "mx" in expected)
            for key, values in expected.items():
                np.testing.assert_allclose(found.data[words[key]], values, rtol=0, atol=1e-13 * abs(expected["density"]).max())

    def test_pymatgens_chgcar_and_locpot_as_we_read_them(self):
        rho = self.folder / "CHGCAR"
        run(seiche, "convert", SETS["si_small"] / "charge-density.dat", rho)
        ours = Chgcar.from_file(str(rho))
        spin = Chgcar(ours.poscar, {"total": ours.data["total"], "diff": 0.25 * ours.data["total"]})
        spin.write_file(str(self.folder / "CHGCAR_theirs"))
        run(seiche, "convert", self.folder / "CHGCAR_theirs", self.folder / "theirs.h5")
        Locpot(ours.poscar, {"total": ours.data["total"]}).write_file(str(self.folder / "LOCPOT"))
        run(seiche, "convert", self.folder / "LOCPOT", self.folder / "potential.h5")
        with h5py.File(self.folder / "theirs.h5") as file:
            volume = abs(np.linalg.det(np.array(file["lattice"])))
            values = [np.array(file[key]).transpose(2, 1, 0) * volume for key in ("density", "mz")]
        with h5py.File(self.folder / "potential.h5") as file:
            potential = np.array(file["density"]).transpose(2, 1, 0)
            self.assertTrue(np.bytes_(file.attrs["units"]).startswith(b"eV"))
        for found, factor in ((values[0], 1), (values[1], 0.25), (potential, 1)):  # pymatgen writes 11 digits
            np.testing.assert_allclose(found, factor * ours.data["total"], rtol=1e-9, atol=1e-9)

    def test_h5py_finds_the_layout_of_wfn(self):
        path = self.convert(SETS["si_small"], "WFN.h5")
        with h5py.File(path) as file:
            self.assertEqual(file["mf_header/versionnumber"][()], 1)
            start = 0
            for k, count in enumerate(file["mf_header/kpoints/ngk"][()]):
                waves, c = espresso("si_small", k)
                at = places(waves, file["wfns/gvecs"][start:start + count])
                found = file["wfns/coeffs"][:, 0, start:start + count].view(complex)[..., 0]
                np.testing.assert_array_equal(found, c[:, 0, at])
                start += count

    def test_abinit_continues_from_our_wfk(self):
        """The first iteration's energy from Quantum ESPRESSO's bands is converged: it is the same physics."""
        pseudo = self.shared("pseudo/Si_std_PBE_SR.psp8")
        if not shutil.which("abinit"):
            self.skipTest("abinit is not here; run ./dev foreign")
        self.convert(SETS["si_small"], "runi_WFK", "--to", "abinit")
        points = info(SETS["si_small"])["kpoint_list"]
        lines = ["acell 3*10.2631", "rprim -0.5 0 0.5  0 0.5 0.5  -0.5 0.5 0", "ntypat 1", "znucl 14", "natom 2",
                 "typat 1 1", "xred 0 0 0  0.25 0.25 0.25", "ecut 6", "ngfft 20 20 20", "kptopt 0", "nband 8",
                 f"nkpt {len(points)}", "kpt", *("%.14f %.14f %.14f" % tuple(p["k"]) for p in points), "wtk",
                 *(f"{p['weight']:.12f}" for p in points), "istwfk *1", "occopt 1", "irdwfk 1", "nstep 2",
                 "tolwfr 1e-18", "chksymbreak 0", "prtwf 0", "prtden 0", "prteig 0", "prtebands 0", "prtgsr 0",
                 f'pp_dirpath "{pseudo.parent}"', f'pseudos "{pseudo.name}"']
        (self.folder / "run.abi").write_text("\n".join(lines) + "\n")
        log = run("abinit", "run.abi", folder=self.folder)
        steps = [line.split() for line in log.splitlines() if line.startswith(" ETOT ")]
        energies = [float(step[2]) for step in steps]
        self.assertAlmostEqual(energies[0], energies[-1], delta=1e-12)
        self.assertAlmostEqual(energies[0], -8.43709000428, delta=1e-9)  # ABINIT's own, from its own bands
        self.assertLess(float(steps[0][4]), 1e-13)  # residual of the bands as they came

    # ------------------------------------------------------------------- what others wrote, as they and we read it

    def as_wfn(self, source):
        """Coefficients [k][band][component][wave] and waves [k], by way of our WFN.h5 and h5py."""
        with h5py.File(self.convert(source, "read.h5", "--to", "wfn")) as file:
            ends = np.cumsum(file["mf_header/kpoints/ngk"][()])
            parts = [slice(end - n, end) for end, n in zip(ends, file["mf_header/kpoints/ngk"][()])]
            c = file["wfns/coeffs"][()].view(complex)[..., 0]
            return [file["wfns/gvecs"][part] for part in parts], [c[:, :, part] for part in parts]

    def test_castep_file_as_castepxbin_reads_it(self):
        path = self.shared("foreign/GaAs.check")
        wave = castepxbin.wave.WaveFunction.from_file(str(path))
        waves, c = self.as_wfn(path)
        for k in range(wave.nkpts):
            at = places(waves[k], wave.get_gvectors(k).T)
            for band in range(wave.nbands):
                np.testing.assert_array_equal(c[k][band, 0, at], wave.get_plane_wave_coeffs(0, k, band, 0))

    def test_wavecars_as_pymatgen_reads_them(self):
        for name in ("WAVECAR.wfc_r", "WAVECAR.co2"):
            path = self.shared(f"foreign/{name}")
            wavecar = Wavecar(str(path), vasp_type="gam" if name.endswith("co2") else "std")
            waves, c = self.as_wfn(path)
            for k in range(wavecar.nk):
                at = places(waves[k], wavecar.Gpoints[k])
                self.assertEqual(len(at), len(waves[k]))
                for band in range(wavecar.nb):
                    np.testing.assert_allclose(c[k][band, 0, at], wavecar.coeffs[k][band], rtol=0, atol=2e-7)

    def test_netcdf_file_as_the_netcdf_library_reads_it(self):
        path = data / "abinit" / "spinor" / "WFK.nc"
        waves, c = self.as_wfn(path)
        with netCDF4.Dataset(path) as file:
            for k, count in enumerate(file["number_of_coefficients"][:]):
                at = places(waves[k], file["reduced_coordinates_of_plane_waves"][k, :count])
                stored = file["coefficients_of_wavefunctions"][0, k, :, :, :count].data.view(complex)[..., 0]
                np.testing.assert_array_equal(c[k][:, :, at], stored)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
