# SPDX-License-Identifier: BSD-3-Clause
"""Many FFTs in one call, in existing arrays: interleaved fields, planes in blocks of ceil(n / ranks)."""

import math

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
shape = nx, ny, nz = 12, 10, 9
fields = 8
wave = numpy.array([complex(math.cos(angle), math.sin(angle)) for angle in (2 * math.pi * i / 180 for i in range(180))])


def block_of(n):
    """Returns this rank's part of range(n), as FFTW-MPI distributes it. The last ranks may have none."""
    size = -(-n // comm.size)
    low = min(n, comm.rank * size)
    return range(low, min(n, low + size))


# [many]
planes, columns = block_of(nz), block_of(ny)
with seiche.DenseFft.for_arrays(shape, fields, planes, columns, comm=comm, reproducible=True) as fft:
    z, y, x, f = numpy.ix_(planes, range(ny), range(nx), range(fields))
    grid = wave[(15 * x + 36 * y + 20 * f * z) % 180]  # exp(i G.r) with G = (1, 2, f) in field f
    spectrum = numpy.empty((nz, len(columns), nx, fields), complex)
    fft.forward(grid, spectrum)
# [/many]
z, y, x, f = numpy.ix_(range(nz), columns, range(nx), range(fields))
expected = (x == 1) & (y == 2) & (z == f)
answer("many_fields", abs(spectrum - expected).max(initial=0), 1e-14, spectrum)
