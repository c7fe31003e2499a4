#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fluidfft's plug-in for FFTW-MPI: random values to their spectrum, which NumPy knows, and back. check_fluidfft.py N0 N1 N2"""
import sys

import numpy as np
from fluidfft import import_fft_class
from mpi4py import MPI


def part(values, first, shape):
    return np.ascontiguousarray(values[tuple(slice(low, low + n) for low, n in zip(first, shape))])


def main():
    shape = tuple(map(int, sys.argv[1:4]))
    fft = import_fft_class("fft3d.mpi_with_fftwmpi3d")(*shape)
    values = np.random.default_rng(7).random(shape)
    spectrum = np.transpose(np.fft.rfftn(values) / values.size, fft.get_dimX_K())
    mine = part(values, fft.get_seq_indices_first_X(), fft.get_shapeX_loc())
    known = part(spectrum, fft.get_seq_indices_first_K(), fft.get_shapeK_loc())
    found = fft.fft(mine)
    off = max(abs(found - known).max(initial=0), abs(fft.ifft(found) - mine).max(initial=0))
    off = MPI.COMM_WORLD.allreduce(off, MPI.MAX)
    if MPI.COMM_WORLD.rank == 0:
        print(f"fluidfft {' x '.join(map(str, shape))}: {'right' if off < 1e-13 else 'WRONG'}, off by {off:.1e}")
    return 0 if off < 1e-13 else 1


if __name__ == "__main__":
    sys.exit(main())
