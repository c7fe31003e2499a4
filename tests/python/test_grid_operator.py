# SPDX-License-Identifier: BSD-3-Clause
"""What the generated calls of tests/conformance do not have: shapes of arrays, arrays that calls allocate, and errors of
operators on grids."""

import numpy
import pytest
from conftest import random_values, raises_alike

import seiche

SHAPE = (7, 6, 9)
CUBE = 2 * numpy.pi * numpy.eye(3)


def whole_grids(rng, fields, dtype):
    return random_values(rng, (fields, *SHAPE[::-1]), dtype)


def waves():
    """Returns G of the cube on the whole spectrum, [component, z, y, x]."""
    axes = [numpy.fft.fftfreq(n, 1 / n) for n in SHAPE[::-1]]
    return numpy.array(numpy.meshgrid(*axes, indexing="ij"))[::-1]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_operators_are_those_of_numpy(comm, rng, dtype):
    fields = whole_grids(rng, 3, dtype)
    spectra, g = numpy.fft.fftn(fields, axes=(1, 2, 3)), waves()
    g[1] = numpy.where(numpy.abs(g[1]) == 3, 0, g[1])  # the index n/2 along y
    wanted = {"gradient": numpy.fft.ifftn(1j * g * spectra[0], axes=(1, 2, 3)),
              "divergence": numpy.fft.ifftn((1j * g * spectra).sum(axis=0)),
              "screened": numpy.fft.ifftn(4 * numpy.pi / ((waves() ** 2).sum(axis=0) + 2.25) * spectra[0])}
    with seiche.DenseFft(SHAPE, dtype, comm) as fft:
        here = fft.grid_box.slices
        for kernel, want in wanted.items():
            want = (want if dtype == "complex128" else want.real)[(..., *here)]
            with seiche.GridOperator(fft, CUBE, kernel, 1.5) as op:
                given = fields[(slice(None), *here)] if op.inputs == 3 else fields[0][here]
                given = numpy.ascontiguousarray(given)
                found = op.apply(given)
                assert found.dtype == dtype and found.shape == want.shape
                numpy.testing.assert_allclose(found, want, atol=1e-12)
                out = numpy.zeros_like(found)
                assert op.apply(given, out) is out
                numpy.testing.assert_array_equal(out, found)
                out[:] = 0
                op.start_apply(given, out).finish()
                numpy.testing.assert_array_equal(out, found)
                assert (op.inputs, op.outputs) == tuple(3 if array.ndim == 4 else 1 for array in (given, found))


def test_factors_are_copied(comm, rng):
    field = whole_grids(rng, 1, complex)[0]
    with seiche.DenseFft(SHAPE, comm=comm) as fft:
        mine = numpy.ascontiguousarray(field[fft.grid_box.slices])
        factors = numpy.full((2, 1, *fft.spectrum_box.shape), 2.0 + 1j)
        op = seiche.GridOperator.of_factors(fft, factors)
        assert op.memory == 2 * factors.size // 2 * 16 and "1 inputs, 2 outputs" in repr(op)
    factors[:] = 0
    with op:  # also after its plan is closed
        numpy.testing.assert_allclose(op.apply(mine), numpy.array([mine, mine]) * (2 + 1j), atol=1e-12)
    assert repr(op) == "<seiche.GridOperator, closed>"


def test_errors_are_raised_on_all_ranks(comm):
    fft = seiche.DenseFft(SHAPE, comm=comm)
    points = numpy.zeros(fft.grid_box.shape, complex)

    def refused(text, call):
        raises_alike(comm, seiche.BadArgument, text, call)

    refused("kernel", lambda: seiche.GridOperator(fft, CUBE, "nonsense"))
    refused("factors has shape", lambda: seiche.GridOperator.of_factors(fft, numpy.zeros((3, 3), complex)))
    refused("factors", lambda: seiche.GridOperator.of_factors(fft, numpy.zeros((1, 1, *fft.spectrum_box.shape))))
    op = seiche.GridOperator(fft, CUBE, "laplacian")
    refused("grid has shape", lambda: op.apply(numpy.zeros((2, *points.shape), complex)))
    refused("grid", lambda: op.apply(points.astype("complex64")))
    refused("out has shape", lambda: op.start_apply(points, numpy.zeros((2, *points.shape), complex)))
    op.close()
    refused("closed", lambda: op.apply(points))
    fft.close()
    refused("closed", lambda: seiche.GridOperator(fft, CUBE, "laplacian"))
