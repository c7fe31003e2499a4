#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times the potential step of GPAW on Seiche, and whole runs without and with Seiche's sums over atoms, in turn.

bench_potential.py [--where 2 4] [--cases NAME ...] [--rounds 5] [--data FILE]

Cases are those of cases.py. Both sides run on Seiche; SEICHE_GPAW_ATOMS=never switches the sums over atoms off. Shares of
parts come from a run of its own, with a barrier before and after each part. Nothing else should run meanwhile."""
import argparse
import functools
import json
import os
import time

import bench
import cases
from bench import figures


class Clocks:
    """Seconds that this rank spends in methods, without the time of methods inside that have clocks."""

    def __init__(self, comm):
        self.seconds, self._comm, self._running, self._since = {}, comm, [], 0.0

    def _switch(self):
        self._comm.Barrier()
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] = self.seconds.get(self._running[-1], 0.0) + now - self._since
        self._since = now

    def add(self, owner, name, part, inside=None):
        """Counts calls of the method or function `name` as `part`, or only calls `inside` another part. They are collective."""
        original = getattr(owner, name)

        @functools.wraps(original)
        def timed(*args, **keywords):
            if inside and inside not in self._running[-1:]:
                return original(*args, **keywords)
            self._switch()
            self._running.append(part)
            try:
                return original(*args, **keywords)
            finally:
                self._switch()
                self._running.pop()

        setattr(owner, name, timed)


def start_clocks(comm):
    """Returns clocks of the parts of GPAW's potential step, and of the two other parts of an iteration."""
    import gpaw.new.pot_calc
    import gpaw.new.xc
    from gpaw.core.pwacf import PWAtomCenteredFunctions
    from gpaw.mixer.base import BaseMixer
    from gpaw.new.density import Density
    from gpaw.new.pw.paw_poisson import SlowPAWPoissonSolver
    from gpaw.new.pw.poisson import PWPoissonSolver
    from gpaw.new.pw.pot_calc import PlaneWavePotentialCalculator
    from gpaw.new.pwfd.eigensolver import PWFDEigensolver

    clocks = Clocks(comm)
    clocks.add(gpaw.new.pot_calc.PotentialCalculator, "calculate", "collected")
    clocks.add(gpaw.new.pot_calc, "calculate_non_local_potential", "paw")
    for name in ("_interpolate_density", "restrict"):
        clocks.add(PlaneWavePotentialCalculator, name, "grids")
    for owner in (gpaw.new.xc.LDAFunctional, gpaw.new.xc.GGAFunctional, gpaw.new.xc.MGGAFunctional):
        clocks.add(owner, "calculate", "xc")
    clocks.add(SlowPAWPoissonSolver, "solve", "collected")
    clocks.add(PWPoissonSolver, "solve", "poisson")
    for name in ("add_to", "integrate"):
        clocks.add(PWAtomCenteredFunctions, name, "compensation", inside="collected")
    clocks.add(BaseMixer, "mix", "mixing")
    clocks.add(Density, "update", "density")
    clocks.add(PWFDEigensolver, "iterate", "eigensolver")
    return clocks


def work(name, clocks):
    """Runs a case on the ranks of a job. Rank 0 prints the seconds of the run, and with `clocks` those of all parts."""
    import seiche.gpaw  # noqa: F401 - replaces GPAW's methods
    from mpi4py import MPI

    parts = start_clocks(MPI.COMM_WORLD).seconds if clocks else {}
    atoms = cases.prepared(name)
    MPI.COMM_WORLD.Barrier()
    start = time.perf_counter()
    atoms.get_potential_energy()
    MPI.COMM_WORLD.Barrier()
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps({"run": time.perf_counter() - start, **parts}))


def seconds(where, name, sums, *options):
    """Returns the seconds of a run. `sums`: whether Seiche computes sums over atoms."""
    os.environ["SEICHE_GPAW_ATOMS"] = "always" if sums else "never"
    return json.loads(bench.output_of(where, __file__, "--work", name, *options))


def shares(where, name, sums):
    """Returns the share of each part in a run."""
    found = seconds(where, name, sums, "--clocks")
    run = found.pop("run")
    return {part: figures.rounded(of_part / run, 3) for part, of_part in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--where", nargs="+", default=["2", "4"], help="numbers of ranks (default: 2 4)")
    parser.add_argument("--cases", nargs="+", choices=list(cases.CASES), default=["c18_sheet", "al12o_slab", "si64_gamma"])
    parser.add_argument("--rounds", type=int, default=5, help="of whole runs (default: %(default)s)")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--clocks", action="store_true", help=argparse.SUPPRESS)
    figures.add_options(parser)
    options = parser.parse_args()
    if options.work:
        work(options.work, options.clocks)
        return
    os.environ.update(GPAW_MPI_BACKEND="mpi4py", OMP_NUM_THREADS="1")
    rows = []
    for where in options.where:
        for name in options.cases:
            row = {"case": name, "where": figures.place(where), "shares": shares(where, name, False)}
            if options.rounds:
                times = [[seconds(where, name, sums)["run"] for sums in (False, True)] for _ in range(options.rounds)]
                row |= {"shares_with": shares(where, name, True), **figures.compared(times)}
            rows.append(row)
            print(json.dumps(row), flush=True)
    figures.write(options, "gpaw-potential", rows, unit="s")


if __name__ == "__main__":
    main()
