# SPDX-License-Identifier: BSD-3-Clause
"""H|psi> of many bands, and their density: bands are on their way while others are multiplied by the potential."""

import numpy
from mpi4py import MPI

import seiche

comm, shape, bands, depth = MPI.COMM_WORLD, (24, 24, 30), 16, 0.5
edges = numpy.diag([8.0, 8.0, 10.0])  # bohr
b = 2 * numpy.pi * numpy.linalg.inv(edges).T
waves = seiche.sphere_of_waves(b, cutoff=12.0)
mine = waves[seiche.balanced_owners(waves, comm.size) == comm.rank]
kinetic = ((mine @ b) ** 2).sum(axis=1) / 2

# Plane waves that are 0 but at G = (band, 0, 0); V = 2 depth cos(b3 . r) takes G to G + (0, 0, 1) and G - (0, 0, 1).
psi = numpy.zeros((bands, len(mine)), complex)
for band in range(bands):
    psi[band, (mine == (band - bands // 2, 0, 0)).all(axis=1)] = 1

# [plan]
with seiche.SphereFft(shape, mine, comm=comm, window=3) as fft:
    z = numpy.array(fft.grid_box.z) / shape[2]
    v = numpy.broadcast_to(2 * depth * numpy.cos(2 * numpy.pi * z)[:, None, None], fft.grid_box.shape).copy()
    h_psi = fft.apply_potential(psi, v)  # all bands in one call
    h_psi += kinetic * psi
    density = fft.add_density(psi, numpy.full(bands, 2.0), numpy.zeros(fft.grid_box.shape))  # two electrons in each
# [/plan]

expected = kinetic * psi
for band in range(bands):
    for side in (-1, 1):
        expected[band, (mine == (band - bands // 2, 0, side)).all(axis=1)] += depth
error = comm.allreduce(abs(h_psi - expected).max() if len(mine) else 0.0, MPI.MAX)
assert error < 1e-13, error
electrons = 2 * comm.allreduce((abs(psi) ** 2).sum())  # |psi(r)| of one plane wave is 1; some bands are beyond the sphere
assert abs(density - electrons).max(initial=0) < 1e-12
if comm.rank == 0:
    print(f"H|psi> of {bands} bands of {len(waves)} waves on {comm.size} ranks: off by {error:.0e}")
