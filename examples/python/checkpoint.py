# SPDX-License-Identifier: BSD-3-Clause
"""Writes wavefunctions to a file while it computes:  checkpoint.py FILE OUTPUT"""

import sys

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm, path, output = MPI.COMM_WORLD, sys.argv[1], sys.argv[2]
layout = seiche.OrbitalLayout(waves=comm.size)
with seiche.WaveFile(path, comm) as file:
    orbitals = seiche.read_orbitals(file, layout)
# [checkpoint]
writing = seiche.start_write_orbitals(orbitals, output)
density = seiche.density_of(orbitals)  # work that does not change the orbitals
writing.progress()  # between steps of the work: sends further bands to the ranks that write
writing.finish()  # gives the file its name, or raises an error on all ranks
# [/checkpoint]
again = seiche.redistribute(orbitals, layout)
with seiche.WaveFile(output, comm) as file:
    again = seiche.start_read_into(again, file).finish()
error = max((numpy.abs(a.coefficients - b.coefficients).max(initial=0) for a, b in zip(orbitals.parts, again.parts, strict=True)),
            default=0.0)
answer("checkpoint", error, 0, density.components[0])
