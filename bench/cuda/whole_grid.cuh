// SPDX-License-Identifier: BSD-3-Clause
/// \file  Potentials and densities by batched 3D FFTs of cuFFT, as many programs compute them.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/array.hpp"
#include "cuda/complex.cuh"
#include "cuda/cufft_library.hpp"
#include "cuda/launch.cuh"
#include "cuda/stream.hpp"

namespace seiche::bench {

template <class Value>
__global__ void scatter(const Value* from, const int* places, int waves, Value* grid, std::int64_t points) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < waves) grid[blockIdx.y * points + places[i]] = from[std::int64_t(blockIdx.y) * waves + i];
}

template <class Value, class Real>
__global__ void gather(const Value* grid, const int* places, int waves, Value* into, std::int64_t points, Real scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= waves) return;
  const Value value = grid[blockIdx.y * points + places[i]];
  into[std::int64_t(blockIdx.y) * waves + i] = {value.x * scale, value.y * scale};
}

template <class Value, class Real>
__global__ void multiply_grid(Value* grid, const Real* potential, std::int64_t points) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= points) return;
  Value& value = grid[blockIdx.y * points + i];
  value = {value.x * potential[i], value.y * potential[i]};
}

template <class Value>
__global__ void add_squares(const Value* grid, int rows, double* density, std::int64_t points) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= points) return;
  double sum = density[i];
  for (int row = 0; row < rows; row++) {
    const double re = grid[row * points + i].x, im = grid[row * points + i].y;
    sum += re * re + im * im;
  }
  density[i] = sum;
}

template <class Real>
class WholeGrid {
 public:
  using Value = cuda::Complex<Real>;

  /// `places`: number of the point of each wave. \throws Error if cuFFT is not found
  WholeGrid(int n, const std::vector<int>& places, int rows, cuda::Stream& stream)
      : waves_(static_cast<int>(places.size())),
        rows_(rows),
        points_(std::int64_t(n) * n * n),
        stream_(stream),
        places_(places),
        grid_(static_cast<std::size_t>(points_ * rows)),
        plan_(3, {n, n, n}, {0, 0}, {0, 0}, sizeof(Real) == 8 ? CUFFT_Z2Z : CUFFT_C2C, rows) {}

  void apply_potential(const Value* in, Value* out, const Real* potential) {
    to_grid(in);
    cuda::launch(multiply_grid<Value, Real>, {blocks(points_), threads}, stream_.handle(), grid_.data(), potential,
                 points_);
    transform(CUFFT_FORWARD);
    cuda::launch(gather<Value, Real>, {blocks(waves_), threads}, stream_.handle(),
                 static_cast<const Value*>(grid_.data()), static_cast<const int*>(places_.data()), waves_, out, points_,
                 static_cast<Real>(1.0 / double(points_)));
  }
  void add_density(const Value* in, double* density) {
    to_grid(in);
    cuda::launch(add_squares<Value>, {dim3(blocks(points_).x), threads}, stream_.handle(),
                 static_cast<const Value*>(grid_.data()), rows_, density, points_);
  }

 private:
  static constexpr unsigned threads = 256;
  dim3 blocks(std::int64_t count) const {
    return {static_cast<unsigned>((count + threads - 1) / threads), static_cast<unsigned>(rows_)};
  }
  void to_grid(const Value* in) {
    stream_.zero(grid_.data(), grid_.bytes());
    cuda::launch(scatter<Value>, {blocks(waves_), threads}, stream_.handle(), in,
                 static_cast<const int*>(places_.data()), waves_, grid_.data(), points_);
    transform(CUFFT_INVERSE);
  }
  void transform(int sign) { plan_.run(stream_.handle(), grid_.data(), grid_.data(), sign); }

  int waves_, rows_;
  std::int64_t points_;
  cuda::Stream& stream_;
  cuda::Array<int> places_;
  cuda::Array<Value> grid_;
  cuda::FftPlan plan_;
};

}  // namespace seiche::bench
