# SPDX-License-Identifier: BSD-3-Clause
"""Potentials and densities on bands: added to what is there, of spinors, between callers' boxes of the grid and plans'."""

import numpy
import pytest
from conftest import random_values, raises_alike

import seiche

SHAPE = (6, 5, 7)
WAVES = seiche.sphere_of_waves(numpy.eye(3), 2.0)


def on_grid(psi, waves):
    """By a direct sum: psi(r) of coefficients of all waves, [z, y, x]."""
    x, y, z = (numpy.arange(n) / n for n in SHAPE)
    phase = waves[:, 0, None, None, None] * x + waves[:, 1, None, None, None] * y[:, None] + waves[:, 2, None, None, None] * z[:, None, None]
    return numpy.tensordot(psi, numpy.exp(2j * numpy.pi * phase), 1)


def back(values, waves):
    """The way back, by numpy: coefficients of these waves."""
    c = numpy.fft.fftn(values, axes=(-3, -2, -1)) / values[..., :, :, :].shape[-1] / values.shape[-2] / values.shape[-3]
    return c[..., waves[:, 2], waves[:, 1], waves[:, 0]]


@pytest.fixture
def owned(comm):
    return seiche.balanced_owners(WAVES, comm.size) == comm.rank


@pytest.mark.parametrize("components", [1, 2])
def test_padded_rows_are_slices(comm, rng, owned, components):
    waves = WAVES[owned]
    axis = () if components == 1 else (components,)
    with seiche.SphereFft(SHAPE, waves, comm=comm, components=components) as fft:
        n, v = len(waves), rng.normal(size=fft.grid_box.shape)
        psi = random_values(rng, (3, *axis, n), complex)
        expected, density = fft.apply_potential(psi, v), fft.add_density(psi, numpy.ones(3), numpy.zeros_like(v))
        large, out = numpy.full((5, *axis, n + 4), 7 + 0j), numpy.full((5, *axis, n + 2), 9 + 0j)
        large[1:4, ..., 2 : n + 2] = psi
        given, result = large[1:4, ..., 2 : n + 2], out[:3, ..., :n]
        assert fft.apply_potential(given, v, out=result) is result
        numpy.testing.assert_allclose(result, expected, atol=1e-12)
        assert (out[:3, ..., n:] == 9).all() and (out[3:] == 9).all()
        numpy.testing.assert_allclose(fft.add_density(given, numpy.ones(3), numpy.zeros_like(v)), density, atol=1e-12)
        numpy.testing.assert_allclose(fft.forward(fft.backward(given), psi=result), psi, atol=1e-12)
        assert (out[:3, ..., n:] == 9).all() and (out[3:] == 9).all()
        fft.start_apply_potential(given, v, out=result).finish()
        numpy.testing.assert_allclose(result, expected, atol=1e-12)
        raises_alike(comm, seiche.BadArgument, "is not contiguous", lambda: fft.apply_potential(large[3:0:-1, ..., :n], v))


def test_results_are_added(comm, rng, owned):
    psi, there = random_values(rng, (3, len(WAVES)), complex), random_values(rng, (3, len(WAVES)), complex)
    v = rng.normal(size=SHAPE[::-1])
    expected = there + back(v * on_grid(psi, WAVES), WAVES)
    with seiche.SphereFft(SHAPE, WAVES[owned], comm=comm) as fft:
        mine = numpy.ascontiguousarray(psi[:, owned])
        here = numpy.ascontiguousarray(v[fft.grid_box.slices])
        out = numpy.ascontiguousarray(there[:, owned])
        assert fft.apply_potential(mine, here, out, add=True) is out
        numpy.testing.assert_allclose(out, expected[:, owned], atol=1e-12)
        out = numpy.ascontiguousarray(there[:, owned])

        def multiply(band, box, values):
            values *= v[box.slices]

        fft.round_trip(mine, multiply, out, add=True)
        numpy.testing.assert_allclose(out, expected[:, owned], atol=1e-12)
        raises_alike(comm, seiche.BadArgument, "add needs an array to add to: pass out", lambda: fft.apply_potential(mine, here, add=True))
        raises_alike(comm, seiche.BadArgument, "add needs an array to add to", lambda: fft.round_trip(mine, multiply, add=True))
        with pytest.raises(TypeError):
            fft.apply_potential(mine, here, out, True)


