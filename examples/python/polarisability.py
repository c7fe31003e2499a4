# SPDX-License-Identifier: BSD-3-Clause
"""Static polarisability chi(G, G') of a semiconductor without interaction, at a wave vector q between k-points, and the
inverse dielectric constant in the random-phase approximation. They begin each GW calculation. polarisability.py FILE"""

import sys

import numpy
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
cutoff, filled = 1.0, 4  # of the waves of chi, hartree; number of filled bands
file = seiche.WaveFile(sys.argv[1], comm)
operations = file.header.crystal.operations
orbitals = seiche.symmetric_bands(seiche.read_orbitals(file), operations)
orbitals = seiche.mapped(orbitals, seiche.full_zone(file.header, operations))
orbitals = seiche.redistribute(orbitals, seiche.OrbitalLayout(waves=comm.size))
header, parts = orbitals.header, {part.k: part for part in orbitals.parts}
kpoints, energies = header.kpoints, header.energies[0]
q = kpoints[1] - kpoints[0]
waves = seiche.sphere_of_waves(header.crystal.reciprocal, cutoff, q)  # |G + q|^2 / 2 <= cutoff


def at_k_plus_q(k):
    """Returns the number of the k-point that is k + q + G0, and G0."""
    steps = kpoints - kpoints[k] - q
    other = int(abs(steps - steps.round()).max(axis=1).argmin())
    return other, steps[other].round().astype("int32")


# [chi]
chi = numpy.zeros((len(waves), len(waves)), complex)
with seiche.PairDensities(header.grid, waves, comm=comm, band_groups=comm.size) as densities:
    for k in range(len(kpoints)):
        other, g0 = at_k_plus_q(k)
        gaps = energies[k, :filled, None] - energies[other, filled:]
        left = densities.orbitals(parts[k].waves, parts[k].coefficients[:filled])
        right = densities.orbitals(parts[other].waves + g0, parts[other].coefficients[filled:])

        def add_pairs(pairs, rho, gaps=gaps):  # this rank has all waves of these pairs
            chi[:] += (rho / gaps[tuple(pairs.T)][:, None]).T @ rho.conj()

        densities.compute(left, right, add_pairs)
chi = comm.allreduce(chi) * 4 / (header.crystal.volume * len(kpoints))
# [/chi]

lengths = numpy.linalg.norm((waves + q) @ header.crystal.reciprocal, axis=1)
epsilon = numpy.eye(len(waves)) - 4 * numpy.pi * chi / numpy.outer(lengths, lengths)
zero = int((waves == 0).all(axis=1).argmax())
if comm.rank == 0:
    print(f"|q| {lengths[zero]:.4f} / bohr: dielectric constant {1 / numpy.linalg.inv(epsilon)[zero, zero].real:.4f}")


def on_whole_grid(part, shift):
    """Collective. Returns the bands on the grid, by NumPy."""
    coefficients = numpy.zeros((part.coefficients.shape[0], *header.grid), complex)
    for of_rank, values in comm.allgather((part.waves + shift, part.coefficients)):
        coefficients[(slice(None), *of_rank.T)] = values
    return numpy.fft.ifftn(coefficients, axes=(1, 2, 3), norm="forward")


expected = numpy.zeros_like(chi)
for k in range(len(kpoints)):
    other, g0 = at_k_plus_q(k)
    left, right = on_whole_grid(parts[k], 0)[:filled], on_whole_grid(parts[other], g0)[filled:]
    for i, psi in enumerate(left):
        rho = numpy.fft.fftn(psi.conj() * right, axes=(1, 2, 3), norm="forward")[(slice(None), *waves.T)]
        expected += (rho / (energies[k, i] - energies[other, filled:])[:, None]).T @ rho.conj()
expected *= 4 / (header.crystal.volume * len(kpoints))
error = abs(chi - expected).max()
if comm.rank == 0:
    print(f"polarisability: {'right' if error < 1e-12 else 'WRONG'}, error {error:.1e}")
assert error < 1e-12
