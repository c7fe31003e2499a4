# SPDX-License-Identifier: BSD-3-Clause
"""Wavefunctions of .gpw files, which all ranks read and write, for seiche.gpaw.

A .gpw file is an ULM file of ASE: arrays in binary, then a table of their positions as JSON.
"""

import contextlib
import math
import os

import numpy
from mpi4py import MPI

from seiche import Unwritable

MEMORY = 2**24  # bytes of whole bands that a rank moves at a time


class FirstFault:
    """The first exception of each rank. Ranks continue after it until all of them agree that one failed."""

    def __init__(self, comm):
        self._comm = comm
        self._sentence = None

    def __bool__(self):
        return self._sentence is not None

    @contextlib.contextmanager
    def kept(self):
        """Keeps an exception of the body, and continues after the body."""
        try:
            yield
        except Exception as raised:  # noqa: BLE001 - the other ranks wait for this one
            said = getattr(raised, "strerror", None) or str(raised) or type(raised).__name__
            self._sentence = self._sentence or said

    def among(self, comm):
        """Returns whether a rank of `comm` has an exception. Collective."""
        found = numpy.array([bool(self)])
        comm.Allreduce(MPI.IN_PLACE, found, MPI.LOR)
        return bool(found[0])

    def agree(self, error, task, remedy):
        """Raises `error` on all ranks if a rank has an exception. Collective."""
        rank = self._comm.allreduce(self._comm.rank if self else self._comm.size, MPI.MIN)
        if rank < self._comm.size:
            raise error(self._comm.bcast(f"rank {rank} cannot {task} ({self._sentence}): {remedy}", rank))


