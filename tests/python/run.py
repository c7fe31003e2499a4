# SPDX-License-Identifier: BSD-3-Clause
"""Runs tests by pytest on this rank: run.py RANKS FILES... Exits with 77 where pytest or mpi4py is not to be had."""

import os
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
code = pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", "--tb=short", *sys.argv[2:]])
if code:
    print(f"rank {MPI.COMM_WORLD.rank} failed", flush=True)
    MPI.COMM_WORLD.Abort(1)  # others may wait for this rank for ever
