// SPDX-License-Identifier: BSD-3-Clause
/// \file  The least time of a case on a machine. No part can be faster than its rate, and at best all parts overlap:
///
/// lines    operations of 1D FFTs / rate in a core's own cache
/// memory   least bytes to and from memory / rate of copies, with all ranks at work
/// links    bytes that leave a node / bandwidth between nodes
/// bound    max(lines, memory, links)
#pragma once

#include <algorithm>
#include <functional>

#include "predict/work.hpp"

namespace seiche::predict {

/// Bytes of a rank between its cache and memory for one unit of work, and the size of the arrays.
struct LeastBytes {
  double moved = 0, arrays = 0;
};

/// Returns the bytes of a pair of transforms with `points` complex numbers of a rank. Each direction reads and writes
/// the array in the stage along x and y, and in the stage along z. Arrays within `cache` bytes stay there.
LeastBytes least_bytes_of_pair(std::int64_t points, double cache);

/// What a rank has of a band: waves, points of its columns along z, and points of its part of the grid.
struct BandArrays {
  std::int64_t waves = 0, columns = 0, grid = 0;
};
/// Returns the bytes of a round trip with a real potential. It reads and writes the coefficients, writes the columns,
/// reads and writes them in planes, and reads the potential. Tiles of columns and planes stay in the cache.
LeastBytes least_bytes_of_round_trip(const BandArrays& band, double cache);
/// Returns the bytes of adding a band to a density. It reads the coefficients, writes and reads the columns, and reads
/// or writes the density.
LeastBytes least_bytes_of_density(const BandArrays& band, double cache);

/// Seconds of each part alone, for one unit of work.
struct Bound {
  double lines = 0, memory = 0, links = 0;
  double bytes = 0;  ///< of a rank, to and from memory
  double seconds() const { return std::max({lines, memory, links}); }
};

/// Rates with all ranks at work.
struct BoundRates {
  std::function<double(std::int64_t n)> lines;  ///< operations per second of a rank in 1D FFTs of n points
  std::function<double(double arrays)> memory;  ///< bytes per second of a rank in arrays of this size
  double between = 0;                           ///< bytes per second that leave a node; 0: there is one node
};

/// Returns the bound of a unit of work. `share`: the part of the work that this case does; 0.5 for one direction.
/// The rates are asked for in the same order on all ranks.
Bound bound_of(const NodeWork& work, double share, const LeastBytes& bytes, const BoundRates& rates);

}  // namespace seiche::predict
