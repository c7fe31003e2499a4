# SPDX-License-Identifier: BSD-3-Clause
"""Reads a wavefunction file into a process grid and computes its density:  density.py FILE [OUTPUT.cube]"""

import sys

from answer import answer
from mpi4py import MPI

import seiche

comm, path, outputs = MPI.COMM_WORLD, sys.argv[1], sys.argv[2:]
groups = 2 if comm.size % 2 == 0 else 1  # groups of plane waves; the other ranks share the bands
# [plan]
with seiche.WaveFile(path, comm) as file:
    orbitals = seiche.read_orbitals(file, seiche.OrbitalLayout(bands=comm.size // groups, waves=groups))
    density = seiche.density_of(orbitals)
    deviation = seiche.compare(density, seiche.read_density(file)).density  # from the code's own
for output in outputs:
    seiche.write_density(density, output)
# [/plan]
error = max(abs(seiche.integrals(density)[0] - orbitals.header.electrons), deviation)
answer("density", error, 1e-6, density.components[0])
