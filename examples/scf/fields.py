# SPDX-License-Identifier: BSD-3-Clause
"""Potentials and energies as functions of the density. Fields are coefficients on the density's sphere of waves."""

import gth
import lda
import numpy
import seiche
from eigensolver import summed


class Fields:
    """Converts between a density on the grid and its distributed coefficients (one of each pair G, -G)."""

    def __init__(self, crystal, grid, cutoff, comm):
        self.comm, self.volume, self.points = comm, crystal.volume, numpy.prod(grid)
        waves = seiche.sphere_of_waves(crystal.reciprocal, cutoff, half=True)
        waves = waves[seiche.balanced_owners(waves, comm.size) == comm.rank]
        self.fft = seiche.SphereFft(grid, waves, "float64", comm=comm, band_groups=1)  # the boxes of a Density
        g = waves @ crystal.reciprocal
        self.g2 = (g**2).sum(axis=1)
        self.pairs = numpy.where(self.g2 > 0, 2.0, 1.0)
        self.coulomb = numpy.divide(4 * numpy.pi, self.g2, out=numpy.zeros_like(self.g2), where=self.g2 > 0)
        self.ions = sum(
            gth.local_form(gth.PARAMETERS[symbol], self.g2) * numpy.exp(-1j * g @ position) / self.volume
            for symbol, position in zip(crystal.symbols, crystal.positions)
        )
        self.core = float(summed(self.ions.real[self.g2 == 0].sum(keepdims=True), comm)[0])
        self.ions[self.g2 == 0] = 0  # constant energy of the cell

    def product(self, a, b):
        """Returns the integral of the product of two real fields over the cell."""
        here = self.volume * (self.pairs * (a.conj() * b).real).sum(keepdims=True)
        return float(summed(here, self.comm)[0])

    def coefficients(self, values):
        return self.fft.forward(values[None])[0]

    def on_grid(self, coefficients):
        return self.fft.backward(coefficients[None])[0]

    def potential(self, density):
        """Returns the potential on the grid: ions, Hartree, exchange and correlation."""
        return self.on_grid(self.ions + self.coulomb * density) + lda.exchange_correlation(self.on_grid(density))[1]

    def energies(self, density):
        values = self.on_grid(density)
        exchange = (values * lda.exchange_correlation(values)[0]).sum(keepdims=True).reshape(1)
        return {
            "hartree": self.product(density, self.coulomb * density) / 2,
            "xc": float(summed(exchange, self.comm)[0]) * self.volume / self.points,
            "local": self.product(density, self.ions),
        }
