# SPDX-License-Identifier: BSD-3-Clause
"""Density mixing: Pulay's method with Kerker preconditioning."""

import numpy


class Mixer:
    """Mixes densities, given as coefficients on this rank's waves. `pairs`: weights of waves (2 for G and -G)."""

    def __init__(self, g2, pairs, comm, share=0.7, screening=0.3, most=8):
        self.comm, self.most = comm, most
        self.step = share * g2 / (g2 + screening)  # G. Kerker, Phys. Rev. B 23, 3082 (1981); q^2 in bohr^-2
        self.metric = pairs / numpy.maximum(g2, g2[g2 > 0].min(initial=1e3))  # metric of the Coulomb energy
        self.densities, self.residuals = [], []

    def product(self, a, b):
        return self.comm.allreduce(float((self.metric * (a.conj() * b).real).sum()))

    def next(self, density, residual):
        """Returns the combination with the smallest residual (P. Pulay, Chem. Phys. Lett. 73, 393 (1980))."""
        self.densities = [*self.densities, density][-self.most :]
        self.residuals = [*self.residuals, residual][-self.most :]
        overlap = numpy.array([[self.product(a, b) for b in self.residuals] for a in self.residuals])
        size = len(overlap)
        system = numpy.ones((size + 1, size + 1))
        system[:size, :size] = overlap / overlap[-1, -1]
        system[size, size] = 0
        share = numpy.linalg.lstsq(system, numpy.eye(size + 1)[size], rcond=None)[0][:size]
        return sum(s * (n + self.step * r) for s, n, r in zip(share, self.densities, self.residuals))
