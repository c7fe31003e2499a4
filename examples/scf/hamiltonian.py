# SPDX-License-Identifier: BSD-3-Clause
"""Hamiltonian of one k-point, for bands whose plane waves are distributed over ranks."""

import gth
import numpy
import seiche
from eigensolver import inner, summed


class Hamiltonian:
    """Hamiltonian for bands (bands, n) on this rank's waves (n, 3). Set `potential` on fft.grid_box before use."""

    def __init__(self, crystal, k, waves, grid, comm):
        self.comm, self.potential = comm, None
        self.fft = seiche.SphereFft(grid, waves, comm=comm, band_groups=1)  # the boxes of a Density
        q = (waves + k) @ crystal.reciprocal
        self.kinetic = (q**2).sum(axis=1) / 2
        self.projectors, self.strengths = self._projectors(crystal, q)

    @staticmethod
    def _projectors(crystal, q):
        """Returns the projectors of all atoms (projectors, n), and h_ij."""
        rows, blocks = [], []
        for symbol, position in zip(crystal.symbols, crystal.positions):
            form, h = gth.projectors(gth.PARAMETERS[symbol], q)
            rows.append(form * numpy.exp(-1j * q @ position) / numpy.sqrt(crystal.volume))
            blocks += h
        strengths = numpy.zeros((sum(map(len, blocks)),) * 2)
        at = 0
        for block in blocks:
            strengths[at : at + len(block), at : at + len(block)] = block
            at += len(block)
        return numpy.concatenate(rows), strengths

    def __call__(self, psi):
        pending = self.fft.start_apply_potential(psi, self.potential)  # all bands in one call
        others = self.kinetic * psi  # while messages of the transforms travel
        others += (self.strengths @ inner(self.projectors, psi, self.comm)).T @ self.projectors
        return pending.finish() + others

    def kinetic_energies(self, psi):
        """Returns the kinetic energy of each band."""
        return summed((abs(psi) ** 2) @ self.kinetic, self.comm)

    def separable_energies(self, psi):
        """Returns the nonlocal energy of each band."""
        found = inner(self.projectors, psi, self.comm)
        return (found.conj() * (self.strengths @ found)).sum(axis=0).real

    def preconditioned(self, residuals, psi):
        """Preconditioner of M. Teter, M. Payne, D. Allan, Phys. Rev. B 40, 12255 (1989)."""
        x = self.kinetic / numpy.maximum(self.kinetic_energies(psi), 1e-3)[:, None]
        smooth = 27 + 18 * x + 12 * x**2 + 8 * x**3
        return residuals * (smooth / (smooth + 16 * x**4))
