# SPDX-License-Identifier: BSD-3-Clause
"""Common parts of the examples: at the end they print whether the result is right, and a checksum of its bits, which is
the same in all languages."""

import sys

import numpy
from mpi4py import MPI


def answer(name, error, allowed, values):
    """Collective. Ends the program with exit code 1 if the deviation is above `allowed` on any rank.

    The checksum joins the bits of the values' real and imaginary parts, each turned by its place, of all ranks.
    """
    bits = numpy.ascontiguousarray(values).reshape(-1).view("uint64")
    turn = numpy.arange(bits.size, dtype="uint64") % numpy.uint64(63) + numpy.uint64(1)
    joined = int(numpy.bitwise_xor.reduce((bits << turn) | (bits >> (numpy.uint64(64) - turn)), initial=0))
    joined = MPI.COMM_WORLD.allreduce(joined, MPI.BXOR)
    largest = MPI.COMM_WORLD.allreduce(float(error), MPI.MAX)
    right = largest <= allowed  # False for NaN
    if MPI.COMM_WORLD.rank == 0:
        print(f"{name}: {'right' if right else 'WRONG'}, error {largest:.1e}, bits {joined:016x}", flush=True)
    sys.exit(0 if right else 1)
