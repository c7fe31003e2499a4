# SPDX-License-Identifier: BSD-3-Clause
"""What is collective ends alike on all ranks, whatever garbage collectors do, and leaks nothing."""

import gc
import resource

import numpy

import seiche

SHAPE = (6, 5, 7)


def resident():
    """Bytes of this process that are in memory now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_ten_thousand_plans_and_fields_leak_nothing(comm):
    waves = seiche.sphere_of_waves(numpy.eye(3), 1.0)[comm.rank :: comm.size].copy()

    def make_and_close(times):
        for _ in range(times):
            with seiche.SphereFft(SHAPE, waves, comm=comm):
                pass
            with seiche.DenseFft(SHAPE, comm=comm):
                pass

    make_and_close(1000)
    before = resident()
    make_and_close(5000)
    assert comm.allreduce(resident() - before) / comm.size < 2 << 20
    with seiche.DenseFft(SHAPE, comm=comm) as fft:
        for _ in range(100):
            fft.allocate().close()
        before = resident()
        for _ in range(500):
            fft.allocate().close()
        assert comm.allreduce(resident() - before) / comm.size < 2 << 20


def test_arrays_outlive_their_field(comm):
    with seiche.DenseFft((16, 16, 16), comm=comm) as fft:
        kept = []
        for number in range(5):
            with fft.allocate() as field:
                grid = field.grid
                grid[...] = number
                kept.append(grid)
        for number, grid in enumerate(kept):
            assert (grid == number).all()


def test_memory_comes_back_when_arrays_are_gone(comm):
    with seiche.DenseFft((32, 32, 32 * comm.size), comm=comm) as fft:
        def use(times):
            for _ in range(times):
                with fft.allocate() as field:
                    grid = field.grid  # outlives the field, until the next turn
                    grid[...] = 1

        use(20)
        before = resident()
        use(100)  # 50 MB on each rank, if they stayed
        assert resident() - before < 8 << 20


def test_ranks_may_collect_garbage_at_different_times(comm, rng):
    whole = rng.normal(size=SHAPE[::-1]) + 0j
    for turn in range(20):
        fft = seiche.DenseFft(SHAPE, comm=comm)
        field = fft.allocate()
        field.grid[...] = whole[fft.grid_box.slices]
        circle = [fft, field]
        circle.append(circle)
        if (turn + comm.rank) % 3 == 0:
            del fft, field, circle
            gc.collect()
    with seiche.DenseFft(SHAPE, comm=comm) as fft, fft.allocate() as field:
        field.grid[...] = whole[fft.grid_box.slices]
        fft.forward(field)
        expected = numpy.fft.fftn(whole) / whole.size
        numpy.testing.assert_allclose(field.spectrum, expected[fft.spectrum_box.slices], atol=1e-14)


def test_communicators_are_given_back(comm):
    for _ in range(20):
        own = comm.Dup()
        with seiche.DenseFft(SHAPE, comm=own) as fft:
            assert fft.grid_box.volume >= 0
        own.Free()
