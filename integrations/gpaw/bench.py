#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times GPAW with and without Seiche, in turn: V psi and densities in one process, and whole runs.

bench.py [--where 1 2 2x1gbit] [--kinds real complex spinor mgga] [--whole NAME ...] [--rounds 5] [--data FILE]

--where: numbers of ranks on this machine, or HOSTSxRATE: one rank on each host of packaging/hosts.sh, as root. The cell
is that of 64 silicon atoms. The potential changes before each call, as in a self-consistent run. Both results have to
agree. --whole: runs of cases.py. Nothing else should run meanwhile."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import figures  # noqa: E402

ANGSTROM = 10.86  # edge of the cell
AGREES = 1e-11  # relative to the largest value
ROUTINES = {"potential": "V psi", "density": "density"}


class Case:
    """Waves, a potential and what GPAW does with them."""

    def __init__(self, kind, cutoff, bands):
        from ase.units import Bohr, Ha
        from gpaw.core import PWDesc, UGDesc
        from gpaw.fftw import get_efficient_fft_size
        from gpaw.mpi import world
        from gpaw.new.pw.hamiltonian import PWHamiltonian, SpinorPWHamiltonian

        edge = ANGSTROM / Bohr
        self.kind = kind
        dtype, kpt = (float, [0, 0, 0]) if kind == "real" else (complex, [0.25, 0.25, 0.25])
        gcut = (2 * cutoff / Ha) ** 0.5
        points = get_efficient_fft_size(int(2 * 2**0.5 * gcut * edge / (2 * numpy.pi)) + 1, 1)
        self.grid = UGDesc(cell=[edge] * 3, size=[points] * 3, comm=world)
        self.pw = PWDesc(ecut=cutoff / Ha, cell=[edge] * 3, comm=world, dtype=dtype, kpt=kpt)
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
    from mpi4py import MPI

    MPI.COMM_WORLD.Barrier()
    start = time.perf_counter()
    work()
    return MPI.COMM_WORLD.allreduce(time.perf_counter() - start, MPI.MAX)


def in_turn(case, work, rounds):
    """[original, ours] of each round; stops the program where results differ."""
    import seiche.gpaw
    from mpi4py import MPI

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


def work(options):
    """Measures one kind of bands on the ranks of a job. Rank 0 prints the seconds of [original, ours] in each round."""
    from mpi4py import MPI

    case = Case(options.work, options.cutoff, options.bands)
    found = {"potential": in_turn(case, case.potential_on_bands, options.rounds)}
    if options.work != "spinor":
        found["density"] = in_turn(case, case.sum_density, options.rounds)
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(found))


def output_of(where, *command):
    """What a program prints on the ranks of a place."""
    launcher = figures.launcher(where, ["PYTHONPATH", "GPAW_MPI_BACKEND", "OMP_NUM_THREADS"])
    done = subprocess.run(list(map(str, [*launcher, sys.executable, *command])), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command} on {where} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def whole_runs(where, name, rounds):
    """Seconds of [original, ours] in each round of a case of cases.py."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            pair = []
            for method in ("original", "seiche"):
                output = pathlib.Path(folder, "out.json")
                output_of(where, HERE / "cases.py", name, method, output)
                pair.append(json.loads(output.read_text(encoding="utf-8"))["seconds"])
            times.append(pair)
    return times


def row_of(case, routine, where, times):
    import gpaw

    row = {"case": case, "routine": routine, "where": figures.place(where), "peer": "GPAW",
           "peer_version": gpaw.__version__, **figures.compared(times)}
    print(f"{case}, {routine}, {row['where']}: {row['peer_time']} s, on Seiche {row['ours']} s, ratio {row['ratio']}", flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--where", nargs="+", default=["1", "2"])
    parser.add_argument("--kinds", nargs="*", default=["real", "complex", "spinor", "mgga"])
    parser.add_argument("--whole", nargs="*", default=["si64_gamma", "o2_noncollinear", "si2_mgga"])
    parser.add_argument("--cutoff", type=float, default=340.0, help="eV (default: %(default)s)")
    parser.add_argument("--bands", type=int, default=64, help="(default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="(default: %(default)s)")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    figures.add_options(parser)
    options = parser.parse_args()
    if options.work:
        work(options)
        return
    os.environ.update(GPAW_MPI_BACKEND="mpi4py", OMP_NUM_THREADS="1")
    rows = []
    for where in options.where:
        for kind in options.kinds:
            found = json.loads(output_of(where, __file__, "--work", kind, "--cutoff", options.cutoff, "--bands", options.bands,
                                         "--rounds", options.rounds))
            rows += [row_of(f"64 silicon atoms, {kind}", ROUTINES[name], where, times) for name, times in found.items()]
        rows += [row_of(name, "whole run", where, whole_runs(where, name, options.rounds)) for name in options.whole]
    figures.write(options, "gpaw", rows, unit="s")


if __name__ == "__main__":
    main()
