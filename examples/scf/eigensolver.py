# SPDX-License-Identifier: BSD-3-Clause
"""LOBPCG eigensolver for the lowest eigenstates of a Hamiltonian (A. Knyazev, SIAM J. Sci. Comput. 23, 517, 2001).

Bands are rows, (bands, waves); each rank has some of the waves. Only overlaps of bands are summed over the ranks.
"""

import numpy
from mpi4py import MPI


def summed(values, comm):
    """Sums values over all ranks, in place."""
    comm.Allreduce(MPI.IN_PLACE, values)
    return values


def inner(a, b, comm):
    """Returns <a_i|b_j>, equal on all ranks."""
    return summed(a.conj() @ b.T, comm)


def orthonormal(states, comm):
    """Returns coefficients (states, kept) of orthonormal combinations. Nearly dependent states are dropped."""
    overlap = inner(states, states, comm)
    scale = 1 / numpy.sqrt(numpy.maximum(overlap.diagonal().real, 1e-300))
    weights, vectors = numpy.linalg.eigh(overlap * numpy.outer(scale, scale))
    kept = weights > 1e-12
    return scale[:, None] * vectors[:, kept] / numpy.sqrt(weights[kept])


def rayleigh_ritz(states, h_states, comm):
    """Returns energies and coefficients (states, bands) of the eigenstates in the span of `states`."""
    basis = orthonormal(states, comm)
    h = basis.conj().T @ inner(states, h_states, comm) @ basis
    energies, vectors = comm.bcast(numpy.linalg.eigh((h + h.conj().T) / 2))  # results must be equal on all ranks
    return energies, basis @ vectors


def lowest(hamiltonian, psi, steps, tolerance, comm):
    """Improves `psi` in place. Returns the energies and the norms of the residuals of all bands."""
    bands = len(psi)
    h_psi = hamiltonian(psi)
    moves, h_moves = psi[:0], psi[:0]
    space, h_space = psi, h_psi
    for step in range(steps + 1):
        energies, c = rayleigh_ritz(space, h_space, comm)
        energies, c = energies[:bands], c[:, :bands]
        if step:
            moves, h_moves = c[bands:].T @ space[bands:], c[bands:].T @ h_space[bands:]
        psi[...], h_psi = c.T @ space, c.T @ h_space
        residuals = h_psi - energies[:, None] * psi
        norms = numpy.sqrt(summed((abs(residuals) ** 2).sum(axis=1), comm))
        if step == steps or norms.max() < tolerance:
            return energies, norms
        search = hamiltonian.preconditioned(residuals, psi)
        search -= inner(psi, search, comm).T @ psi
        search = orthonormal(search, comm).T @ search
        space = numpy.concatenate([psi, search, moves])
        h_space = numpy.concatenate([h_psi, hamiltonian(search), h_moves])
