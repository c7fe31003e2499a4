# SPDX-License-Identifier: BSD-3-Clause
"""Product of two fields without aliasing. The fields are interpolated to a finer grid and multiplied, and the product is
interpolated back. cos(3x + 2y + z) cos(3x + y) = cos(y + z)/2 + cos(6x + 3y + z)/2. The grid does not have the second
wave."""

import math

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
n, n_fine = 8, 12


def wave(mine, a, b, c):
    """Returns cos(a x + b y + c z) on this rank. The edges of the cell are 2 pi."""
    z, y, x = numpy.meshgrid(mine.z, mine.y, mine.x, indexing="ij")
    turns = (a * x + b * y + c * z).ravel()
    return numpy.array([math.cos(2 * math.pi / n * turn) for turn in turns], float).reshape(x.shape)


coarse = seiche.DenseFft((n, n, n), "float64", comm, reproducible=True)  # the same bits in every run
fine = seiche.DenseFft((n_fine, n_fine, n_fine), "float64", comm, reproducible=True)
fields = numpy.array([wave(coarse.grid_box, 3, 2, 1), wave(coarse.grid_box, 3, 1, 0)])  # (field, z, y, x)

# [product]
with seiche.GridInterpolation(coarse, fine, fields=2) as up:
    f, g = up.apply(fields)
with seiche.GridInterpolation(fine, coarse) as down:
    product = down.apply(f * g)
# [/product]

error = abs(product - wave(coarse.grid_box, 0, 1, 1) / 2).max(initial=0)
coarse.close()
fine.close()
answer("grid_interpolation", error, 1e-13, product)
