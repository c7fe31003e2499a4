// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tables that kernels read, made from the description of a sphere.
#pragma once

#include <vector>

#include "cuda/complex.cuh"
#include "cuda/sphere_arguments.hpp"

namespace seiche::cuda {

/// Range of frequencies along one axis.
struct Extent {
  int low = 0, high = -1;

  bool empty() const { return high < low; }
  void include(int lowest, int highest);
  int count() const { return high - low + 1; }
  bool within(int limit) const { return empty() || (-limit <= low && high <= limit); }
};

struct SphereExtents {
  Extent x, y, z;
};
SphereExtents extents_of(const DeviceSphere& sphere);

/// Returns sticks. Sticks of consecutive coefficients do not need the table of waves.
std::vector<Segment> stick_segments(const DeviceSphere& sphere);

/// Returns one column for each x of the extent. Columns of consecutive sticks do not need the table of places.
std::vector<SegmentColumn> plane_columns(const DeviceSphere& sphere, const Extent& x);

/// Returns exp(2 pi i k / n) for 0 <= k < n.
template <class Real>
std::vector<Complex<Real>> twiddle_table(int n);

}  // namespace seiche::cuda
