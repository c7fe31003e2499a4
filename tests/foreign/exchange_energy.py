# SPDX-License-Identifier: BSD-3-Clause
"""Prints the exact-exchange energy, in Ry, of the orbitals of a Quantum ESPRESSO run without symmetry:

exchange_energy.py SAVE FRACTION SCREENING CUTOFF N1,N2,N3

SCREENING is the screening parameter of HSE (0: bare interaction, 0 at q + G = 0). CUTOFF (Ry) is that of the density
waves. N1,N2,N3 is the grid of q-points, which connects the k-points with each other."""
import sys

import numpy
from mpi4py import MPI

import seiche

CHARGE_SQUARED = 2.0  # of the electron, in Rydberg units


def kernel_of(q_plus_g, volume, screening):
    """Returns the interaction, in Ry, at wave vectors in 1/bohr, for orbitals with norm 1 of their coefficients."""
    square = (q_plus_g**2).sum(axis=1)
    zero = square < 1e-12
    square[zero] = 1
    values = 4 * numpy.pi * CHARGE_SQUARED / square
    if screening > 0:
        values *= 1 - numpy.exp(-square / (4 * screening**2))
    values[zero] = numpy.pi * CHARGE_SQUARED / screening**2 if screening > 0 else 0
    return values / volume


def connected(difference, grid):
    """Tells whether q = k - k' is a point of the q-grid, up to a reciprocal lattice vector."""
    steps = difference * numpy.array(grid)
    return numpy.allclose(steps, numpy.round(steps), atol=1e-6)


def energy_of_file(path, fraction, screening, cutoff, grid, comm):
    with seiche.WaveFile(path, comm) as file:
        header = file.header
        orbitals = seiche.read_orbitals(file, seiche.OrbitalLayout(waves=comm.size))
    reciprocal, volume, half = header.crystal.reciprocal, header.crystal.volume, header.half_sphere
    waves = seiche.sphere_of_waves(reciprocal, cutoff / 2, half=half)
    mine = waves[seiche.balanced_owners(waves, comm.size) == comm.rank]
    per_spin = 1.0 if header.spins == 2 else 2.0
    total = 0.0
    for target in orbitals.parts:
        k = header.kpoints[target.k]
        options = {"comm": comm, "dtype": "float64" if half else "complex128"}
        with seiche.ExactExchange(header.grid, target.waves, mine, **options) as exchange:
            for other in orbitals.parts:
                difference = k - header.kpoints[other.k]
                if other.spin != target.spin or not connected(difference, grid):
                    continue
                occupations = header.occupations[other.spin, other.k] / numpy.prod(grid)
                occupied = exchange.occupied(other.coefficients, occupations, other.waves)
                kernel = fraction * kernel_of((mine + difference) @ reciprocal, volume, screening)
                weights = header.occupations[target.spin, target.k] * header.weights[target.k] * per_spin
                total += exchange.energy(occupied, kernel, target.coefficients, weights)
    return total


def main():
    path, fraction, screening, cutoff, grid = sys.argv[1:]
    comm = MPI.COMM_WORLD
    energy = energy_of_file(path, float(fraction), float(screening), float(cutoff), [int(n) for n in grid.split(",")], comm)
    if comm.rank == 0:
        print(f"{energy:.10f}")


if __name__ == "__main__":
    main()