def test_spinors_turn_in_magnetic_fields(comm, rng, owned):
    psi = random_values(rng, (2, 2, len(WAVES)), complex)
    v = rng.normal(size=(4, *SHAPE[::-1]))
    up, down = (on_grid(psi[:, s], WAVES) for s in (0, 1))
    turned = numpy.stack([(v[0] + v[3]) * up + (v[1] - 1j * v[2]) * down, (v[1] + 1j * v[2]) * up + (v[0] - v[3]) * down], 1)
    weights = numpy.array([2.0, 0.5])
    cross = up.conj() * down
    density = numpy.stack([abs(up) ** 2 + abs(down) ** 2, 2 * cross.real, 2 * cross.imag, abs(up) ** 2 - abs(down) ** 2], 1)
    with seiche.SphereFft(SHAPE, WAVES[owned], comm=comm, components=2) as fft:
        mine = numpy.ascontiguousarray(psi[:, :, owned])
        here = (slice(None), *fft.grid_box.slices)
        numpy.testing.assert_allclose(fft.apply_potential(mine, numpy.ascontiguousarray(v[here])), back(turned, WAVES)[:, :, owned], atol=1e-12)
        found = fft.add_density(mine, weights, numpy.zeros((4, *fft.grid_box.shape)))
        numpy.testing.assert_allclose(found, numpy.tensordot(weights, density, 1)[here], atol=1e-12)
        pending = fft.start_apply_potential(mine, numpy.ascontiguousarray(v[here]))
        numpy.testing.assert_allclose(pending.finish(), back(turned, WAVES)[:, :, owned], atol=1e-12)
        later = fft.start_add_density(mine, weights, numpy.zeros((4, *fft.grid_box.shape))).finish()
        numpy.testing.assert_array_equal(later, found)
        raises_alike(comm, seiche.BadArgument, "potential has shape", lambda: fft.apply_potential(mine, numpy.zeros((3, *fft.grid_box.shape))))
        raises_alike(comm, seiche.BadArgument, "density has shape", lambda: fft.add_density(mine, weights, numpy.zeros((2, *fft.grid_box.shape))))
    with seiche.SphereFft(SHAPE, WAVES[owned], comm=comm) as fft:
        raises_alike(comm, seiche.BadArgument, "potential has shape",
                     lambda: fft.apply_potential(psi[0, :, owned].T.copy(), numpy.zeros((4, *fft.grid_box.shape))))


def test_values_go_between_a_callers_boxes_and_the_plans(comm, rng, owned):
    whole = rng.normal(size=SHAPE[::-1])
    last = comm.rank == comm.size - 1  # has all of it, others nothing
    box = seiche.Box((0, SHAPE[0]), (0, SHAPE[1]), (0, SHAPE[2])) if last else seiche.Box((0, 0), (0, 0), (0, 0))
    values = whole if last else numpy.zeros((0, 0, 0))
    with seiche.SphereFft(SHAPE, WAVES[owned], comm=comm) as fft:
        here = fft.spread(box, values)
        numpy.testing.assert_array_equal(here, whole[fft.grid_box.slices])
        again = numpy.empty(fft.grid_box.shape)
        assert fft.spread(box, values, again) is again
        numpy.testing.assert_array_equal(again, here)
        sums = numpy.ones(values.shape)
        assert fft.collect(2 * here, box, sums) is sums
        numpy.testing.assert_allclose(sums, 2 * values + 1, atol=1e-15)
        fields = numpy.stack([whole + 2j * whole, 3 - 1j * whole])  # complex, two at once
        mine = fields if last else numpy.zeros((2, 0, 0, 0), complex)
        there = fft.spread(box, mine)
        numpy.testing.assert_array_equal(there, fields[(slice(None), *fft.grid_box.slices)])
        sums = numpy.ones(mine.shape, complex)
        assert fft.collect(there, box, sums) is sums
        numpy.testing.assert_allclose(sums, mine + 1, atol=1e-15)
        sums = numpy.ones(values.shape)
        if comm.size > 1:
            some = numpy.zeros(values.shape, complex) if last else values
            raises_alike(comm, seiche.BadArgument, "real and complex values", lambda: fft.spread(box, some))
        raises_alike(comm, seiche.BadArgument, "values has shape", lambda: fft.spread(box, numpy.zeros((1, 2, 3))))
        raises_alike(comm, seiche.WrongType, "here has dtype float32", lambda: fft.collect(here.astype("float32"), box, sums))
        raises_alike(comm, seiche.BadArgument, "points of a target box",
                     lambda: fft.spread(seiche.Box((0, 0), (0, 0), (0, 0)), numpy.zeros((0, 0, 0))))
    raises_alike(comm, seiche.BadArgument, "this SphereFft is closed", lambda: fft.spread(box, values))
