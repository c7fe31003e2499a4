#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the cost of a call through Python: V|psi> of 8 bands of a sphere in 32^3, with the package and with the same
C++ call (call_cost/cxx.cpp). Both use the same arrays and alternate in one process.

cmake --build build/release --target call_cost_cxx
PYTHONPATH=build/release/python mpiexec -n 2 build/python-venv/bin/python3 bench/python_calls.py; keep the machine quiet.
"""
import argparse
import ctypes
import statistics

import numpy
from mpi4py import MPI

import figures
import seiche

GRID, BANDS, REACH = 32, 8, 8


def sphere():
    """Returns the waves of this rank."""
    axis = numpy.arange(-REACH, REACH + 1)
    waves = numpy.stack(numpy.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    waves = waves[(waves**2).sum(axis=1) <= REACH**2].astype(numpy.int32)
    return waves[seiche.balanced_owners(waves, MPI.COMM_WORLD.size) == MPI.COMM_WORLD.rank]


def timed(call):
    MPI.COMM_WORLD.Barrier()
    start = MPI.Wtime()
    call()
    return MPI.COMM_WORLD.allreduce(MPI.Wtime() - start, MPI.MAX)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--native", default="build/release/bench/call_cost/libcall_cost_cxx.so")
    parser.add_argument("--rounds", type=int, default=401)
    figures.add_options(parser)
    options = parser.parse_args()
    native, mine = ctypes.CDLL(options.native), sphere()
    at = lambda array: ctypes.c_void_p(array.ctypes.data)  # noqa: E731
    with seiche.SphereFft((GRID, GRID, GRID), mine) as fft:
        native.seiche_bench_cxx_create(at(mine), ctypes.c_int64(len(mine)))
        psi = numpy.random.default_rng(MPI.COMM_WORLD.rank).normal(size=(BANDS, len(mine))) + 0j
        v = numpy.random.default_rng(0).normal(size=(GRID, GRID, GRID))[fft.grid_box.slices].copy()
        out, same = numpy.empty_like(psi), numpy.empty_like(psi)
        pointers = at(psi), at(same), at(v), ctypes.c_int64(len(mine)), ctypes.c_int64(v.size)
        calls = {"Python": lambda: fft.apply_potential(psi, v, out), "C++": lambda: native.seiche_bench_cxx_apply(*pointers)}
        seconds = {name: [] for name in calls}
        for turn in range(-10, options.rounds):
            for name in sorted(calls, reverse=turn % 2 == 0):
                took = timed(calls[name])
                if turn >= 0:
                    seconds[name].append(took)
        assert (out == same).all() and abs(out).max() > 0
        native.seiche_bench_cxx_destroy()
    if MPI.COMM_WORLD.rank == 0:
        for name, all_of in seconds.items():
            print(f"{name:7} {1e6 * statistics.median(all_of):8.1f} us")
        ratio = statistics.median(p / n for p, n in zip(seconds["Python"], seconds["C++"]))
        ranks = MPI.COMM_WORLD.size
        row = {"case": f"apply_potential from Python, {ranks} rank{'s' if ranks > 1 else ''}", "peer": "the call from C++",
               "ratio": figures.rounded(ratio), "rounds": options.rounds}
        figures.write(options, "overhead", [row], unit="us")
        print(f"Python / C++ {ratio:.3f}, the median of {options.rounds} rounds on {MPI.COMM_WORLD.size} ranks")


if __name__ == "__main__":
    main()
