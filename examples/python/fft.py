# SPDX-License-Identifier: BSD-3-Clause
"""One FFT of a dense grid: a cosine has two waves."""

import numpy
from mpi4py import MPI

import seiche

shape = nx, ny, nz = 24, 20, 30
# [plan]
with seiche.DenseFft(shape, "float64", MPI.COMM_WORLD) as fft, fft.allocate() as field:
    x = numpy.array(fft.grid_box.x)  # the points that lie here
    field.grid[...] = numpy.cos(2 * numpy.pi * 3 * x / nx)  # [z, y, x], in the plan's own memory
    fft.forward(field)
    found = {}
    for z, y, x in numpy.argwhere(abs(field.spectrum) > 1e-12):
        wave = fft.spectrum_box.x[x], fft.spectrum_box.y[y], fft.spectrum_box.z[z]
        found[wave] = complex(field.spectrum[z, y, x])
# [/plan]
found = {wave: c for part in MPI.COMM_WORLD.allgather(found) for wave, c in part.items()}
assert list(found) == [(3, 0, 0)] and abs(found[3, 0, 0] - 0.5) < 1e-13, found  # and its conjugate at (-3, 0, 0)
if MPI.COMM_WORLD.rank == 0:
    print(f"cos(3 x) is {found[3, 0, 0].real:.3f} of wave (3, 0, 0), and of (-3, 0, 0)")
