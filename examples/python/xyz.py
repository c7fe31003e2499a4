# SPDX-License-Identifier: BSD-3-Clause
"""Arrays [x, y, z] without a copy. Seiche's x is the last axis, so that the order of all axes is reversed."""

import numpy
from mpi4py import MPI

import seiche

comm = MPI.COMM_WORLD
rng = numpy.random.default_rng(20260101)  # equal on all ranks
nx, ny, nz = 12, 10, 9
values = rng.normal(size=(nx, ny, nz))
waves = numpy.array([[hx, hy, hz] for hx in (-1, 0, 1) for hy in (-2, 0, 2) for hz in (-1, 0, 1)], "int32")
psi = rng.normal(size=len(waves)) + 1j * rng.normal(size=len(waves))
mine = numpy.arange(len(waves)) % comm.size == comm.rank

# [plan]
shape = nz, ny, nx  # of arrays [x, y, z]
with seiche.SphereFft(shape, waves[mine, ::-1].copy(), comm=comm) as fft:  # (hx, hy, hz) as (hz, hy, hx)
    potential = values[fft.grid_box.slices].copy()  # a rank's part [x, y, z]; rows along z are whole
    psi_here = fft.backward(psi[mine])  # [x, y, z], too
    h_psi = fft.apply_potential(psi[mine], potential)
    box = fft.grid_box
    x, y, z = box.z, box.y, box.x  # which x, y and z of the program these are
# [/plan]

whole = numpy.zeros((nx, ny, nz), complex)
whole[tuple(waves.T)] = psi
expected = numpy.fft.ifftn(whole, norm="forward")
assert psi_here.shape == (len(x), len(y), len(z)) and len(z) in (0, nz)
assert abs(psi_here - expected[numpy.ix_(x, y, z)]).max(initial=0) < 1e-13
assert abs(h_psi - numpy.fft.fftn(values * expected, norm="forward")[tuple(waves.T)][mine]).max(initial=0) < 1e-13
