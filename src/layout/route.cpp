// SPDX-License-Identifier: BSD-3-Clause
#include "layout/route.hpp"

#include <cstddef>

namespace seiche {

namespace {

using Strides = std::array<std::int64_t, 3>;

Patch patch_of(const Box& part, const Box& mine, const Strides& stride) {
  Patch patch;
  if (part.empty()) return patch;
  for (std::size_t a = 0; a < 3; ++a) {
    patch.offset += (part.axis[a].low - mine.axis[a].low) * stride[a];
    patch.count[a] = part.axis[a].size();
  }
  patch.stride = stride;
  return patch;
}

std::int64_t memory_of(const Box& box, const Strides& stride) { return box.empty() ? 0 : box.size(2) * stride[2]; }

}  // namespace

std::int64_t Route::leaving(int rank) const {
  std::int64_t elements = 0;
  for (std::size_t q = 0; q < near.size(); ++q) elements += static_cast<int>(q) == rank ? 0 : near[q].size();
  return elements;
}

Route in_slot(Route route, std::int64_t slot, std::int64_t slots) {
  for (Patch& patch : route.near) patch.offset += slot * route.near_size;
  for (Patch& patch : route.far) patch.offset += slot * route.far_size;
  route.near_size *= slots;
  route.far_size *= slots;
  return route;
}

Route route_of_boxes(int rank, const std::vector<Box>& near_boxes, const Strides& near_stride,
                     const std::vector<Box>& far_boxes, const Strides& far_stride, const std::vector<Box>& parts) {
  const auto me = static_cast<std::size_t>(rank);
  Route route;
  route.near_size = memory_of(near_boxes[me], near_stride);
  route.far_size = memory_of(far_boxes[me], far_stride);
  for (std::size_t q = 0; q < near_boxes.size(); ++q) {
    route.near.push_back(patch_of(intersect(parts[me], far_boxes[q]), near_boxes[me], near_stride));
    route.far.push_back(patch_of(intersect(parts[q], far_boxes[me]), far_boxes[me], far_stride));
  }
  return route;
}

Route route_of_boxes(int rank, const std::vector<Box>& near_boxes, const Strides& near_stride,
                     const std::vector<Box>& far_boxes, const Strides& far_stride) {
  return route_of_boxes(rank, near_boxes, near_stride, far_boxes, far_stride, near_boxes);
}

}  // namespace seiche
