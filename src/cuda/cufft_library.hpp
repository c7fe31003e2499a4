// SPDX-License-Identifier: BSD-3-Clause
/// \file  The library cuFFT, which is loaded at run time.
#pragma once

#include <cufft.h>

#include <array>
#include <cstddef>

namespace seiche::cuda {

/// Functions of cuFFT.
struct Cufft {
  decltype(&cufftPlanMany) plan_many;
  decltype(&cufftGetSize) get_size;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftExecZ2Z) z2z;
  decltype(&cufftExecC2C) c2c;
  decltype(&cufftExecZ2D) z2d;
  decltype(&cufftExecC2R) c2r;
  decltype(&cufftExecD2Z) d2z;
  decltype(&cufftExecR2C) r2c;
};

/// Returns the functions. The first call loads the library. The emulated library is missing while the environment
/// variable SEICHE_EMULATED_NO_CUFFT exists. \throws Error if it is not found
const Cufft& cufft();

/// Order of elements in memory: element i of transform b is at i * stride + b * distance. Transforms along two axes
/// have element (j, i) at (j * row + i) * stride + b * distance; row 0: rows have no padding.
struct FftOrder {
  int stride, distance, row = 0;
};

/// Batch of transforms of one kind.
class FftPlan {
 public:
  FftPlan() = default;  ///< a batch of no transforms
  /// `shape`: slowest axis first. An order of {0, 0} means consecutive elements. \pre batch > 0
  FftPlan(int axes, std::array<int, 3> shape, FftOrder in, FftOrder out, cufftType type, int batch);
  ~FftPlan();
  FftPlan(FftPlan&& other) noexcept;
  FftPlan& operator=(FftPlan&& other) noexcept;

  /// `sign`: CUFFT_FORWARD or CUFFT_INVERSE; transforms of real values do not use it.
  void run(cudaStream_t stream, const void* in, void* out, int sign) const;
  std::size_t bytes() const { return bytes_; }  ///< device memory of the plan

 private:
  cufftHandle handle_{};
  cufftType type_ = CUFFT_Z2Z;
  bool made_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace seiche::cuda
