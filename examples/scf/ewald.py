# SPDX-License-Identifier: BSD-3-Clause
"""Ewald energy of point charges in a neutralizing uniform background."""

import itertools
import math

import numpy


def _vectors_within(rows, radius):
    """Returns all integer combinations of three vectors within `radius`."""
    heights = 1 / numpy.linalg.norm(numpy.linalg.inv(rows), axis=0)  # heights of the cell
    ranges = [range(-math.ceil(radius / h), math.ceil(radius / h) + 1) for h in heights]
    found = numpy.array(list(itertools.product(*ranges))) @ rows
    return found[numpy.linalg.norm(found, axis=1) <= radius]


def ewald_energy(crystal, charges):
    """Returns the energy (hartree). The width of the Gaussian gives both sums the same convergence."""
    cell, z, at = crystal.lattice, numpy.array(charges, float), crystal.positions
    eta = math.sqrt(math.pi) / crystal.volume ** (1 / 3)
    reach = 6.5  # exp(-reach^2) is 4e-19
    widest = max(numpy.linalg.norm(a - b) for a in at for b in at)
    real = _vectors_within(cell, reach / eta + widest)
    waves = _vectors_within(crystal.reciprocal, 2 * eta * reach)
    g2 = (waves**2).sum(axis=1)
    waves, g2 = waves[g2 > 0], g2[g2 > 0]
    phases = numpy.exp(1j * at @ waves.T)
    energy = 2 * math.pi / crystal.volume * numpy.sum(numpy.exp(-g2 / (4 * eta**2)) / g2 * abs(z @ phases) ** 2)
    for (i, a), (j, b) in itertools.product(enumerate(at), repeat=2):
        distances = numpy.linalg.norm(real + a - b, axis=1)
        distances = distances[distances > 1e-10]
        energy += z[i] * z[j] / 2 * sum(math.erfc(eta * d) / d for d in distances)
    return energy - eta / math.sqrt(math.pi) * (z**2).sum() - math.pi / (2 * eta**2 * crystal.volume) * z.sum() ** 2
