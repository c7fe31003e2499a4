# SPDX-License-Identifier: BSD-3-Clause
"""V|psi> and a density of orbitals in the memory of a CUDA device. Arrays are of CuPy, if it is installed, or of Seiche.
The potential 2 cos x couples each coefficient to its two neighbours."""

import numpy
from mpi4py import MPI

import seiche

try:
    import cupy

    to_device, to_host = cupy.asarray, cupy.asnumpy
except ImportError:
    to_device, to_host = seiche.DeviceArray, seiche.DeviceArray.numpy

comm, bands, radius = MPI.COMM_WORLD, 8, 5
shape = nx, ny, nz = 16, 15, 18


def coefficients(waves):
    """Returns the coefficients of all bands (bands, waves); 0 outside the sphere."""
    length = (waves**2).sum(axis=1)
    return (length <= radius**2) / (1.0 + length + numpy.arange(bands)[:, None])


waves = seiche.sphere_of_waves(numpy.eye(3), radius**2 / 2)
mine = waves[seiche.balanced_owners(waves, comm.size) == comm.rank]

# [device]
with seiche.SphereFft(shape, mine, comm=comm, space="cuda") as fft:
    on_grid = numpy.empty(fft.grid_box.shape)  # [z, y, x]; rows along x are whole
    on_grid[...] = 2 * numpy.cos(2 * numpy.pi * numpy.arange(nx) / nx)
    psi, potential = to_device(coefficients(mine).astype(complex)), to_device(on_grid)
    v_psi = fft.apply_potential(psi, potential)  # in device memory, as psi
    density = to_device(numpy.zeros_like(on_grid))
    fft.add_density(psi, numpy.full(bands, 2.0), density)  # two electrons in each band
# [/device]

step = numpy.array([1, 0, 0], "int32")
expected = coefficients(mine - step) + coefficients(mine + step)
error = comm.allreduce(abs(to_host(v_psi) - expected).max(initial=0), MPI.MAX)
electrons = comm.allreduce(to_host(density).sum()) / (nx * ny * nz)  # compares with the norm
norm = comm.allreduce(2 * (coefficients(mine) ** 2).sum())
error = max(error, abs(electrons - norm) / (2 * bands))
if comm.rank == 0:
    print(f"on_device: error {error:.1e}", flush=True)
assert error < 1e-13
