# SPDX-License-Identifier: BSD-3-Clause
"""`python -m seiche.demo`: computes the density of silicon and compares it with the density of Quantum ESPRESSO."""

import sys
from pathlib import Path

import seiche

DATA = Path(__file__).parent / "data" / "si_small.save"


def world():
    """Returns the communicator of all processes, the rank and the size. Without mpi4py: None and one process."""
    try:
        from mpi4py import MPI
    except ImportError:
        return None, 0, 1
    return MPI.COMM_WORLD, MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size


def main():
    """Runs the demo and returns the exit status. Collective."""
    comm, rank, size = world()
    with seiche.WaveFile(DATA, comm) as file:
        density = seiche.density_of(file)
        (electrons,) = seiche.integrals(density)
        deviation = seiche.compare(density, seiche.read_density(file)).largest
        header = file.header
    if rank == 0:
        nx, ny, nz = density.grid
        print(f"input         {header.format}: {len(header.kpoints)} k-points, {header.bands} bands")
        print(f"MPI           {seiche.mpi_library().split(',')[0]}")
        print(f"ranks         {size}")
        print(f"grid          {nx} x {ny} x {nz}")
        print(f"electrons     {electrons:.10f}")
        print(f"deviation     {deviation:.1e} of the largest value, from Quantum ESPRESSO's own density")
    return 0 if deviation < 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main())
