# SPDX-License-Identifier: BSD-3-Clause
"""A product of block-sparse matrices, and a density matrix by purification: a chain of dimers."""

import numpy
from mpi4py import MPI

import seiche

comm, dimers, block = MPI.COMM_WORLD, 24, 2
# Two sites of each dimer, bound by -1; neighbouring dimers by -0.2; sites overlap a little.
bonds = numpy.array([-1.0, -0.2] * dimers)[: 2 * dimers - 1]
k = numpy.diag(bonds, 1) + numpy.diag(bonds, -1)
s = numpy.eye(2 * dimers) - 0.1 * k

# [plan]
layout = seiche.BlockLayout([block] * dimers, comm=comm)
hamiltonian, overlap = seiche.from_dense(layout, k), seiche.from_dense(layout, s)
with seiche.Multiplier(comm, eps=1e-9) as multiply:
    square = multiply(hamiltonian, overlap)  # K S
    bound = multiply.report.error
found = seiche.purify(hamiltonian, overlap, electrons=2 * dimers)
# [/plan]

assert numpy.linalg.norm(seiche.to_dense(square) - k @ s) <= bound
root = numpy.linalg.inv(numpy.linalg.cholesky(s))
energies = numpy.linalg.eigvalsh(root @ k @ root.T)
exact = 2 * energies[:dimers].sum()
assert abs(found.energy - exact) < 1e-7 and abs(found.trace - 2 * dimers) < 1e-7, (found.energy, exact)
if comm.rank == 0:
    print(f"K S: off by {bound:.0e} at most; energy {found.energy:.8f}, by LAPACK {exact:.8f}")
