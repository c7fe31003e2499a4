# SPDX-License-Identifier: BSD-3-Clause
"""Wavefunctions of .gpw files, compared with files that ASE writes on one rank."""

import errno
import io
import os
import pathlib
import resource
import sys

import numpy
import pytest
from conftest import raises_alike, random_values

import seiche

ulm = pytest.importorskip("ase.io.ulm")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integrations/gpaw/package/gpaw"))  # not seiche.gpaw, which needs GPAW
import gpw_file  # noqa: E402
from gpw_file import BandArray, BandMover, FirstFault  # noqa: E402

WAVES = (11, 7)  # of two k-points
SHAPE = (1, 2, 5, 11)  # spins, k-points, bands, waves


def part(values, comm):
    """Returns the waves of this rank, and the number of them that the first ranks have."""
    waves_here = -(-values.shape[-1] // comm.size)
    return values[..., comm.rank * waves_here :][..., :waves_here].copy(), waves_here


def writer_of(path, comm):
    return ulm.Writer(path, tag="test") if comm.rank == 0 else ulm.DummyWriter()


def write_on_one_rank(path, kpoints, dtype, factor):
    with ulm.Writer(path, tag="test") as writer:
        writer.write(before=numpy.arange(3.0), text="text")
        writer.add_array("waves", SHAPE, dtype)
        for values in kpoints:
            whole = numpy.zeros(SHAPE[2:], complex)
            whole[:, : values.shape[-1]] = values * factor
            writer.fill(whole.astype(dtype))
        writer.write(after=numpy.arange(4))


def write_on_all_ranks(path, kpoints, dtype, factor, comm):
    with writer_of(path, comm) as writer:
        writer.write(before=numpy.arange(3.0), text="text")
        array = BandArray(writer, "waves", SHAPE, dtype, comm)
        assert array.shared
        for k, values in enumerate(kpoints):
            mine, waves_here = part(values, comm)
            for first, bands in BandMover(values.shape[-1], waves_here, comm).whole(mine, array.fault):
                array.fill((0, k), first, bands, lambda whole: (whole * factor).astype(dtype))
        array.finish()
        writer.write(after=numpy.arange(4))
    comm.Barrier()


@pytest.fixture
def kpoints(rng):
    return [random_values(rng, (SHAPE[2], waves), complex) for waves in WAVES]


@pytest.mark.parametrize("memory", [1, 2**24])  # bytes: one band for each rank at a time, all bands
@pytest.mark.parametrize("shape", [(7, 11), (5, 2, 7), (1, 1), (0, 3), (13, 2, 1)])
def test_moves_bands(comm, rng, monkeypatch, shape, memory):
    monkeypatch.setattr(gpw_file, "MEMORY", memory)
    values = random_values(rng, shape, complex)
    mine, waves_here = part(values, comm)
    mover = BandMover(shape[-1], waves_here, comm)
    found = numpy.zeros(shape, complex)
    divided, fault = numpy.zeros_like(mine), FirstFault(comm)
    for first, bands in mover.whole(mine, fault):
        found[first : first + len(bands)] += bands
    numpy.testing.assert_array_equal(comm.allreduce(found), values)
    mover.divide(lambda first, last: values[first:last], divided, fault)
    fault.agree(seiche.BadFile, "read", "write it again")
    numpy.testing.assert_array_equal(divided, mine)


@pytest.mark.parametrize("dtype", [numpy.complex128, numpy.complex64])
def test_writes_the_bytes_of_one_rank(comm, scratch, kpoints, dtype):
    write_on_all_ranks(scratch / "all.ulm", kpoints, dtype, 1.5, comm)
    write_on_one_rank(scratch / f"one{comm.rank}.ulm", kpoints, dtype, 1.5)
    assert (scratch / "all.ulm").read_bytes() == (scratch / f"one{comm.rank}.ulm").read_bytes()


def test_a_full_disk_is_an_error_on_all_ranks(comm, scratch, kpoints, monkeypatch):
    def full(*of_call):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path, last = scratch / "full.ulm", comm.size - 1
    if comm.rank == last:
        monkeypatch.setattr(os, "pwrite", full)
    message = rf"rank {last} cannot write wavefunctions to .*full.ulm \(No space left on device\): free some space"
    raises_alike(comm, seiche.Unwritable, message, lambda: write_on_all_ranks(path, kpoints, complex, 1.0, comm))
    with ulm.Reader(path) as reader:
        assert sorted(reader.keys()) == ["before", "text"]
    assert path.stat().st_size < 500  # without the array


def test_a_limited_size_is_an_error_on_all_ranks(comm, scratch, kpoints):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        raises_alike(comm, seiche.Unwritable, r"rank 0 cannot write wavefunctions to .*limited.ulm \(File too large\)",
                     lambda: write_on_all_ranks(scratch / "limited.ulm", kpoints, complex, 1.0, comm))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_fault_before_a_band_is_an_error_on_all_ranks(comm, scratch):
    path = scratch / "fault.ulm"
    with writer_of(path, comm) as writer:
        array = BandArray(writer, "waves", SHAPE, complex, comm)
        assert path.stat().st_size > 16 * numpy.prod(SHAPE)
        comm.Barrier()
        with array.fault.kept():
            if comm.rank == 0:
                raise ValueError("no waves")
        raises_alike(comm, seiche.Unwritable, r"rank 0 .*\(no waves\)", array.finish)


def test_reading_fails_on_all_ranks(comm, kpoints):
    def read(first, last):
        if comm.rank == comm.size - 1:
            raise ValueError("the file is too short")
        return kpoints[0][first:last]

    mine, waves_here = part(kpoints[0], comm)
    fault = FirstFault(comm)
    BandMover(WAVES[0], waves_here, comm).divide(read, mine, fault)
    message = rf"rank {comm.size - 1} cannot read it \(the file is too short\): write it again"
    raises_alike(comm, seiche.BadFile, message, lambda: fault.agree(seiche.BadFile, "read it", "write it again"))


class NoMemory:
    """NumPy without memory in call number `fails` of one of its functions."""

    def __init__(self, function, fails):
        self._function, self._left = function, fails

    def __call__(self, *arguments, **keywords):
        self._left -= 1
        if self._left == 0:
            raise MemoryError("no memory")
        return self._function(*arguments, **keywords)


@pytest.mark.parametrize("call", [1, 2])  # of several exchanges
@pytest.mark.parametrize("function", ["empty", "concatenate"])  # before an exchange, and after it
def test_no_memory_during_a_move_is_an_error_on_all_ranks(comm, scratch, kpoints, monkeypatch, function, call):
    monkeypatch.setattr(gpw_file, "MEMORY", 1)  # one band for each rank at a time
    last = comm.size - 1
    if comm.size > 1 and comm.rank == last:
        monkeypatch.setattr(numpy, function, NoMemory(getattr(numpy, function), call))
    path = scratch / "memory.ulm"
    if comm.size == 1:  # nothing moves
        write_on_all_ranks(path, kpoints, complex, 1.0, comm)
        return
    raises_alike(comm, seiche.Unwritable, rf"rank {last} cannot write wavefunctions to .*memory.ulm \(no memory\)",
                 lambda: write_on_all_ranks(path, kpoints, complex, 1.0, comm))
    monkeypatch.undo()
    comm.Barrier()
    with ulm.Reader(path) as reader:
        assert sorted(reader.keys()) == ["before", "text"]


@pytest.mark.parametrize("call", [1, 2])  # of several exchanges
@pytest.mark.parametrize("function", ["empty", "concatenate"])
def test_no_memory_during_a_read_is_an_error_on_all_ranks(comm, kpoints, monkeypatch, function, call):
    monkeypatch.setattr(gpw_file, "MEMORY", 1)
    mine, waves_here = part(kpoints[0], comm)
    fault = FirstFault(comm)
    if comm.size > 1 and comm.rank == 0:
        monkeypatch.setattr(numpy, function, NoMemory(getattr(numpy, function), call))
    BandMover(WAVES[0], waves_here, comm).divide(lambda first, last: kpoints[0][first:last], mine, fault)
    monkeypatch.undo()
    if comm.size > 1:
        raises_alike(comm, seiche.BadFile, r"rank 0 cannot read it \(no memory\): write it again",
                     lambda: fault.agree(seiche.BadFile, "read it", "write it again"))


def test_files_in_memory_are_not_shared(comm):
    writer = ulm.Writer(io.BytesIO()) if comm.rank == 0 else ulm.DummyWriter()
    assert not BandArray(writer, "waves", SHAPE, complex, comm).shared
    assert comm.rank or not writer.data


def test_files_that_a_rank_does_not_see_are_not_shared(comm, scratch):
    path = scratch / "hidden.ulm"
    writer = writer_of(path, comm)
    if comm.rank == 0:
        path.rename(scratch / "moved.ulm")
        path.write_bytes(b"of another host")
    comm.Barrier()
    assert not BandArray(writer, "waves", SHAPE, complex, comm).shared
    writer.write(after=1)
    writer.close()
    comm.Barrier()
    assert path.read_bytes() == b"of another host"
    with ulm.Reader(scratch / "moved.ulm") as reader:
        assert list(reader.keys()) == ["after"]
