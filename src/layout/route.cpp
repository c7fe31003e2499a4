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
  for (std::size_t q = 0; q < source.size(); ++q) elements += static_cast<int>(q) == rank ? 0 : source[q].size();
  return elements;
}

Route repeated(Route route, std::int64_t times) {
  const auto repeat = [times](std::vector<Patch>& patches, std::int64_t& size) {
    for (Patch& patch : patches) {
      patch.count[2] *= times;
      patch.stride[2] = size;
    }
    size *= times;
  };
  repeat(route.source, route.source_size);
  repeat(route.target, route.target_size);
  return route;
}

Route in_slot(Route route, std::int64_t slot, std::int64_t slots) {
  route.source_begin += slot * route.source_size;
  for (Patch& patch : route.source) patch.offset += slot * route.source_size;
  for (Patch& patch : route.target) patch.offset += slot * route.target_size;
  route.source_size *= slots;
  route.target_size *= slots;
  return route;
}

Route route_of_boxes(int rank, const BoxEnd& source, const BoxEnd& target) {
  const auto me = static_cast<std::size_t>(rank);
  Route route;
  route.source_size = memory_of(source.boxes[me], source.stride);
  route.source_begin = patch_of(source.parts[me], source.boxes[me], source.stride).offset;
  route.target_size = memory_of(target.boxes[me], target.stride);
  for (std::size_t q = 0; q < source.boxes.size(); ++q) {
    const Box out = intersect(source.parts[me], target.parts[q]), in = intersect(source.parts[q], target.parts[me]);
    route.source.push_back(patch_of(out, source.boxes[me], source.stride));
    route.target.push_back(patch_of(in, target.boxes[me], target.stride));
  }
  return route;
}

Route route_of_boxes(int rank, const std::vector<Box>& source_boxes, const Strides& source_stride,
                     const std::vector<Box>& target_boxes, const Strides& target_stride) {
  return route_of_boxes(rank, {source_boxes, source_stride, source_boxes}, {target_boxes, target_stride, target_boxes});
}

}  // namespace seiche
