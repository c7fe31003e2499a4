# SPDX-License-Identifier: BSD-3-Clause
"""Exact exchange of electrons in a box without a potential. Their orbitals are plane waves, and the exchange operator
is diagonal: V_x |G> = -sum_j weight_j K(G - G_j) |G>. Orbitals of a k-point interact with those of another one in the
same way, with K(G + q)."""

import math

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
length, radius = 10.0, 3  # edge of the cubic box, bohr; radius of the sphere of plane waves
filled = numpy.array([[0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])


def interaction(g, q):
    """The interaction 4 pi / (volume |G + q|^2). The value at G + q = 0 is a choice of the method."""
    unit = 2 * math.pi / length
    square = unit * unit * ((g[..., 0] + q) * (g[..., 0] + q) + g[..., 1] ** 2 + g[..., 2] ** 2)
    nonzero = numpy.where(square > 0, square, 1)
    return numpy.where(square > 0, 4 * math.pi / (length * length * length * nonzero), 0.05)


def my_sphere(around):
    """Returns the waves of a sphere that balanced_owners assigns to this rank."""
    axis = numpy.arange(-around, around + 1)
    cube = numpy.array(numpy.meshgrid(axis, axis, axis, indexing="ij"), "int32").reshape(3, -1).T
    waves = cube[(cube**2).sum(axis=1) <= around**2]
    return waves[seiche.balanced_owners(waves, comm.size) == comm.rank]


waves, density_waves = my_sphere(radius), my_sphere(2 * radius)
psi = (waves == filled[:, None]).all(axis=2).astype(complex)  # each orbital is one plane wave
weights = numpy.ones(len(filled))  # electrons of one spin in each orbital
q = 0.25  # k - k', here along x

# [exchange]
with seiche.ExactExchange((15, 14, 16), waves, density_waves, comm=comm, reproducible=True) as exchange:
    occupied = exchange.occupied(psi, weights)
    kernel = interaction(density_waves, 0)  # one value for each of density_waves
    v_psi = exchange.apply(occupied, kernel, psi)
    energy = exchange.energy(occupied, kernel, psi, weights)
    exchange.apply(occupied, interaction(density_waves, q), psi, v_psi, add=True)  # orbitals of another k-point
# [/exchange]

differences = filled[:, None] - filled
at_zero, at_q = (-interaction(differences, shift).sum(axis=1) for shift in (0, q))
error = abs(v_psi - (at_zero + at_q)[:, None] * psi).max(initial=0)
error = max(error, abs(energy - 0.5 * at_zero.sum()))
answer("exact_exchange", error, 1e-13, v_psi)
