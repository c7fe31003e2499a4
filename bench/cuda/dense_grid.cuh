// SPDX-License-Identifier: BSD-3-Clause
/// \file  Times of dense grids by 3D FFTs of cuFFT, as a program without Seiche computes them on one device.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>

#include "cuda/array.hpp"
#include "cuda/complex.cuh"
#include "cuda/cufft_library.hpp"
#include "timing.cuh"

namespace seiche::bench {

/// Returns the microseconds of a forward and a backward FFT of an n x n x n grid between two arrays. Each pair is
/// complete before the next one starts, as with calls of Seiche. `real`: the grid has real values. \throws Error if
/// cuFFT is not found
template <class Real>
double dense_time(int n, bool real, cuda::Stream& stream, bool quick) {
  constexpr bool wide = sizeof(Real) == 8;
  const cufftType of_complex = wide ? CUFFT_Z2Z : CUFFT_C2C, from_real = wide ? CUFFT_D2Z : CUFFT_R2C,
                  to_real = wide ? CUFFT_Z2D : CUFFT_C2R;
  const cuda::FftPlan forward(3, {n, n, n}, {0, 0}, {0, 0}, real ? from_real : of_complex, 1);
  const cuda::FftPlan backward(3, {n, n, n}, {0, 0}, {0, 0}, real ? to_real : of_complex, 1);
  const std::size_t points = static_cast<std::size_t>(n) * n * n;
  const cuda::Array<cuda::Complex<Real>> grid(points), spectrum(points);
  stream.zero(grid.data(), grid.bytes());
  return time_of(stream, 1, quick, [&] {
    forward.run(stream.handle(), grid.data(), spectrum.data(), CUFFT_FORWARD);
    backward.run(stream.handle(), spectrum.data(), grid.data(), CUFFT_INVERSE);
    synchronize(stream);
  });
}

/// Prints the times of complex and of real grids.
template <class Real>
void print_dense_times(int n, cuda::Stream& stream, bool quick) {
  const char* precision = sizeof(Real) == 8 ? "double" : "float";
  try {
    const double of_complex = dense_time<Real>(n, false, stream, quick);
    const double of_real = dense_time<Real>(n, true, stream, quick);
    std::printf("n=%-3d %-6s dense grid by cuFFT, there and back: c2c %.2f r2c %.2f\n", n, precision, of_complex,
                of_real);
  } catch (const std::exception& error) {
    std::printf("n=%d: no times of dense grids: %s\n", n, error.what());
  }
}

}  // namespace seiche::bench
