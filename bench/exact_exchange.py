#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times exact exchange of 32 silicon atoms in turn: V_x of all bands by apply(), the same by apply_to_occupied(), and a
loop over pairs of orbitals that calls dense FFTs. The loop computes only some of the pairs. Its time is scaled to all.

exact_exchange.py [--where 1 2 2x4gbit] [--bands 32] [--rounds 5] [--data FILE]; rates as root. Keep the machine quiet.

Between hosts, the script also gives a lower bound. It is the time of computation, or the time that the link needs for
the bytes that were sent, whichever is longer."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

import numpy

import figures

EDGES, CUTOFF, SHAPE = numpy.array([20.4, 20.4, 10.2]), 12.5, (72, 72, 36)  # bohr, hartree; the grid of pw.x
PAIRS = 40  # of the loop


def sent_bytes():
    """Returns the bytes that this host has sent."""
    lines = [line.split(":") for line in figures.text_of("/proc/self/net/dev").splitlines()[2:]]
    return sum(int(numbers.split()[8]) for name, numbers in lines if name.strip() != "lo")


def work(options):
    """Measures one round on the ranks of a job. Rank 0 prints the results."""
    from mpi4py import MPI

    import seiche

    comm = MPI.COMM_WORLD
    reciprocal = numpy.diag(2 * numpy.pi / EDGES)

    def mine(waves):
        return waves[seiche.balanced_owners(waves, comm.size) == comm.rank]

    waves = mine(seiche.sphere_of_waves(reciprocal, CUTOFF))
    density_waves = mine(seiche.sphere_of_waves(reciprocal, 4 * CUTOFF))
    random = numpy.random.default_rng(comm.rank).normal(size=(2, options.bands, len(waves)))
    psi = (random[0] + 1j * random[1]) / numpy.sqrt(len(waves) * comm.size)
    weights = numpy.ones(options.bands)
    squares = ((density_waves @ reciprocal) ** 2).sum(1)
    kernel = 4 * numpy.pi / numpy.prod(EDGES) / numpy.where(squares > 0, squares, numpy.inf)

    def timed(call):
        comm.Barrier()
        start = MPI.Wtime()
        call()
        return comm.allreduce(MPI.Wtime() - start, MPI.MAX)

    def loop(fft, on_grid, factors):
        spectrum, potential = numpy.empty_like(factors, complex), numpy.empty_like(on_grid[0])
        sums = numpy.zeros_like(on_grid[:2])
        for pair in range(PAIRS):
            j, i = pair % len(on_grid), pair % 2
            fft.forward(on_grid[j].conj() * on_grid[i], spectrum)
            spectrum *= factors
            fft.backward(spectrum, potential)
            sums[i] -= weights[j] * on_grid[j] * potential

    with (seiche.ExactExchange(SHAPE, waves, density_waves, comm=comm) as exchange,
          seiche.DenseFft(SHAPE, comm=comm) as fft):
        occupied = exchange.occupied(psi, weights)
        out = exchange.apply(occupied, kernel, psi[:8].copy())
        own = exchange.apply_to_occupied(occupied, kernel)
        assert abs(own[:8] - out).max() < 1e-12 * comm.allreduce(abs(own).max(), MPI.MAX)
        z, y, x = fft.grid_box.slices
        some = min(options.bands, 16)  # orbitals of the loop
        on_grid = numpy.random.default_rng(1).normal(size=(some, *SHAPE[::-1]))[:, z, y, x] + 0j
        factors = numpy.ones([r.stop - r.start for r in fft.spectrum_box.slices])
        loop(fft, on_grid, factors)
        before, sent = exchange.progress.worked, sent_bytes()
        apply = timed(lambda: exchange.apply(occupied, kernel, psi, out=numpy.empty_like(psi)))
        worked, sent = exchange.progress.worked - before, sent_bytes() - sent
        found = {"apply": apply, "apply_to_occupied": timed(lambda: exchange.apply_to_occupied(occupied, kernel, own)),
                 "loop": timed(lambda: loop(fft, on_grid, factors)) * options.bands**2 / PAIRS,
                 "worked": comm.allreduce(worked, MPI.MAX), "sent": comm.allreduce(sent, MPI.MAX)}
    if comm.rank == 0:
        print(json.dumps(found))


def round_of(options, where):
    """Returns the seconds of one round at a place."""
    command = [*figures.launcher(where, ["PYTHONPATH"]), sys.executable, __file__, "--work", "--bands", options.bands]
    environment = {**os.environ, "PYTHONPATH": str(options.build / "python"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def rows_of(options, where):
    rounds = [round_of(options, where) for _ in range(options.rounds)]
    for call in ("apply", "apply_to_occupied"):
        row = {"case": f"{options.bands} bands", "where": figures.place(where), "routine": call,
               "peer": "loop of dense FFTs", **figures.compared([(found["loop"], found[call]) for found in rounds], 4)}
        if call == "apply" and "x" in where:
            rate = float(re.search(r"x([\d.]+)gbit", where)[1]) * 1e9 / 8
            bounds = [max(found["worked"], found["sent"] / rate) for found in rounds]
            row["bound"] = figures.rounded(statistics.median(bounds))
            row["exchange"] = figures.rounded(statistics.median(found["sent"] / rate for found in rounds))
            row["computing"] = figures.rounded(statistics.median(found["worked"] for found in rounds))
        print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=figures.PROJECT / "build/release", type=figures.pathlib.Path)
    parser.add_argument("--where", nargs="+", default=["1", "2", "2x10gbit", "2x4gbit", "2x1gbit"])
    parser.add_argument("--bands", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    figures.add_options(parser)
    options = parser.parse_args()
    if options.work:
        work(options)
        return
    rows = [row for where in options.where for row in rows_of(options, where)]
    figures.write(options, "exact-exchange", rows, unit="s")


if __name__ == "__main__":
    main()
