#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times GPAW's methods and Seiche's in turn, in one process: medians and ranges of the ratios.

mpiexec -n RANKS python3 bench.py [--kind real|complex|spinor|mgga] [--cutoff eV] [--bands N] [--rounds N] [--data FILE]

The cell is that of 64 silicon atoms. The potential changes before each call, as in a self-consistent run. Both results
have to agree. Nothing else should run meanwhile."""
import argparse
import json
import statistics
import time

import numpy
from ase.units import Bohr, Ha
from gpaw.core import PWDesc, UGDesc
from gpaw.fftw import get_efficient_fft_size
from gpaw.mpi import world
from gpaw.new.pw.hamiltonian import PWHamiltonian, SpinorPWHamiltonian
from mpi4py import MPI

import seiche.gpaw

EDGE = 10.86 / Bohr
AGREES = 1e-11  # relative to the largest value


class Case:
    """Waves, a potential and what GPAW does with them."""

    def __init__(self, kind, cutoff, bands):
        self.kind = kind
        dtype, kpt = (float, [0, 0, 0]) if kind == "real" else (complex, [0.25, 0.25, 0.25])
        gcut = (2 * cutoff / Ha) ** 0.5
        points = get_efficient_fft_size(int(2 * 2**0.5 * gcut * EDGE / (2 * numpy.pi)) + 1, 1)
        self.grid = UGDesc(cell=[EDGE] * 3, size=[points] * 3, comm=world)
        self.pw = PWDesc(ecut=cutoff / Ha, cell=[EDGE] * 3, comm=world, dtype=dtype, kpt=kpt)
        dims = (bands, 2) if kind == "spinor" else (bands,)
        self.psi, self.result = self.pw.empty(dims), self.pw.zeros(dims)
        self.psi.randomize()
        fields = (4,) if kind == "spinor" else ()
        self.potential, self.density = self.grid.empty(fields), self.grid.zeros(())
        self.potential.data[:] = numpy.random.default_rng(world.rank).normal(size=self.potential.data.shape)
        self.hamiltonian = SpinorPWHamiltonian(None) if kind == "spinor" else PWHamiltonian(self.grid, dtype)
        self.weights = numpy.full(bands, 2.0)

    def potential_on_bands(self):
        if self.kind == "spinor":
            self.hamiltonian.apply(self.potential, None, None, None, self.psi, self.result, 0)
        elif self.kind == "mgga":
            self.result.data[:] = 0
            self.hamiltonian.apply_mgga(self.potential, self.psi, self.result)
        else:
            self.hamiltonian.apply_local_potential(self.potential, self.psi, self.result)
        return self.result.data

    def sum_density(self):
        self.density.data[:] = 0
        if self.kind == "mgga":
            self.psi.add_ked(self.weights, self.density)
        else:
            self.psi.abs_square(self.weights, self.density)
        return self.density.data


def seconds_of(work):
    """The longest time of any rank."""
    world.barrier()
    start = time.perf_counter()
    work()
    return MPI.COMM_WORLD.allreduce(time.perf_counter() - start, MPI.MAX)


def in_turn(case, work, rounds):
    """[original, ours] of each round; stops the program where results differ."""
    results = []
    for active in (False, True):
        seiche.gpaw.active = active
        results.append(work().copy())
    scale = MPI.COMM_WORLD.allreduce(abs(results[0]).max(initial=0), MPI.MAX)
    deviation = MPI.COMM_WORLD.allreduce(abs(results[0] - results[1]).max(initial=0), MPI.MAX) / scale
    if not deviation <= AGREES:
        raise SystemExit(f"{work.__name__}: results differ by {deviation:.1e} of the largest")
    times = []
    for _ in range(rounds):
        case.potential.data += 1e-12
        pair = []
        for seiche.gpaw.active in (False, True):
            pair.append(seconds_of(work))
        times.append(pair)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--kind", choices=("real", "complex", "spinor", "mgga"), default="real")
    parser.add_argument("--cutoff", type=float, default=340.0, help="eV (default: %(default)s)")
    parser.add_argument("--bands", type=int, default=64, help="(default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="(default: %(default)s)")
    parser.add_argument("--data", help="write the results to this file as JSON")
    options = parser.parse_args()
    case = Case(options.kind, options.cutoff, options.bands)
    works = {"potential": case.potential_on_bands}
    if options.kind != "spinor":
        works["density"] = case.sum_density
    rows = []
    for name, work in works.items():
        times = in_turn(case, work, options.rounds)
        ratios = [ours / original for original, ours in times]
        rows.append({"case": f"{options.kind} {name}", "ranks": world.size, "grid": int(case.grid.size_c[0]),
                     "bands": options.bands, "original_ms": 1e3 * statistics.median(t[0] for t in times),
                     "ours_ms": 1e3 * statistics.median(t[1] for t in times), "ratio": statistics.median(ratios),
                     "range": [min(ratios), max(ratios)]})
    if world.rank == 0:
        for row in rows:
            low, high = row["range"]
            print(f"{row['case']}: {row['original_ms']:.2f} ms, on Seiche {row['ours_ms']:.2f} ms, ratio {row['ratio']:.2f} "
                  f"({low:.2f}-{high:.2f})", flush=True)
        if options.data:
            with open(options.data, "w", encoding="utf-8") as file:
                json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
