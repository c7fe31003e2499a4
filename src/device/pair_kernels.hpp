// SPDX-License-Identifier: BSD-3-Clause
/// \file  Kernels of pair densities and of exact exchange on a device. They work on pairs of one orbital with several
/// targets.
#pragma once

#include <cstdint>

namespace seiche {

/// An orbital on the grid, and the number of its pairs. Values are real or complex, in device memory. Arrays of targets
/// are [target][component][point], arrays of pairs are [target][point].
struct DevicePairs {
  const void* orbital = nullptr;  ///< [component][point]
  std::int64_t points = 0;
  std::int32_t components = 1, targets = 0;
  bool real = false;    ///< values are not complex
  bool single = false;  ///< values are float instead of double; pair_densities() only
};

/// Orbitals on the grid, as lines of points: [component][line][point].
struct DeviceLines {
  std::int64_t points = 0, lines = 0;
  std::int32_t components = 1;
  bool real = false;  ///< values are double
};

/// All functions only start work on a stream: device arrays must live until it is complete.
class PairKernels {
 public:
  virtual ~PairKernels() = default;
  /// Sets densities to conj(orbital) * target, summed over components.
  virtual void pair_densities(const DevicePairs& pairs, const void* targets, void* densities) = 0;
  /// Subtracts weight * orbital * potential from sums, for each component.
  virtual void subtract_products(const DevicePairs& pairs, double weight, const void* potentials, void* sums) = 0;
  /// Multiplies rows of complex coefficients by the real parts of complex factors: [row][wave] and [wave].
  virtual void multiply_waves(void* coefficients, const void* factors, std::int64_t waves, std::int32_t rows) = 0;
  /// Sets overlaps[line] to the real part of conj(a) * b, summed over the points of the line and components.
  virtual void line_overlaps(const DeviceLines& lines, const void* a, const void* b, double* overlaps) = 0;
};

}  // namespace seiche
