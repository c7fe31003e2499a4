// SPDX-License-Identifier: BSD-3-Clause
/// \file  A route between two layouts of the same values: for each pair of ranks, which elements pass between them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "seiche/layout.hpp"

namespace seiche {

/// Elements of one rank's memory: a strided box, first index fastest.
struct Patch {
  std::int64_t offset = 0;
  std::array<std::int64_t, 3> count{0, 0, 0};
  std::array<std::int64_t, 3> stride{1, 1, 1};
  std::int64_t size() const noexcept { return count[0] * count[1] * count[2]; }
  /// All elements in a row, in the order in which a message carries them.
  bool contiguous() const noexcept {
    return size() == 0 || ((count[0] == 1 || stride[0] == 1) && (count[1] == 1 || stride[1] == count[0]) &&
                           (count[2] == 1 || stride[2] == count[0] * count[1]));
  }
};

inline Patch row_patch(std::int64_t offset, std::int64_t size) { return {offset, {size, 1, 1}, {1, size, size}}; }

/// A rank's view of a route. The values lie either at the source (the layout before) or at the target (after):
/// near[q] are this rank's source elements that rank q has at its target, far[q] this rank's target elements that rank
/// q has at its source. Both sides name the same elements in the same order.
struct Route {
  std::int64_t source_size = 0, target_size = 0;  ///< elements of memory at each end, padding included
  std::vector<Patch> source, target;              ///< one per rank
  std::int64_t near_begin = 0;                    ///< the first element of source memory that is this route's own

  /// Elements that `rank`, whose view this is, gives to others on the way to the target.
  std::int64_t leaving(int rank) const;
};

/// The same route in one of `slots` equal parts of memory, which lie beside each other at both ends.
Route in_slot(Route route, std::int64_t slot, std::int64_t slots);

/// One end of a route between boxes of a grid: what each rank owns, how this rank's box lies in memory (x, y, z), and
/// which part of each box goes the route.
struct BoxEnd {
  std::vector<Box> boxes;
  std::array<std::int64_t, 3> stride;
  std::vector<Box> parts;
};
Route route_of_boxes(int rank, const BoxEnd& source, const BoxEnd& target);
/// The same for all of each box.
Route route_of_boxes(int rank, const std::vector<Box>& source_boxes, const std::array<std::int64_t, 3>& source_stride,
                     const std::vector<Box>& target_boxes, const std::array<std::int64_t, 3>& target_stride);

}  // namespace seiche
