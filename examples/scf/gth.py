# SPDX-License-Identifier: BSD-3-Clause
"""Pseudopotentials of Goedecker, Teter and Hutter: local part and projectors. Units are hartree and bohr.

S. Goedecker, M. Teter, J. Hutter, Phys. Rev. B 54, 1703 (1996); parameters from C. Hartwigsen,
S. Goedecker, J. Hutter, Phys. Rev. B 58, 3641 (1998), without spin-orbit coupling.
"""

import dataclasses

import numpy


@dataclasses.dataclass(frozen=True)
class Channel:
    """Projectors of one angular momentum: radius, and h11, h22, h33."""

    radius: float
    diagonal: tuple

    def strengths(self, l):
        """Returns h_ij. Off-diagonal elements are computed with equations 19 to 24 of the paper."""
        n = len(self.diagonal)
        ratios = {
            0: (-0.5 * numpy.sqrt(3 / 5), 0.5 * numpy.sqrt(5 / 21), -0.5 * numpy.sqrt(100 / 63)),
            1: (-0.5 * numpy.sqrt(5 / 7), numpy.sqrt(35 / 11) / 6, -14 / 6 / numpy.sqrt(11)),
        }[l]
        h = numpy.diag(self.diagonal)
        for (i, j), ratio in zip(((0, 1), (0, 2), (1, 2)), ratios):
            if j < n:
                h[i, j] = h[j, i] = ratio * self.diagonal[j]
        return h


@dataclasses.dataclass(frozen=True)
class Pseudopotential:
    charge: int  # charge of the ion
    radius: float  # radius of the local part
    local: tuple  # C1, C2, ...
    channels: tuple = ()  # projectors of l = 0, 1


PARAMETERS = {
    "Na": Pseudopotential(
        1, 0.885509, (-1.238867,), (Channel(0.661104, (1.847271, 0.582004)), Channel(0.857119, (0.471133,)))
    ),
    "Si": Pseudopotential(
        4, 0.440000, (-7.336103,), (Channel(0.422738, (5.906928, 3.258196)), Channel(0.484278, (2.727013,)))
    ),
    "Cl": Pseudopotential(
        7, 0.410000, (-6.864754,), (Channel(0.338208, (9.062240, 5.065682)), Channel(0.376137, (4.465876,)))
    ),
}


def _laguerre(i, l, x2):
    """Returns p(x); the Fourier transform of r^(l + 2i) exp(-r^2 / 2) is p(x) x^l exp(-x^2 / 2), up to constants."""
    m = 2 * l + 3
    return (
        numpy.ones_like(x2),
        m - x2,
        m * (m + 2) - 2 * (m + 2) * x2 + x2**2,
        m * (m + 2) * (m + 4) - 3 * (m + 2) * (m + 4) * x2 + 3 * (m + 4) * x2**2 - x2**3,
    )[i]


def local_form(pseudo, g2):
    """Returns v(G) of one ion times the volume of the cell. At G = 0 the divergent term is left out."""
    x2 = g2 * pseudo.radius**2
    gauss = numpy.exp(-x2 / 2)
    short = sum(c * _laguerre(i, 0, x2) for i, c in enumerate(pseudo.local))
    coulomb = numpy.full_like(g2, 2 * numpy.pi * pseudo.charge * pseudo.radius**2)
    numpy.divide(-4 * numpy.pi * pseudo.charge * gauss, g2, out=coulomb, where=g2 > 0)
    return coulomb + numpy.sqrt(8 * numpy.pi**3) * pseudo.radius**3 * gauss * short


def projectors(pseudo, q):
    """Returns projectors of an ion at the origin on waves q = k + G (n, 3), times sqrt(volume), and h_ij.

    The radial parts r^(l + 2i) exp(-r^2 / 2 r_l^2) have norm 1; real spherical harmonics take q to q^l Y_lm.
    """
    rows, h = [], []
    q2 = (q**2).sum(axis=1)
    for l, channel in enumerate(pseudo.channels):
        harmonics = numpy.sqrt((2 * l + 1) / (4 * numpy.pi)) * (numpy.ones((1, len(q))), q.T)[l]
        a, count = channel.radius, len(channel.diagonal)
        x2 = q2 * a**2
        for harmonic in harmonics:
            for i in range(count):
                norm = numpy.sqrt(2 / (a ** (2 * l + 4 * i + 3) * _gamma_half(l + 2 * i + 1)))
                radial = numpy.sqrt(numpy.pi / 2) * a ** (2 * l + 2 * i + 3) * _laguerre(i, l, x2) * numpy.exp(-x2 / 2)
                rows.append(4 * numpy.pi * (-1j) ** l * norm * radial * harmonic)
            h.append(channel.strengths(l))
    return numpy.array(rows).reshape(-1, len(q)), h


def _gamma_half(n):
    """Returns Gamma(n + 1/2)."""
    return numpy.sqrt(numpy.pi) * numpy.prod(numpy.arange(0.5, n))
