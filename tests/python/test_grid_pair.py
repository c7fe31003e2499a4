# SPDX-License-Identifier: BSD-3-Clause
"""Fourier interpolation between two grids, compared with sums over waves along each axis."""

import pathlib
import sys

import numpy
import pytest
from conftest import random_values

import seiche

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integrations/gpaw/package/gpaw"))  # not seiche.gpaw, which needs GPAW
from grid_pair import GridPair  # noqa: E402


def axis_matrix(coarse, fine):
    """Returns the matrix that interpolates along an axis. Its waves have the indices -n/2 to n/2."""
    waves = numpy.arange(-(coarse // 2), coarse // 2 + 1)
    weights = numpy.where(2 * abs(waves) == coarse, 0.5, 1) / coarse
    distance = numpy.subtract.outer(numpy.arange(fine) / fine, numpy.arange(coarse) / coarse)
    return numpy.cos(2 * numpy.pi * distance[..., None] * waves) @ weights


def part(shape, axis, comm):
    """Returns this rank's box of a grid that is divided along an axis, and its place in an array [z, y, x]."""
    limits = [(0, n) for n in shape]
    limits[axis] = tuple(shape[axis] * r // comm.size for r in (comm.rank, comm.rank + 1))
    return seiche.Box(*limits), (slice(None), *(slice(*limit) for limit in limits[::-1]))


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("coarse, fine", [((6, 4, 8), (12, 8, 16)), ((5, 7, 3), (10, 14, 6)), ((4, 5, 6), (5, 7, 9))])
def test_interpolates_and_restricts(comm, rng, dtype, coarse, fine):
    x, y, z = (axis_matrix(*sizes) for sizes in zip(coarse, fine))
    box, here = part(coarse, 0, comm)
    fine_box, fine_here = part(fine, 2, comm)
    pair = GridPair(coarse, fine, dtype, comm)
    values = random_values(rng, (2, *coarse[::-1]), dtype)
    expected = numpy.einsum("Zz,Yy,Xx,fzyx->fZYX", z, y, x, values)
    found = pair.interpolate(box, numpy.ascontiguousarray(values[here]), fine_box)
    numpy.testing.assert_allclose(found, expected[fine_here], atol=1e-13)
    values = random_values(rng, (2, *fine[::-1]), dtype)
    expected = numpy.einsum("Zz,Yy,Xx,fZYX->fzyx", z, y, x, values) * numpy.prod(coarse) / numpy.prod(fine)
    found = pair.restrict(fine_box, numpy.ascontiguousarray(values[fine_here]), box)
    numpy.testing.assert_allclose(found, expected[here], atol=1e-13)
