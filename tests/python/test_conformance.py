# SPDX-License-Identifier: BSD-3-Clause
"""Runs each case in C++ and in Python, and compares all bits."""

import ctypes
import importlib
import os
import pathlib
import sys

import numpy
import pytest

import seiche

FOLDER = pathlib.Path(os.environ["SEICHE_CASES"])
sys.path.insert(0, str(FOLDER))
LIBRARY = ctypes.CDLL(os.environ["SEICHE_CASE_LIBRARY"])
LIBRARY.case_at.restype = ctypes.c_void_p
LIBRARY.case_extent.restype = LIBRARY.case_count.restype = ctypes.c_int64
SIZES = {"box": 6, "box_array": 11, "dense_arrays": 22, "char": 1}  # numbers of a structure


def cases():
    for path in sorted(FOLDER.glob("*_calls.py")):
        module = importlib.import_module(path.stem)
        for name, call in module.CASES.items():
            if hasattr(LIBRARY, f"cxx_{name}"):
                yield pytest.param(name, call, id=name)


class Arrays(dict):
    """The arrays of a case by their names."""

    def add(self, name, dtype, axes, pad):
        key = name.encode()
        shape = [LIBRARY.case_extent(key, axis) for axis in reversed(axes)] + {"miller": [3]}.get(dtype, [])
        dtype, shape = {"miller": ("int32", shape)}.get(dtype, (dtype, shape))
        if dtype in SIZES:
            dtype, shape = "int8" if dtype == "char" else "int64", [*shape, SIZES[dtype]]
        count = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
        memory = (ctypes.c_char * count).from_address(LIBRARY.case_at(key))
        values = numpy.frombuffer(memory, "int8", count).view(dtype).reshape(shape)
        self[name] = values[..., :values.shape[-1] - pad] if pad else values

    @staticmethod
    def reset():
        LIBRARY.case_reset()

    @staticmethod
    def same(call):
        LIBRARY.case_same(call.encode())

    @staticmethod
    def close(made):
        if hasattr(made, "close"):
            made.close()

    def boxes(self, name):
        return [seiche.Box(*zip(map(int, one[:3]), map(int, one[3:6]))) for one in self[name]]

    def text(self, name):
        return self[name].tobytes().rstrip(b"\0").decode()

    def by_kpoint(self, name, header):
        return numpy.split(self[name], numpy.cumsum(header.plane_waves)[:-1])

    def pairs(self, *names):
        return numpy.ascontiguousarray(numpy.stack([self[name] for name in names], 1))

    def put_plane(self, plane):
        for name, value in (("middle", plane.centre), ("to_right", plane.right), ("upwards", plane.up), ("side", plane.side)):
            self[name][...] = value

    def range(self, name):
        return range(*map(int, self[name]))

    def box(self, name):
        return self.boxes(name)[0]

    def put_boxes(self, name, boxes):
        axes = [(box.x, box.y, box.z) for box in boxes]
        self[name][...] = [[*(axis.start for axis in one), *(axis.stop for axis in one)] for one in axes]

    def doubled(self, band, box, values):
        seen = self["seen"]
        seen[0] += values.size
        seen[1] = max(seen[1], values.real.max(initial=seen[1]))
        values += values

    def listed(self, pairs, densities):
        seen = self["seen"]
        for pair, density in zip(pairs, densities):
            values = [*pair, *numpy.stack([density.real, density.imag], 1).ravel()]
            number = int(seen[0])
            seen[number + 1:number + 1 + len(values)] = values
            seen[0] += len(values)


@pytest.mark.parametrize("name, call", list(cases()))
def test_case(comm, name, call):
    getattr(LIBRARY, f"cxx_{name}")()
    LIBRARY.case_begin(b"Python", name.encode())
    call(Arrays(), comm)


def test_verdict():
    assert LIBRARY.case_verdict() == 0
