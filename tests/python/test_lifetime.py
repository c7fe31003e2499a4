# SPDX-License-Identifier: BSD-3-Clause
"""What is collective ends alike on all ranks, whatever garbage collectors do, and leaks nothing."""

import gc
import resource

import numpy
import pytest

import seiche

SHAPE = (6, 5, 7)


def resident():
    """Bytes of this process that are in memory now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def leaks_nothing(comm, once, times):
    """In one of three thirds of the last nine tenths less than 20 bytes each stay, besides a tenth of a megabyte. What leaks grows
    in each of them; pools of MPI, and of malloc for the threads that read, grow when they like."""
    for turn in range(times // 10):
        once(turn)
    grown = []
    third = (times - times // 10) // 3
    for part in range(3):
        before = resident()
        for turn in range(third):
            once(part * third + turn)
        grown.append(comm.allreduce(resident() - before) / comm.size)
    assert min(grown) < 100000 + 20 * third


def test_matrices_and_products_leak_nothing(comm):
    one = seiche.from_dense(seiche.BlockLayout([2, 1, 3], comm=comm), numpy.eye(6))

    def matrices(turn):
        layout = seiche.BlockLayout([2, 1, 3], comm=comm)
        seiche.scale(seiche.BlockMatrix(layout), 2.0 + turn)

    def products(turn):
        with seiche.Multiplier(comm) as multiply:
            multiply(one, one)

    many = 10000 if comm.size <= 2 else 1000  # more ranks than cores are slow
    leaks_nothing(comm, matrices, many)
    leaks_nothing(comm, products, many // 20)


def test_files_and_orbitals_leak_nothing(comm, data):
    path = str(data / "si_small" / "si_small.save")
    with seiche.WaveFile(path, comm) as file:
        orbitals = seiche.read_orbitals(file, seiche.OrbitalLayout(waves=comm.size))

    def files(turn):
        with seiche.WaveFile(path, comm) as again:
            assert again.header.bands > 0

    def copies(turn):
        layout = seiche.OrbitalLayout(**{("bands", "waves")[turn % 2]: comm.size})
        assert seiche.redistribute(orbitals, layout).parts[0].coefficients.size >= 0

    def failures(turn):
        with pytest.raises(seiche.BadFile):
            seiche.WaveFile(path + "/nothing", comm)

    for once in (files, copies, failures):
        leaks_nothing(comm, once, 10000 if comm.size == 1 else 200)


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
    make_and_close(9000)
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
