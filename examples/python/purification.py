# SPDX-License-Identifier: BSD-3-Clause
"""A product and a purification, for a ring of cells of two atoms. The coupling is 1 inside a cell and 0.4 between cells.
The states are known in closed form."""

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm, cells, inside, between = MPI.COMM_WORLD, 24, -1.0, -0.4


def hopping(i, j):
    """Returns block (i, j) of the Kohn-Sham matrix: cells and their neighbours."""
    if i == j:
        return numpy.array([[0, inside], [inside, 0]])
    if j == (i + 1) % cells:
        return numpy.array([[0, 0], [between, 0]])
    return numpy.array([[0, between], [0, 0]]) if i == (j + 1) % cells else None


# [plan]
layout = seiche.BlockLayout([2] * cells, comm=comm)
k = seiche.from_function(layout, hopping)
s = seiche.from_function(layout, lambda i, j: numpy.eye(2) if i == j else None)
with seiche.Multiplier(comm) as multiply:
    trace = seiche.trace(multiply(k, k))  # the sum of the squares of all elements
found = seiche.purify(k, s, electrons=2 * cells)  # two in each of the lower half of the states
# [/plan]

angles = 2 * numpy.pi * numpy.arange(cells) / cells
energy = -2 * numpy.sqrt(inside**2 + between**2 + 2 * inside * between * numpy.cos(angles)).sum()
error = max(abs(trace - 2 * cells * (inside**2 + between**2)), abs(found.energy - energy), abs(found.trace - 2 * cells))
answer("purification", error, 1e-7, found.p.values)
