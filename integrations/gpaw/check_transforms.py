#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares GPAW's transforms of distributed grids on Seiche with GPAW's own, for several grids and decompositions.

check_transforms.py [--ranks 1,2,3,4,8]

The results of PWArray.ifft, UGArray.fft, UGArray.interpolate and UGArray.fft_restrict have to agree to 1e-12 of the
largest value. On Seiche no rank may gather a grid."""
import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import warnings

import numpy

TOLERANCE = 1e-12
# coarse and fine grids; calculations of GPAW have twice as many points on the fine one
SIZES = [((8, 6, 10), (16, 12, 20)), ((7, 9, 5), (14, 18, 10)), ((11, 8, 13), (12, 9, 17)), ((8, 12, 6), (9, 13, 7))]
KPOINT = [0.1, 0.2, -0.3]


def decompositions(size, ranks):
    """Returns the limits of parts along each axis, for each way to divide a grid, on 8 ranks along all axes only."""
    return [[numpy.linspace(0, n, p + 1).astype(int) for n, p in zip(size, parts)]
            for parts in itertools.product(range(1 + (ranks == 8), ranks + 1), repeat=3)
            if numpy.prod(parts) == ranks and (numpy.array(parts) <= size).all()]


def arrays(coarse, fine, dtype, dims, comm):
    """Yields a coarse and a fine array with random values for each decomposition, divided differently."""
    from gpaw.core import UGDesc

    on_coarse, on_fine = (decompositions(size, comm.size) for size in (coarse, fine))
    for division, other in zip(on_coarse, on_fine[1:] + on_fine[:1]):
        for size, decomposition in ((coarse, division), (fine, other)):
            grid = UGDesc(cell=[0.4 * n for n in coarse], size=size, kpt=KPOINT if dtype == complex else None,
                          comm=comm, decomp=decomposition, dtype=dtype)
            array = grid.empty(dims)
            array.randomize(comm.rank)
            yield array


def transforms(coarse, fine):
    """Yields the name of each transform, and a function that returns its result."""
    from gpaw.core import PWDesc

    grid = coarse.desc
    pw = PWDesc(ecut=grid.ekin_max() * 0.999, cell=grid.cell_cv, kpt=grid.kpt_c, comm=grid.comm, dtype=grid.dtype)
    waves = pw.empty(coarse.dims)
    waves.randomize(grid.comm.rank)
    yield "ifft", lambda: waves.ifft(grid=grid)
    yield "ifft, periodic", lambda: waves.ifft(grid=fine.desc, periodic=True)
    yield "fft", lambda: coarse.fft(pw=pw)
    yield "fft of the fine grid", lambda: fine.fft(pw=pw)
    yield "interpolate", lambda: coarse.interpolate(grid=fine.desc)
    yield "fft_restrict", lambda: fine.fft_restrict(grid=grid)


def deviation(run, comm, gathers):
    """Returns the largest difference between both results, relative to the largest value."""
    import seiche.gpaw

    results = []
    for seiche.gpaw.active in (False, True):
        gathers.clear()
        results.append(run().data)
    largest = comm.allreduce(abs(results[0]).max(initial=0), max)
    return comm.allreduce(abs(results[0] - results[1]).max(initial=0), max) / largest


def work():
    """Compares all transforms on the ranks of a job. Exits with 1 if one differs."""
    import seiche.gpaw
    from gpaw.core.uniform_grid import UGArray
    from gpaw.mpi import world
    from mpi4py import MPI

    gathers, gather = [], UGArray.gather
    UGArray.gather = lambda self, *args, **keywords: gathers.append(1) or gather(self, *args, **keywords)
    warnings.simplefilter("ignore")
    bad = number = 0
    for sizes, dtype, dims in itertools.product(SIZES, (float, complex), ((), (3,))):
        pairs = list(arrays(*sizes, dtype, dims, world))
        for coarse, fine in zip(pairs[::2], pairs[1::2]):
            for name, run in transforms(coarse, fine):
                found = deviation(run, MPI.COMM_WORLD, gathers)
                number += 1
                if found <= TOLERANCE and not (gathers and world.size > 1):
                    continue
                bad += 1
                if world.rank == 0:
                    print(f"{name} of {dtype.__name__} {dims} on {sizes}, divided into {coarse.desc.parsize_c} and "
                          f"{fine.desc.parsize_c}: differs by {found:.1e}, {len(gathers)} calls of gather", flush=True)
    if world.rank == 0:
        print(f"{bad} of {number} transforms on {world.size} ranks differ; unsupported: {sorted(seiche.gpaw.methods.warned)}",
              flush=True)
    sys.exit(bad > 0 or bool(seiche.gpaw.methods.warned))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--ranks", default="1,2,3,4,8", help="numbers of ranks (default: %(default)s)")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work()
        return
    environment = {**os.environ, "GPAW_MPI_BACKEND": "mpi4py"}
    codes = [subprocess.run(["mpiexec", "-n", ranks, sys.executable, pathlib.Path(__file__), "--work"], env=environment,
                            check=False).returncode for ranks in options.ranks.split(",")]
    sys.exit(any(codes))


if __name__ == "__main__":
    main()
