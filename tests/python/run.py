# SPDX-License-Identifier: BSD-3-Clause
"""Runs tests by pytest on this rank, run.py RANKS FILES..., or a program, run.py RANKS --program FILE ARGUMENTS...

Exits with 77 where pytest or mpi4py is not to be had.
"""

import os
import runpy
import sys

import seiche

# mpi4py's wheels serve several MPI libraries; it has to take the one that seiche was built with.
os.environ.setdefault("MPI4PY_MPIABI", "mpich" if "MPICH" in seiche.mpi_library() else "openmpi")
try:
    import pytest
    from mpi4py import MPI
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

if MPI.COMM_WORLD.size != int(sys.argv[1]):
    sys.exit(f"started on {MPI.COMM_WORLD.size} ranks, not on {sys.argv[1]}")
if sys.argv[2] == "--program":
    sys.argv = sys.argv[3:]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except BaseException:
        sys.excepthook(*sys.exc_info())
        MPI.COMM_WORLD.Abort(1)
    sys.exit(0)
code = pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", "--tb=short", *sys.argv[2:]])
if code:
    print(f"rank {MPI.COMM_WORLD.rank} failed", flush=True)
    MPI.COMM_WORLD.Abort(1)  # others may wait for this rank for ever
