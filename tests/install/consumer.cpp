// SPDX-License-Identifier: BSD-3-Clause
/// \file  A user's first program: one plane wave, transformed to a grid by the installed library. Needs no files.
#include <mpi.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <seiche/fft.hpp>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  double error = 1;
  {
    const seiche::GridShape shape{8, 6, 5};
    const std::vector<seiche::Miller> waves{{1, -2, 1}};
    seiche::SphereFft<std::complex<double>> fft(MPI_COMM_WORLD, shape, waves);
    const std::vector<std::complex<double>> coefficient{1.0};
    std::vector<std::complex<double>> grid(shape.volume());
    fft.backward(coefficient, grid);
    const double angle = 2 * std::numbers::pi * (3 * 1.0 / 8 - 2 * 2.0 / 6 + 4 * 1.0 / 5);
    error = std::abs(grid[3 + 8 * (2 + 6 * 4)] - std::polar(1.0, angle));
  }
  MPI_Finalize();
  return error < 1e-14 ? 0 : 1;
}
