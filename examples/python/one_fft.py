# SPDX-License-Identifier: BSD-3-Clause
"""One FFT of a dense grid: a plane wave on the grid has one coefficient."""

import math

import numpy
from answer import answer
from mpi4py import MPI

import seiche

wave = numpy.array([complex(math.cos(angle), math.sin(angle)) for angle in (2 * math.pi * i / 180 for i in range(180))])

# [plan]
with seiche.DenseFft((12, 10, 9), "complex128", MPI.COMM_WORLD) as fft:
    z, y, x = numpy.ix_(fft.grid_box.z, fft.grid_box.y, fft.grid_box.x)  # the points that lie here
    grid = wave[(15 * x + 36 * y + 80 * z) % 180]  # exp(i G.r) with G = (1, 2, 4): x/12 + 2y/10 + 4z/9
    spectrum = numpy.empty(fft.spectrum_box.shape, complex)
    fft.forward(grid, spectrum)
    z, y, x = numpy.ix_(fft.spectrum_box.z, fft.spectrum_box.y, fft.spectrum_box.x)
# [/plan]
expected = (x == 1) & (y == 2) & (z == 4)
answer("one_fft", abs(spectrum - expected).max(initial=0), 1e-14, spectrum)
