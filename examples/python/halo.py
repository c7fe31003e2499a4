# SPDX-License-Identifier: BSD-3-Clause
"""A finite-difference Laplacian with planes of the neighbouring ranks. The planes travel while the inner planes are
computed."""

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
shape = 12, 10, 16
z, y, x = numpy.ogrid[:16, :10, :12]
whole = ((5 * x + 7 * y + 11 * z) % 23).astype(float)

# [halo]
first, last = 16 * comm.rank // comm.size, 16 * (comm.rank + 1) // comm.size  # planes of this rank
mine = seiche.Box((0, 12), (0, 10), (first, last))
wider = seiche.Box((0, 12), (0, 10), (first - 1, last + 1))  # with a plane of each neighbour
exchange = seiche.BoxExchange(shape, mine, wider, comm=comm)
values = whole[mine.slices].copy()
# [/halo]
laplacian = -6 * values + numpy.roll(values, 1, 1) + numpy.roll(values, -1, 1) + numpy.roll(values, 1, 2) + numpy.roll(values, -1, 2)

# [overlap]
pending = exchange.start_copy(values)
for plane in range(1, last - first - 1):  # inner planes need no other rank
    laplacian[plane] += values[plane - 1] + values[plane + 1]
    pending.progress()
with_halo = pending.finish()
for plane in {0, last - first - 1}:  # first and last plane
    laplacian[plane] += with_halo[plane] + with_halo[plane + 2]
# [/overlap]
exchange.close()
expected = -6 * whole + sum(numpy.roll(whole, shift, axis) for shift in (1, -1) for axis in range(3))
answer("halo", abs(laplacian - expected[mine.slices]).max(initial=0), 0, laplacian)
