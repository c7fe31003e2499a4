// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computes Fourier transforms by the definition, independent of any FFT: sums in long double, one axis after
/// another.
#pragma once

#include <complex>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche::testing {

using Wide = std::complex<double>;

/// Returns the sum over r of values(r) exp(sign i G.r) for all G, with x fastest. The cost is O(volume x (nx + ny +
/// nz)).
std::vector<Wide> fourier_sum(const std::vector<Wide>& values, const GridShape& shape, int sign);

/// Collective. Returns the same on all ranks, computed by rank 0 of MPI_COMM_WORLD.
std::vector<Wide> shared_fourier_sum(const std::vector<Wide>& values, const GridShape& shape, int sign);

/// Returns values between -1 and 1 that depend only on `seed` and position.
std::vector<Wide> random_values(std::int64_t n, unsigned seed);

}  // namespace seiche::testing
