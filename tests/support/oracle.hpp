// SPDX-License-Identifier: BSD-3-Clause
/// \file  Fourier transforms by their definition, independent of any FFT: sums in long double, one axis after the
/// other.
#pragma once

#include <complex>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche::testing {

using Wide = std::complex<double>;

/// sum over r of values(r) exp(sign i G.r), for all G; x fastest. O(volume x (nx + ny + nz)).
std::vector<Wide> fourier_sum(const std::vector<Wide>& values, const GridShape& shape, int sign);

/// The same, computed by rank 0 of MPI_COMM_WORLD and made known to all.
std::vector<Wide> shared_fourier_sum(const std::vector<Wide>& values, const GridShape& shape, int sign);

/// Values between -1 and 1 that depend only on `seed` and position.
std::vector<Wide> random_values(std::int64_t n, unsigned seed);

}  // namespace seiche::testing
