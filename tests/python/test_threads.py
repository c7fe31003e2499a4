# SPDX-License-Identifier: BSD-3-Clause
"""One thread at a time uses a communicator and what lies on it: a second one is told, and frees nothing that is in use."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
from mpi4py import MPI

import seiche

SHAPE = (24, 20, 18)
AT_WORK = "is in use: do not use it from its callback"
OTHER_THREAD = "another thread is in a call on this communicator"

pytestmark = pytest.mark.skipif(MPI.Query_thread() < MPI.THREAD_MULTIPLE, reason="needs MPI_THREAD_MULTIPLE")


@pytest.fixture
def own():
    """A communicator of this rank alone."""
    made = MPI.COMM_SELF.Dup()
    yield made
    made.Free()


@pytest.fixture
def waves():
    return seiche.sphere_of_waves(2 * numpy.eye(3), 2.0)


class Paused:
    """A function that waits inside of a call, which runs in a thread of its own, while the test does other things."""

    def __init__(self):
        self.inside, self.go_on = threading.Event(), threading.Event()

    def __call__(self, *_):
        self.inside.set()
        assert self.go_on.wait(60)

    def during(self, call, meanwhile):
        with ThreadPoolExecutor(1) as pool:
            result = pool.submit(call)
            try:
                assert self.inside.wait(60)
                meanwhile()
            finally:
                self.go_on.set()
            return result.result()


def test_a_plan_in_use_refuses_other_threads(own, waves):
    plan = seiche.SphereFft(SHAPE, waves, comm=own)
    psi, v = numpy.ones((2, len(waves)), complex), numpy.ones(plan.grid_box.shape)
    grid = numpy.ones((2, *plan.grid_box.shape), complex)
    calls = [lambda: plan.backward(psi), lambda: plan.forward(grid), lambda: plan.apply_potential(psi, v),
             lambda: plan.add_density(psi, numpy.ones(2), v.copy()), lambda: plan.round_trip(psi, print), lambda: plan.to_grid(psi, print),
             lambda: plan.spread(plan.grid_box, v), lambda: plan.collect(v, plan.grid_box, v.copy()), lambda: plan.stream(print),
             plan.close]

    def meanwhile():
        for call in calls:
            with pytest.raises(seiche.BadArgument, match=AT_WORK):
                call()

    paused = Paused()
    assert paused.during(lambda: plan.round_trip(psi, paused), meanwhile) == pytest.approx(psi)
    stream = plan.stream(paused := Paused())

    def of_stream():
        for call in (lambda: stream.add(psi), stream.finish):
            with pytest.raises(seiche.BadArgument, match=AT_WORK):
                call()
        with pytest.raises(seiche.BadArgument, match=OTHER_THREAD):
            plan.backward(psi)

    paused.during(lambda: (stream.add(psi), stream.finish()), of_stream)
    assert plan.apply_potential(psi, v) == pytest.approx(psi)
    plan.close()


def test_a_communicator_in_use_refuses_other_threads(own, waves):
    psi = numpy.ones((2, len(waves)), complex)
    with seiche.SphereFft(SHAPE, waves, comm=own) as plan, seiche.DenseFft(SHAPE, comm=own) as dense, dense.allocate() as field:
        field.grid[...] = 3
        other = MPI.COMM_SELF.Dup()

        def meanwhile():
            for call in (lambda: seiche.DenseFft(SHAPE, comm=own), dense.allocate, lambda: dense.forward(field), field.close,
                         lambda: dense.backward(field), field.become_spectrum, lambda: seiche.BlockLayout([1], comm=own)):
                with pytest.raises(seiche.BadArgument, match=OTHER_THREAD):
                    call()
            with seiche.SphereFft(SHAPE, waves, comm=other) as free:
                assert free.apply_potential(psi, numpy.ones(free.grid_box.shape)) == pytest.approx(psi)

        paused = Paused()
        paused.during(lambda: plan.to_grid(psi, paused), meanwhile)
        other.Free()
        dense.forward(field)
        assert field.spectrum[0, 0, 0] == pytest.approx(3)


def test_what_is_let_go_of_while_it_is_in_use_lives_on(own, waves):
    plan = seiche.SphereFft(SHAPE, waves, comm=own)
    psi = numpy.ones((2, len(waves)), complex)

    def meanwhile():
        with pytest.raises(ZeroDivisionError):
            with plan:
                1 / 0
        assert "closed" in repr(plan)

    paused = Paused()
    assert paused.during(lambda: plan.round_trip(psi, paused), meanwhile) == pytest.approx(psi)
    with seiche.SphereFft(SHAPE, waves, comm=own) as again:  # ends the first
        assert again.waves_here == len(waves)


def test_matrices_and_files_in_use_refuse_other_threads(own, data):
    one = seiche.from_dense(seiche.BlockLayout([2, 1, 3], comm=own), numpy.eye(6))
    c = one.copy()
    with seiche.Multiplier(own, memory_needed=(paused := Paused())) as multiply:

        def of_product():
            for call in (lambda: c.reserve(numpy.zeros((0, 2), "int32")), lambda: one.values, lambda: c.block(0, 0),
                         lambda: seiche.scale(one, 2.0), lambda: c.drop_below(1.0)):
                with pytest.raises(seiche.BadArgument, match=OTHER_THREAD):
                    call()
            with pytest.raises(seiche.BadArgument, match=AT_WORK):
                multiply.report

        paused.during(lambda: multiply(one, one, c), of_product)
        assert (seiche.to_dense(c) == numpy.eye(6)).all()
    file = seiche.WaveFile(data / "si_small" / "si_small.save", own)

    def of_file():
        with pytest.raises(seiche.BadArgument, match=OTHER_THREAD):
            file.close()

    paused = Paused()
    assert seiche.integrals(paused.during(lambda: seiche.density_of(file, on_progress=paused), of_file))[0] == pytest.approx(8)
    file.close()


@pytest.mark.parametrize("what", ["sphere", "field", "arrays"])
def test_threads_that_share_a_plan_get_right_answers_or_are_told(own, waves, what):
    psi = numpy.ones((4, len(waves)), complex)
    dense = seiche.DenseFft(SHAPE, comm=own)
    sphere = seiche.SphereFft(SHAPE, waves, comm=own)
    v, field = numpy.ones(sphere.grid_box.shape), dense.allocate()
    grid = numpy.ones(dense.grid_box.shape, complex)

    def once(_):
        spectrum = numpy.empty(dense.spectrum_box.shape, complex)
        try:
            if what == "sphere":
                return abs(sphere.apply_potential(psi, v) - psi).max()
            if what == "field":
                field.become_grid()
                return dense.forward(field) or 0.0
            dense.forward(grid, spectrum)
            return abs(spectrum[0, 0, 0] - 1)
        except seiche.BadArgument as told:
            assert "thread" in str(told)
            return None

    with ThreadPoolExecutor(4) as pool:
        errors = [error for error in pool.map(once, range(200)) if error is not None]
    assert errors and max(errors) < 1e-12
    for thing in (field, sphere, dense):
        thing.close()


def test_threads_with_communicators_of_their_own_work_at_the_same_time(waves):
    psi = numpy.ones((4, len(waves)), complex)
    comms = [MPI.COMM_SELF.Dup() for _ in range(4)]

    def work(comm):
        worst = 0
        for _ in range(10):
            with seiche.SphereFft(SHAPE, waves, comm=comm) as plan, seiche.DenseFft(SHAPE, comm=comm) as dense:
                worst = max(worst, abs(plan.apply_potential(psi, numpy.ones(plan.grid_box.shape)) - psi).max())
                spectrum = numpy.empty(dense.spectrum_box.shape, complex)
                dense.forward(numpy.ones(dense.grid_box.shape, complex), spectrum)
                worst = max(worst, abs(spectrum[0, 0, 0] - 1))
        return worst

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(work, comms)) < 1e-12
    for comm in comms:
        comm.Free()
