# SPDX-License-Identifier: BSD-3-Clause
"""The adaptively compressed exchange operator (ACE, Lin 2016). It has the rank of the occupied space, and equals exact
exchange on occupied orbitals. Iterations for orbitals apply it instead of exact exchange."""

import numpy
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
rng = numpy.random.default_rng(20260101)  # equal on all ranks
shape, bands = (15, 14, 16), 6


def mine(waves):
    """Tells which waves this rank owns."""
    return seiche.balanced_owners(waves, comm.size) == comm.rank


def product(a, b):
    """Collective. Returns <a_i|b_j> of orbitals (band, wave), whose waves are distributed over ranks."""
    return comm.allreduce(a.conj() @ b.T)


all_waves = seiche.sphere_of_waves(numpy.eye(3), 4.5)
all_density_waves = seiche.sphere_of_waves(numpy.eye(3), 18.0)
random = rng.normal(size=(len(all_waves), bands)) + 1j * rng.normal(size=(len(all_waves), bands))
psi = numpy.ascontiguousarray(numpy.linalg.qr(random)[0].T[:, mine(all_waves)])  # orthonormal, (band, wave)
weights = numpy.linspace(1, 0.5, bands)
waves, density_waves = all_waves[mine(all_waves)], all_density_waves[mine(all_density_waves)]
kernel = 1 / (1.0 + (density_waves**2).sum(axis=1))

with seiche.ExactExchange(shape, waves, density_waves, comm=comm) as exchange:
    occupied = exchange.occupied(psi, weights)
    energy = exchange.energy(occupied, kernel, psi, weights)
    # [ace]
    w = exchange.apply_to_occupied(occupied, kernel)  # W = V_x psi
    lower = numpy.linalg.cholesky(-product(psi, w))  # -psi^H W = L L^H
    projectors = numpy.linalg.solve(lower.conj(), w)  # xi = W L^-H; V_ACE = -xi xi^H
    # [/ace]


def compressed(orbitals):
    """Collective. Applies the compressed operator to orbitals (band, wave)."""
    return -product(projectors, orbitals).T @ projectors


# [check]
error = abs(compressed(psi) - w).max(initial=0)
of_bands = product(psi, compressed(psi)).diagonal().real
error = max(error, abs(0.5 * weights @ of_bands - energy))
# [/check]
error = comm.allreduce(error, MPI.MAX)
if comm.rank == 0:
    print(f"ace: energy {energy:.12f}, error {error:.1e}", flush=True)
assert error < 1e-12
