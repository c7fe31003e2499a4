// SPDX-License-Identifier: BSD-3-Clause
/// \file  Routes between two layouts of the same values: the elements that each pair of ranks exchanges.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

/// A strided box of elements in one rank's memory, first index fastest.
struct Patch {
  std::int64_t offset = 0;
  std::array<std::int64_t, 3> count{0, 0, 0};
  std::array<std::int64_t, 3> stride{1, 1, 1};
  std::int64_t size() const noexcept { return count[0] * count[1] * count[2]; }
  /// Tells whether all elements are contiguous in message order.
  bool contiguous() const noexcept {
    return size() == 0 || ((count[0] == 1 || stride[0] == 1) && (count[1] == 1 || stride[1] == count[0]) &&
                           (count[2] == 1 || stride[2] == count[0] * count[1]));
  }
};

inline Patch row_patch(std::int64_t offset, std::int64_t size) { return {offset, {size, 1, 1}, {1, size, size}}; }

/// A rank's part of a route between a source layout and a target layout. source[q] are this rank's source elements that
/// rank q has at its target. target[q] are this rank's target elements that rank q has at its source. Both lists name
/// the same elements in the same order.
struct Route {
  std::int64_t source_size = 0, target_size = 0;  ///< number of elements at each end, including padding
  std::vector<Patch> source, target;              ///< one patch per rank
  std::int64_t source_begin = 0;                  ///< first element of source memory that belongs to this route

  /// Returns the number of elements that `rank` (whose route this is) sends to others.
  std::int64_t leaving(int rank) const;
};

/// Returns the route in one of `slots` equal parts of memory, which are contiguous at both ends.
Route in_slot(Route route, std::int64_t slot, std::int64_t slots);
/// Returns the route of `times` equal parts of memory, which are contiguous at both ends. \pre all count[2] <= 1
Route repeated(Route route, std::int64_t times);

/// One end of a route between boxes of a grid. It has the box of each rank, the strides of this rank's box (x, y, z),
/// and the part of each box that is exchanged.
struct BoxEnd {
  std::vector<Box> boxes;
  std::array<std::int64_t, 3> stride;
  std::vector<Box> parts;
};
Route route_of_boxes(int rank, const BoxEnd& source, const BoxEnd& target);
/// Same for whole boxes.
Route route_of_boxes(int rank, const std::vector<Box>& source_boxes, const std::array<std::int64_t, 3>& source_stride,
                     const std::vector<Box>& target_boxes, const std::array<std::int64_t, 3>& target_stride);

}  // namespace seiche
