# SPDX-License-Identifier: BSD-3-Clause
"""H|psi> of many bands, and their density. The kinetic energy is applied to the plane waves, the potential on the grid.
Exchanges of some bands overlap with computation of others. The potential 2 cos x couples each coefficient to its two
neighbours."""

import math

import numpy
from answer import answer
from mpi4py import MPI

import seiche

comm, bands, radius = MPI.COMM_WORLD, 8, 5
shape = nx, ny, nz = 16, 15, 18


def coefficients(waves):
    """Returns the coefficients of all bands (bands, waves); 0 outside the sphere."""
    length = (waves**2).sum(axis=1)
    return (length <= radius**2) / (1.0 + length + numpy.arange(bands)[:, None])


# [waves]
axis = numpy.arange(-radius, radius + 1)
cube = numpy.array(numpy.meshgrid(axis, axis, axis, indexing="ij"), "int32").reshape(3, -1).T
waves = cube[(cube**2).sum(axis=1) <= radius**2]
mine = waves[seiche.balanced_owners(waves, comm.size) == comm.rank]
# [/waves]
psi = coefficients(mine).astype(complex)
kinetic = 0.5 * (mine**2).sum(axis=1)

# [plan]
with seiche.SphereFft(shape, mine, comm=comm, window=3, reproducible=True) as fft:  # three bands in flight
    potential = numpy.empty(fft.grid_box.shape)  # [z, y, x]; rows along x are whole
    potential[...] = [2 * math.cos(2 * math.pi * x / nx) for x in range(nx)]
    h_psi = fft.apply_potential(psi, potential)  # all bands in one call
    density = fft.add_density(psi, numpy.full(bands, 2.0), numpy.zeros_like(potential))  # two electrons in each
# [/plan]

electrons = comm.allreduce(density.sum() / (nx * ny * nz) - 2 * (abs(psi) ** 2).sum())  # compares with the norm
error = abs(electrons) / (2 * bands)
step = numpy.array([1, 0, 0], "int32")
expected = kinetic * psi + coefficients(mine - step) + coefficients(mine + step)
h_psi += kinetic * psi
error = max(error, abs(h_psi - expected).max(initial=0))
answer("hamiltonian", error, 1e-13, h_psi)
