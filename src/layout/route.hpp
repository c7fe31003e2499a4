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

/// A rank's view of a route. The values lie either at the near end (the layout before) or at the far end (after):
/// near[q] are this rank's near elements that rank q has at its far end, far[q] this rank's far elements that rank q
/// has at its near end. Both sides name the same elements in the same order.
struct Route {
  std::int64_t near_size = 0, far_size = 0;  ///< elements of memory at each end, padding included
  std::vector<Patch> near, far;              ///< one per rank

  /// Elements that `rank`, whose view this is, gives to others on the way to the far end.
  std::int64_t leaving(int rank) const;
};

/// The same route in one of `slots` equal pieces of memory, which lie beside each other at both ends.
Route in_slot(Route route, std::int64_t slot, std::int64_t slots);

/// The route between two layouts of one grid by boxes. `near_boxes[r]`, `far_boxes[r]`: what rank r owns at each end;
/// the memory of each is a view with the given strides (x, y, z) of this rank. `parts[r]` is the part of near_boxes[r]
/// whose values go this route; without it, all.
Route route_of_boxes(int rank, const std::vector<Box>& near_boxes, const std::array<std::int64_t, 3>& near_stride,
                     const std::vector<Box>& far_boxes, const std::array<std::int64_t, 3>& far_stride,
                     const std::vector<Box>& parts);
Route route_of_boxes(int rank, const std::vector<Box>& near_boxes, const std::array<std::int64_t, 3>& near_stride,
                     const std::vector<Box>& far_boxes, const std::array<std::int64_t, 3>& far_stride);

}  // namespace seiche
