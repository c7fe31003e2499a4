// SPDX-License-Identifier: BSD-3-Clause
#include "fft/dense/dense_chunks.hpp"

#include <numeric>
#include <span>

namespace seiche {

DenseChunks::DenseChunks(std::vector<int> sizes, Into into)
    : sizes_(std::move(sizes)), by_planes_(into == Into::planes ? sizes_.size() : (sizes_.size() + 1) / 2) {
  const auto columns = sizes_.begin() + static_cast<std::ptrdiff_t>(by_planes_);
  plane_sizes_.assign(sizes_.begin(), columns);
  if (columns != sizes_.end()) plane_sizes_.push_back(std::accumulate(columns, sizes_.end(), 0));
}

Box DenseChunks::before(Box rows, std::size_t c) const {
  const Range some = weighted_block(rows.size(2), plane_sizes_, of_columns(c) ? by_planes_ : c);
  rows.axis[2] = {rows.axis[2].low + some.low, rows.axis[2].low + some.high};
  return rows;
}

Box DenseChunks::after(Box columns, std::size_t c) const {
  if (!of_columns(c)) return columns;
  const Range some = this->columns(columns, c);
  columns.axis[1] = {columns.axis[1].low + some.low, columns.axis[1].low + some.high};
  return columns;
}

std::vector<Route> DenseChunks::routes(int rank, BoxEnd source, BoxEnd target) const {
  std::vector<Route> routes;
  for (std::size_t c = 0; c < count(); ++c) {
    for (std::size_t r = 0; r < source.boxes.size(); ++r) {
      source.parts[r] = before(source.boxes[r], c);
      target.parts[r] = after(target.boxes[r], c);
    }
    routes.push_back(route_of_boxes(rank, source, target));
  }
  return routes;
}

Range DenseChunks::planes(const Box& rows, std::size_t c) const {
  return c > by_planes_ ? Range{} : weighted_block(rows.size(2), plane_sizes_, c);
}

Range DenseChunks::columns(const Box& columns, std::size_t c) const {
  const std::span<const int> later = std::span(sizes_).subspan(by_planes_);
  if (later.empty()) return c + 1 == count() ? Range{0, columns.size(1)} : Range{};
  return of_columns(c) ? weighted_block(columns.size(1), later, c - by_planes_) : Range{};
}

}  // namespace seiche
