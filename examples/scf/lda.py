# SPDX-License-Identifier: BSD-3-Clause
"""Exchange and correlation of the local density approximation without spin, in the Pade form of Teter.

S. Goedecker, M. Teter, J. Hutter, Phys. Rev. B 54, 1703 (1996), appendix; ABINIT's ixc = 1.
"""

import numpy

UPPER = (0.4581652932831429, 2.217058676663745, 0.7405551735357053, 0.01968227878617998)
LOWER = (0.0, 1.0, 4.504130959426697, 1.110667363742916, 0.02359291751427506)


def exchange_correlation(density):
    """Returns the energy per electron and the potential at each point."""
    rs = numpy.cbrt(3 / (4 * numpy.pi * numpy.maximum(density, 1e-20)))
    upper, lower = numpy.polynomial.Polynomial(UPPER), numpy.polynomial.Polynomial(LOWER)
    a, b = upper(rs), lower(rs)
    slope = (upper.deriv()(rs) * b - a * lower.deriv()(rs)) / b**2  # derivative of -energy with respect to rs
    return -a / b, -a / b + rs / 3 * slope
