// SPDX-License-Identifier: BSD-3-Clause
/// \file  Measures the computation of one core: 1D FFTs as in transforms, and copies as in exchanges.
#pragma once

#include "predict/machine.hpp"
#include "seiche/fft_options.hpp"

namespace seiche::predict {

/// Returns the sizes of 1D FFTs to measure with this many seconds each; cubes of the larger sizes need more time.
std::vector<std::int64_t> line_sizes(double budget);

/// Local. Measures 1D FFTs of n points in tiles as in transforms: in a plane of n x n in cache, and in the part of a
/// cube of one of `ranks` ranks. Takes about `budget` seconds, plus the time for the plans.
LineRates measured_lines(std::int64_t n, int ranks, double budget);

/// Local. Returns the operations per second of 1D FFTs of n points in a core's own cache: of rows or of columns,
/// whichever are faster.
double cached_line_rate(LineLibrary library, std::int64_t n, double budget);

/// Local. Returns the bytes per second, read and written, of copies within memory of this size.
double measured_memory(double bytes, double budget);

/// Local. Returns bytes per second of packing: distant rows of a grid into a buffer of consecutive messages.
double measured_copy(double budget);
/// Local. Returns bytes per second of single values scattered within a cache, as waves to their sticks.
double measured_cached_copy(double budget);

/// Local. Returns the bytes of this core's own cache as reported by the system, else 1 MiB.
double own_cache();

}  // namespace seiche::predict
