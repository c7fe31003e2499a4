// SPDX-License-Identifier: BSD-3-Clause
/// \file  Measures what one core computes: lines as transforms run them, and copies as exchanges make them.
#pragma once

#include "predict/machine.hpp"

namespace seiche::predict {

/// Sizes of lines to measure with so many seconds for each: whole cubes of the larger ones take some.
std::vector<std::int64_t> line_sizes(double budget);

/// Local. Lines of n points in tiles as transforms have them: of a plane of n x n that stays in cache, and of what a
/// rank has of a cube where so many share it. Takes some `budget` seconds, and what it takes to plan.
LineRates measured_lines(std::int64_t n, int ranks, double budget);

/// Local. Bytes per second of packing: rows of a grid that lie apart, into a buffer of one message after another.
double measured_copy(double budget);
/// Local. Bytes per second of values that go one by one to their places, as waves do to their sticks, within a cache.
double measured_cached_copy(double budget);

/// Local. Bytes of this core's own cache, as the system tells; 1 MiB where it does not.
double own_cache();

}  // namespace seiche::predict
