# SPDX-License-Identifier: BSD-3-Clause
"""Static polarisability of electrons in a box without a potential. Their orbitals are plane waves, so that rho_ij(G) is 1
if G = G_j - G_i, else 0. The polarisability is diagonal: chi(G) = 4 / volume sum_ij |rho_ij(G)|^2 / (e_i - e_j), for
filled i and empty j."""

import math

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
length, radius = 10.0, 2  # edge of the cubic box, bohr; radius of the spheres of plane waves


def energy(g):
    unit = 2 * math.pi / length
    return 0.5 * unit * unit * (g[..., 0] * g[..., 0] + g[..., 1] * g[..., 1] + g[..., 2] * g[..., 2])


axis = numpy.arange(-radius, radius + 1)
cube = numpy.array(numpy.meshgrid(axis, axis, axis, indexing="ij"), "int32").reshape(3, -1).T
squares = (cube**2).sum(axis=1)
filled, empty = cube[squares <= 1], cube[(squares > 1) & (squares <= radius**2)]
waves = numpy.concatenate([filled, empty])
waves = waves[seiche.balanced_owners(waves, comm.size) == comm.rank]  # also for the densities
psi_filled, psi_empty = ((waves == orbitals[:, None]).all(axis=2).astype(complex) for orbitals in (filled, empty))
gaps = energy(filled)[:, None] - energy(empty)

# [pairs]
with seiche.PairDensities((15, 14, 16), waves, comm=comm, reproducible=True) as densities:
    left, right = densities.orbitals(waves, psi_filled), densities.orbitals(waves, psi_empty)
    chi = numpy.zeros(len(waves))

    def add_pairs(pairs, block):
        for (i, j), rho in zip(pairs, block):
            chi[:] += 4 / (length * length * length * gaps[i, j]) * (rho.real * rho.real + rho.imag * rho.imag)

    densities.compute(left, right, add_pairs)
    transitions = densities.sum(left, right, numpy.ones((len(filled), len(empty)), complex))  # sum_ij rho_ij(G)
# [/pairs]

others = filled[:, None] + waves  # G_j of each filled orbital and wave
found = (others[:, :, None] == empty).all(axis=3).any(axis=2)
inverse = 4 / (length**3 * numpy.where(found, energy(filled)[:, None] - energy(others), numpy.inf))
error = abs(chi - inverse.sum(axis=0)).max(initial=0)
error = max(error, abs(transitions - found.sum(axis=0)).max(initial=0))
answer("pair_densities", error, 1e-13, chi)
