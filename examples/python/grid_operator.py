# SPDX-License-Identifier: BSD-3-Clause
"""Electrostatic potential of an isolated Gaussian charge, and the gradient of its density. The potential is
erf(r / sqrt(2)) / r, and the gradient of the density n is -r n."""

import math

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
n, length = 24, 14.0  # points along an edge of the cubic box, and its length in bohr

fft = seiche.DenseFft((n, n, n), "float64", comm, reproducible=True)  # the same bits in every run
mine = fft.grid_box  # the part of the grid that this rank has
axes = [length / n * (numpy.array(part, float) - n // 2) for part in (mine.x, mine.y, mine.z)]
z, y, x = numpy.meshgrid(*reversed(axes), indexing="ij")
squares = x * x + y * y + z * z
weights = [math.exp(-0.5 * square) / (2 * math.pi) ** 1.5 for square in squares.ravel()]
density = numpy.array(weights).reshape(squares.shape)

# [operators]
lattice = length * numpy.eye(3)
with seiche.GridOperator(fft, lattice, "isolated") as poisson:
    potential = poisson.apply(density)  # hartree
with seiche.GridOperator(fft, lattice, "gradient") as gradient:
    slopes = gradient.apply(density)  # (component, z, y, x)
# [/operators]

error = max(abs(slope + place * density).max(initial=0) for slope, place in zip(slopes, (x, y, z)))
near = (squares <= 4) & (squares > 0)  # near the faces of the box, the potential is not that of the charge
exact = numpy.where(squares == 0, math.sqrt(2 / math.pi), potential)
exact[near] = [math.erf(r / math.sqrt(2)) / r for r in numpy.sqrt(squares[near])]
error = max(error, abs(potential - exact).max(initial=0))
fft.close()
answer("grid_operator", error, 1e-5, potential)
