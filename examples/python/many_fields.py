# SPDX-License-Identifier: BSD-3-Clause
"""Many FFTs at once in arrays that a program has already: interleaved fields, planes in blocks of ceil(n / ranks)."""

import numpy
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
shape = nx, ny, nz = 12, 10, 9
fields = 8


def block_of(n):
    """Of range(n), as FFTW-MPI shares it out; the last ranks may have none."""
    size = -(-n // comm.size)
    low = min(n, comm.rank * size)
    return range(low, min(n, low + size))


# [many]
planes, columns = block_of(nz), block_of(ny)
with seiche.DenseFft.for_arrays(shape, fields, planes, columns, comm=comm) as fft:
    z, y, x, f = numpy.ogrid[planes.start : planes.stop, :ny, :nx, :fields]
    grid = numpy.exp(2j * numpy.pi * (x / nx + 2 * y / ny + f * z / nz))  # the wave (1, 2, f) in field f
    spectrum = numpy.empty((nz, len(columns), nx, fields), complex)
    fft.forward(grid, spectrum)
# [/many]
z, y, x, f = numpy.ogrid[:nz, columns.start : columns.stop, :nx, :fields]
expected = (x == 1) & (y == 2) & (z == f)
error = comm.allreduce(float(abs(spectrum - expected).max(initial=0)), MPI.MAX)
assert error < 1e-13, error
if comm.rank == 0:
    print(f"{fields} waves were found in as many fields, error below 1e-13")
