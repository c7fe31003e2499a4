#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What does a call through Python cost? Round trips of 8 bands of a sphere on a 32^3 grid, by `seiche bench bands` and by
the package, in turn: medians, and the median of pairwise ratios.

Run it by the interpreter that has the package, e.g. PYTHONPATH=build/release/python build/python-venv/bin/python3
bench/python_calls.py --launch "mpiexec -n 1"; keep the machine quiet.
"""
import argparse
import json
import shlex
import statistics
import subprocess
import sys

import launch


def sphere(reach):
    """The waves within a radius, as `seiche bench bands` has them."""
    import numpy

    axis = numpy.arange(-reach, reach + 1)
    waves = numpy.stack(numpy.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    return waves[(waves**2).sum(axis=1) <= reach**2].astype(numpy.int32)


def work(grid, bands, repeats):
    """On every rank: median seconds per band, printed by rank 0."""
    import numpy
    from mpi4py import MPI

    import seiche

    comm, waves = MPI.COMM_WORLD, sphere(grid // 4)
    mine = waves[seiche.balanced_owners(waves, comm.size) == comm.rank]
    psi = numpy.random.default_rng(comm.rank).normal(size=(bands, len(mine))) + 0j
    with seiche.SphereFft((grid, grid, grid), mine, comm=comm) as fft:
        z = numpy.array(fft.grid_box.z)
        v = numpy.broadcast_to(2 * numpy.cos(2 * numpy.pi * z / grid)[:, None, None], fft.grid_box.shape).copy()
        out = fft.apply_potential(psi, v)
        seconds = []
        for _ in range(repeats):
            comm.Barrier()
            start = MPI.Wtime()
            fft.apply_potential(psi, v, out)
            seconds.append(comm.allreduce(MPI.Wtime() - start, MPI.MAX) / bands)
    neighbours = {tuple(wave): number for number, wave in enumerate(mine)}
    for number, (x, y, z) in enumerate(mine):  # V takes G to its neighbours along z
        at = [neighbours.get((x, y, z + side)) for side in (-1, 1)]
        if comm.size == 1:
            expected = sum(psi[:, n] for n in at if n is not None)
            assert numpy.allclose(out[:, number], expected, atol=1e-12)
    if comm.rank == 0:
        print(json.dumps({"seconds": statistics.median(seconds)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    launch.add_options(parser)
    parser.add_argument("--grid", type=int, default=32)
    parser.add_argument("--bands", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=200, help="calls in a row")
    parser.add_argument("--rounds", type=int, default=7, help="turns of both")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options.grid, options.bands, options.repeat)
    sizes = ["--grid", str(options.grid), "--bands", str(options.bands), "--repeat", str(options.repeat)]
    worker = [*shlex.split(options.launch), sys.executable, __file__, "--worker", *sizes]
    native, python = [], []
    for _ in range(options.rounds):
        native.append(launch.run(options, ["bench", "bands", *sizes])["seconds"]["median"])
        done = subprocess.run(worker, capture_output=True, text=True, check=True)
        python.append(json.loads(done.stdout.splitlines()[-1])["seconds"])
    ratio = statistics.median(p / n for p, n in zip(python, native))
    print(f"seconds per band: C++ {statistics.median(native):.3e}, Python {statistics.median(python):.3e}")
    print(f"Python / C++: {ratio:.3f}, the median of {options.rounds} pairs")


if __name__ == "__main__":
    sys.exit(main())
