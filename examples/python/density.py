# SPDX-License-Identifier: BSD-3-Clause
"""Any wave file onto any grid of processes, and its density: density.py FILE [groups of k-points, of bands, of waves]."""

import sys

from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
path = sys.argv[1]
groups = [int(number) for number in sys.argv[2:5]] or [1, 1, comm.size]
# [plan]
with seiche.WaveFile(path, comm) as file:
    orbitals = seiche.read_orbitals(file, seiche.OrbitalLayout(*groups))
    here = sum(part.coefficients.size for part in orbitals.parts)  # NumPy arrays, in place
    density = seiche.density_of(orbitals)
    deviation = seiche.compare(density, seiche.read_density(file)).largest  # from the code's own
# [/plan]
(electrons,) = seiche.integrals(density)[:1]
header = orbitals.header
expected = header.spins * header.spinor * header.bands * int(header.plane_waves.sum())
assert comm.allreduce(here) == expected, "each coefficient lies on one rank"
assert abs(electrons - header.electrons) < 1e-9 and deviation < 1e-12, (electrons, deviation)
if comm.rank == 0:
    print(f"{header.crystal}: {electrons:.6f} electrons, {deviation:.0e} from the code's own density")
