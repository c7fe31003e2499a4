# SPDX-License-Identifier: BSD-3-Clause
"""Interpolation between grids against NumPy, and what the generated calls of tests/conformance do not have: shapes of arrays,
arrays that calls allocate, and errors."""

import numpy
import pytest
from conftest import random_values, raises_alike

import seiche

TINY = {"float32": 1e-5, "complex64": 1e-5, "float64": 1e-12, "complex128": 1e-12}


def matrix(n, into):
    """Returns the interpolation of one axis, as a matrix of values at `into` points from values at n points."""
    waves = [g for g in range(-n, n + 1) if 2 * abs(g) <= min(n, into)]
    weights = [0.5 if 2 * abs(g) == n else 1.0 for g in waves]
    at = numpy.exp(2j * numpy.pi * numpy.outer(numpy.arange(into) / into, waves))
    of = numpy.exp(-2j * numpy.pi * numpy.outer(waves, numpy.arange(n) / n)) / n
    return (at * weights) @ of


def interpolated(fields, shape):
    for axis, n in enumerate(shape[::-1]):
        fields = numpy.moveaxis(numpy.tensordot(matrix(fields.shape[axis + 1], n), fields, (1, axis + 1)), 0, axis + 1)
    return fields


@pytest.mark.parametrize("dtype", TINY)
@pytest.mark.parametrize("shapes", [((7, 6, 8), (10, 9, 12)), ((9, 12, 10), (6, 7, 5)), ((8, 5, 6), (5, 8, 12))])
@pytest.mark.parametrize("decomposition", ["slab", "automatic"])
def test_values_are_those_of_numpy(comm, rng, dtype, shapes, decomposition):
    shape, other = shapes
    fields = random_values(rng, (2, *shape[::-1]), dtype)
    want = interpolated(fields, other)
    want = want if numpy.iscomplexobj(fields) else want.real
    options = dict(decomposition=decomposition)
    with seiche.DenseFft(shape, dtype, comm, **options) as fft, seiche.DenseFft(other, dtype, comm, **options) as to:
        here, there = fft.grid_box.slices, to.grid_box.slices
        with seiche.GridInterpolation(fft, to, fields=2) as both, seiche.GridInterpolation(fft, to) as one:
            given = numpy.ascontiguousarray(fields[(slice(None), *here)])
            found = both.apply(given)
            assert found.dtype == dtype and (both.fields, one.fields) == (2, 1)
            numpy.testing.assert_allclose(found, want[(slice(None), *there)], atol=20 * TINY[dtype])
            numpy.testing.assert_allclose(one.apply(given[1]), found[1], atol=TINY[dtype])
            out = numpy.zeros_like(found)
            assert both.apply(given, out) is out
            numpy.testing.assert_array_equal(out, found)
            out[:] = 0
            both.start_apply(given, out).finish()
            numpy.testing.assert_array_equal(out, found)


def test_plans_may_be_closed(comm):
    with seiche.DenseFft((6, 5, 7), comm=comm) as fft, seiche.DenseFft((8, 8, 8), comm=comm) as to:
        up = seiche.GridInterpolation(fft, to)
        ones = numpy.ones(fft.grid_box.shape, complex)
        assert "of complex128, 1 fields" in repr(up)
    with up:
        numpy.testing.assert_allclose(up.apply(ones), 1, atol=1e-13)
    assert repr(up) == "<seiche.GridInterpolation, closed>"


def test_errors_are_raised_on_all_ranks(comm):
    fft, to = seiche.DenseFft((6, 5, 7), comm=comm), seiche.DenseFft((8, 8, 8), comm=comm)
    points = numpy.zeros(fft.grid_box.shape, complex)

    def refused(text, call):
        raises_alike(comm, seiche.BadArgument, text, call)

    refused("the number of fields must be 1 to 65536", lambda: seiche.GridInterpolation(fft, to, 0))
    with seiche.DenseFft((8, 8, 8), "float64", comm) as real:
        refused("the plans have different dtypes", lambda: seiche.GridInterpolation(fft, real))
    up = seiche.GridInterpolation(fft, to)
    refused("grid has shape", lambda: up.apply(numpy.zeros((2, *points.shape), complex)))
    refused("grid", lambda: up.apply(points.astype("complex64")))
    refused("out has shape", lambda: up.start_apply(points, points))
    up.close()
    refused("closed", lambda: up.apply(points))
    to.close()
    refused("closed", lambda: seiche.GridInterpolation(fft, to))
    fft.close()
