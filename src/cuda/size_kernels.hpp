// SPDX-License-Identifier: BSD-3-Clause
/// \file  Functions that start the kernels of one length of lines. Each length is compiled separately.
#pragma once

#include <cuda_runtime.h>

#include "cuda/fused_shape.hpp"
#include "cuda/sphere_arguments.hpp"

namespace seiche::cuda {

/// Kernels of square planes.
struct FusedKernels {
  FusedShape shape;
  std::size_t shared;  ///< bytes of a block
  /// Returns the number of clusters that the device runs at once.
  int (*clusters)(bool density);
  void (*start)(const FusedArguments& arguments, bool density, int clusters, cudaStream_t stream);
};

/// `pruned`: all frequencies are at most a quarter of the length.
template <class Real>
struct SizeKernels {
  int n;
  void (*z_to_planes)(const ZArguments<Real>& arguments, bool pruned, cudaStream_t stream);
  void (*z_from_planes)(const ZArguments<Real>& arguments, bool pruned, cudaStream_t stream);
  void (*y_to_rows)(const YArguments& arguments, bool pruned, cudaStream_t stream);
  void (*y_from_rows)(const YArguments& arguments, bool pruned, cudaStream_t stream);
  void (*x)(const XArguments& arguments, bool pruned, cudaStream_t stream);
  FusedKernels fused, half_fused;  ///< half: of half spheres
};

/// Returns the kernels of lines of n points, or null if none were compiled.
template <class Real>
const SizeKernels<Real>* size_kernels(int n);

/// Kernels of one length that was compiled.
template <class Real, int N>
const SizeKernels<Real>& kernels_of_size();

}  // namespace seiche::cuda
