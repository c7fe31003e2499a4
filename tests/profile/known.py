# SPDX-License-Identifier: BSD-3-Clause
"""Calls of known numbers from Python; the MPI library comes with a module that Python loads late."""
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
for _ in range(9):
    total = world.allreduce(world.rank)
for _ in range(4):
    world.Barrier()
world.sendrecv(b"a" * 100, dest=(world.rank + 1) % world.size, source=(world.rank - 1) % world.size)
sys.stdout.write(f"rank {world.rank} has {total}\n")
