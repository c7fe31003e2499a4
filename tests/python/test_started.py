# SPDX-License-Identifier: BSD-3-Clause
"""Started calls, and exchanges of boxes."""

import gc

import numpy
import pytest
from conftest import random_values, raises_alike

import seiche

SHAPE = (6, 5, 7)
WAVES = seiche.sphere_of_waves(numpy.eye(3), 2.0)


def work_between(pending, comm):
    for _ in range(3 * comm.rank):
        assert pending.progress() in (True, False)


@pytest.fixture
def plan(comm):
    mine = WAVES[seiche.balanced_owners(WAVES, comm.size) == comm.rank]
    with seiche.SphereFft(SHAPE, mine, comm=comm, algorithm="pairwise") as fft:
        yield fft


def test_spheres(comm, rng, plan):
    psi = random_values(rng, (3, plan.waves_here), complex)
    potential = numpy.cos(numpy.arange(plan.grid_box.volume, dtype=float)).reshape(plan.grid_box.shape)
    pending = plan.start_apply_potential(psi, potential)
    work_between(pending, comm)
    numpy.testing.assert_array_equal(pending.finish(), plan.apply_potential(psi, potential))
    out = psi.copy()
    with plan.start_apply_potential(psi, potential, out, add=True):
        pass
    numpy.testing.assert_array_equal(out, plan.apply_potential(psi, potential, psi.copy(), add=True))
    grid = plan.start_backward(psi).finish()
    numpy.testing.assert_array_equal(grid, plan.backward(psi))
    numpy.testing.assert_allclose(plan.start_forward(grid, bands=3).finish(), psi, atol=1e-13)
    density, expected = numpy.zeros((2, *plan.grid_box.shape))
    weights = numpy.array([1, 2, 0.5])
    assert plan.start_add_density(psi, weights, density).finish() is density
    numpy.testing.assert_array_equal(density, plan.add_density(psi, weights, expected))

    def double(band, box, values):
        values *= 2

    numpy.testing.assert_allclose(plan.start_round_trip(psi, double).finish(), 2 * psi, atol=1e-13)