class BandMover:
    """Moves the bands of a k-point between two forms, complex arrays (bands, [2,] waves).

    Divided: a rank has all bands, and `waves_here` consecutive waves of them, the last ranks fewer. Whole: a rank has
    some bands with all waves. One exchange of all ranks moves about MEMORY bytes of whole bands of each. Before each one,
    ranks agree that none has an exception.
    """

    def __init__(self, waves, waves_here, comm):
        """Local. `waves` is the number of all waves."""
        self._comm = comm
        self._limits = numpy.minimum(numpy.arange(comm.size + 1) * waves_here, waves)  # of the waves of ranks

    def whole(self, values, fault):
        """Yields (first, bands): consecutive whole bands of this rank, of divided `values`.

        `fault` keeps exceptions. Stops on all ranks if a rank has one. Collective.
        """
        for divided, limits in self._batches(values):
            first, last = limits[self._comm.rank : self._comm.rank + 2]
            bands, blocks, shapes = divided, None, self._shapes(divided, last - first)
            if self._comm.size > 1:
                counts = [math.prod(shape) for shape in shapes]
                with fault.kept():
                    blocks = numpy.empty(sum(counts), complex)
                if fault.among(self._comm):
                    return
                self._comm.Alltoallv([divided, self._counts(divided, limits)], [blocks, counts])
                bands = None
                with fault.kept():
                    bands = _joined(blocks, shapes)
            if bands is not None:
                yield first, bands

    def divide(self, read, values, fault):
        """Fills divided `values`. read(first, last) returns whole bands.

        `fault` keeps exceptions. Stops on all ranks if a rank has one. Collective.
        """
        for divided, limits in self._batches(values):
            first, last = limits[self._comm.rank : self._comm.rank + 2]
            blocks, counts = None, [math.prod(shape) for shape in self._shapes(divided, last - first)]
            with fault.kept():
                if self._comm.size == 1:
                    divided[:] = read(first, last)
                else:
                    blocks = self._blocks(read(first, last), (last - first, *values.shape[1:-1], self._limits[-1]))
            if fault.among(self._comm):
                return
            if self._comm.size > 1:
                self._comm.Alltoallv([blocks, counts], [divided, self._counts(divided, limits)])

    def _batches(self, values):
        """Yields divided bands, and the limits of the whole bands of ranks."""
        ranks = self._comm.size
        step = ranks * max(1, MEMORY // max(1, 16 * math.prod(values.shape[1:-1]) * int(self._limits[-1])))
        for low in range(0, len(values), step):
            divided = values[low : low + step]
            yield divided, [low + len(divided) * rank // ranks for rank in range(ranks + 1)]

    def _blocks(self, bands, shape):
        """Returns whole bands of a shape as consecutive blocks with the waves of each rank."""
        whole = numpy.empty(shape, complex)
        whole[:] = bands
        return numpy.concatenate([part.ravel() for part in numpy.split(whole, self._limits[1:-1], axis=-1)])

    def _shapes(self, divided, number):
        """Returns the shapes of `number` bands with the waves of each rank."""
        return [(number, *divided.shape[1:-1], int(waves)) for waves in numpy.diff(self._limits)]

    def _counts(self, divided, limits):
        """Returns the number of this rank's coefficients of the whole bands of each rank."""
        return [(high - low) * math.prod(divided.shape[1:]) for low, high in zip(limits, limits[1:])]


def _joined(blocks, shapes):
    """Returns whole bands of consecutive blocks with the waves of each rank."""
    parts = numpy.split(blocks, numpy.cumsum([math.prod(shape) for shape in shapes])[:-1])
    return numpy.concatenate([part.reshape(shape) for part, shape in zip(parts, shapes)], axis=-1)


class BandArray:
    """An array (..., bands, [2,] waves) that is added to an ULM file, and that all ranks write."""

    def __init__(self, writer, name, shape, dtype, comm):
        """Collective. Adds the array, and gives the file its new length. `writer` is used on rank 0 only."""
        self._writer, self._name, self._comm = writer, name, comm
        self._shape, self._dtype = tuple(map(int, shape)), numpy.dtype(dtype)
        self._bytes = math.prod(self._shape) * self._dtype.itemsize
        self.fault = FirstFault(comm)  # finish() reports it
        self._path = self._begin = self._file = identity = None
        with self.fault.kept():
            identity = self._add() if comm.rank == 0 else None
        self._agree()
        self._path, self._begin, identity = comm.bcast((self._path, self._begin, identity))
        if identity:
            with contextlib.suppress(OSError):
                self._file = os.open(self._path, os.O_WRONLY | os.O_CLOEXEC)
        opened = self._file is not None and _identity(self._file) == identity
        self.shared = comm.allreduce(opened, MPI.LAND)  # whether all ranks can write the file
        if not self.shared:
            self._close()
            self._remove()

    def fill(self, index, first, bands, stored=numpy.asarray):
        """Writes whole bands of the part `index`. stored(bands) returns the numbers of the file. Local.

        Missing waves are zeros. finish() reports faults.
        """
        shape = self._shape[len(index) :]
        size = math.prod(shape[1:]) * self._dtype.itemsize
        before = int(numpy.ravel_multi_index(index, self._shape[: len(index)])) * shape[0] + first
        with self.fault.kept():
            numbers = stored(bands)
            missing = shape[-1] - numbers.shape[-1]
            if missing:
                numbers = numpy.pad(numbers, [*((0, 0) for _ in shape[1:]), (0, missing)])
            if not self.fault:
                _write(self._file, numbers, self._begin + before * size)

    def finish(self):
        """Raises on all ranks if a rank could not write. The array is not in the file then. Collective."""
        with self.fault.kept():
            self._close()
        self._agree()
        if self._comm.rank == 0:
            self._writer.nmissing = 0
            self._writer.fd.seek(self._begin + self._bytes)

    def _add(self):
        file = self._writer.fd
        if not self._writer.hasfileno or not isinstance(file.name, (str, os.PathLike)):
            return None
        self._path = os.path.abspath(file.name)
        self._writer.add_array(self._name, self._shape, self._dtype)
        self._begin = self._writer.data[self._name + "."]["ndarray"][2]
        file.flush()
        os.ftruncate(file.fileno(), self._begin + self._bytes)
        return _identity(file.fileno())

    def _agree(self):
        try:
            task = f"write wavefunctions to {self._path}"
            self.fault.agree(Unwritable, task, "free some space or choose another path")
        except Unwritable:
            self._remove()
            raise

    def _close(self):
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _remove(self):
        """Removes the array from the file on rank 0."""
        if self._comm.rank == 0 and self._begin is not None:
            del self._writer.data[self._name + "."]
            self._writer.nmissing = 0
            with contextlib.suppress(OSError):  # the caller knows of the first fault
                self._writer.fd.seek(self._begin)
                self._writer.fd.truncate()


def _identity(file):
    found = os.fstat(file)
    return found.st_ino, found.st_size


def _write(file, numbers, position):
    left = memoryview(numpy.ascontiguousarray(numbers).ravel().view(numpy.uint8))
    while left:
        written = os.pwrite(file, left, position)
        left, position = left[written:], position + written