def test_grid_values_in_boxes(comm, rng, plan):
    psi = random_values(rng, (2, plan.waves_here), complex)
    low, high = (5 * r // comm.size for r in (comm.rank, comm.rank + 1))
    box = seiche.Box((0, 6), (low, high), (0, 7))
    values = plan.backward_to_boxes(psi, box)
    assert values.shape == (2, *box.shape)
    whole = numpy.concatenate(comm.allgather(values), axis=2)
    c = numpy.fft.fftn(whole, axes=(1, 2, 3)) / 210
    everywhere = numpy.concatenate(comm.allgather(psi), axis=1)
    waves = numpy.concatenate(comm.allgather(WAVES[seiche.balanced_owners(WAVES, comm.size) == comm.rank]))
    numpy.testing.assert_allclose(c[:, waves[:, 2], waves[:, 1], waves[:, 0]], everywhere, atol=1e-13)
    numpy.testing.assert_allclose(plan.forward_from_boxes(box, values), psi, atol=1e-13)
    raises_alike(comm, seiche.BadArgument, "values has shape",
                 lambda: plan.backward_to_boxes(psi, box, numpy.zeros((1, *box.shape), complex)))


@pytest.mark.parametrize("dtype", ["complex128", "float32"])
def test_dense(comm, rng, dtype):
    with seiche.DenseFft(SHAPE, dtype, comm=comm) as fft:
        grid = random_values(rng, fft.grid_box.shape, numpy.dtype(dtype))
        spectra = numpy.zeros((2, *fft.spectrum_box.shape), "complex128" if dtype == "complex128" else "complex64")
        fft.forward(grid, spectra[0])
        pending = fft.start_forward(grid, spectra[1])
        work_between(pending, comm)
        assert pending.finish() is not None
        numpy.testing.assert_array_equal(*spectra)
        again = numpy.zeros_like(grid)
        assert fft.start_backward(spectra[1], again).finish() is again
        numpy.testing.assert_allclose(again, grid, atol=1e-5)


def test_errors(comm, rng, plan):
    psi = random_values(rng, (2, plan.waves_here), complex)

    def fail(band, box, values):
        if comm.rank == comm.size - 1:
            raise ValueError("no luck")

    pending = plan.start_round_trip(psi, fail)
    with pytest.raises(seiche.BadArgument, match="no luck") as raised:
        pending.finish()
    assert comm.rank < comm.size - 1 or isinstance(raised.value.__cause__, ValueError)
    assert repr(pending) == "<seiche.Pending, finished>"
    with pytest.raises(seiche.BadArgument, match="this Pending is closed"):
        pending.progress()
    raises_alike(comm, seiche.BadArgument, "this Pending is closed", pending.finish)
    raises_alike(comm, seiche.BadArgument, "potential has shape", lambda: plan.start_apply_potential(psi, numpy.zeros((1, 1, 1))))
    seiche_pending = plan.start_backward(psi)
    assert repr(seiche_pending) == "<seiche.Pending>"
    del seiche_pending  # dropped: completes with the next collective call
    gc.collect()
    plan.backward(psi)


@pytest.mark.parametrize("space", ["host", "cuda"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64"])
def test_halos(comm, rng, dtype, space):
    shape = (4, 3, 2 * comm.size)
    whole = numpy.arange(2 * 24 * comm.size).reshape(2, *shape[::-1]).astype(dtype)
    mine = seiche.Box((0, 4), (0, 3), (2 * comm.rank, 2 * comm.rank + 2))
    for planes in (1, 2):
        halo = seiche.Box((0, 4), (0, 3), (2 * comm.rank - planes, 2 * comm.rank + 2 + planes))
        wanted = numpy.take(whole, range(*(halo.z.start, halo.z.stop)), axis=1, mode="wrap")
        with seiche.BoxExchange(shape, mine, halo, comm=comm, algorithm="pairwise", space=space) as exchange:
            values = numpy.ascontiguousarray(whole[:, 2 * comm.rank : 2 * comm.rank + 2])
            numpy.testing.assert_array_equal(exchange.copy(values), wanted)
            numpy.testing.assert_array_equal(exchange.copy(values[0].copy()), wanted[0])
            pending = exchange.start_copy(values)
            work_between(pending, comm)
            numpy.testing.assert_array_equal(pending.finish(), wanted)
            copies = comm.allreduce(numpy.bincount(numpy.arange(halo.z.start, halo.z.stop) % shape[2], minlength=shape[2]))
            factor = 1 + copies[2 * comm.rank : 2 * comm.rank + 2].reshape(2, 1, 1)
            numpy.testing.assert_array_equal(exchange.add_back(wanted, values.copy()), values * factor)
            numpy.testing.assert_array_equal(exchange.start_add_back(wanted, values.copy()).finish(), values * factor)
            assert exchange.report.algorithm == "pairwise"
            assert exchange.report.messages == ("host" if comm.size > 1 else "none")
            assert exchange.report.own + exchange.report.received == halo.volume
            assert exchange.progress.worked >= 0
            assert "here 1 source boxes and 1 target boxes" in repr(exchange)
        assert repr(exchange) == "<seiche.BoxExchange, closed>"


def test_lists_of_boxes(comm):
    """Every other plane, in reverse order, from the last rank."""
    whole = numpy.arange(60.0).reshape(5, 4, 3)
    source = [seiche.Box((0, 3), (0, 4), (0, 5))] if comm.rank == comm.size - 1 else []
    target = [seiche.Box((0, 3), (0, 4), (z, z + 1)) for z in (4, 2, 0)]
    with seiche.BoxExchange((3, 4, 5), source, target, comm=comm) as exchange:
        values = whole.reshape(1, 60) if source else numpy.zeros((1, 0))
        numpy.testing.assert_array_equal(exchange.copy(values), whole[[4, 2, 0]].reshape(1, 36))
        raises_alike(comm, seiche.BadArgument, "out has shape", lambda: exchange.copy(values, numpy.zeros(35)))
        raises_alike(comm, seiche.WrongType, "values must be a NumPy array, not list", lambda: exchange.copy([1.0]))
    raises_alike(comm, seiche.BadArgument, "are in no source box", lambda: seiche.BoxExchange((3, 4, 5), [], target, comm=comm))
    raises_alike(comm, seiche.WrongType, "a box has an invalid value 1", lambda: seiche.BoxExchange((3, 4, 5), [1], target, comm=comm))
