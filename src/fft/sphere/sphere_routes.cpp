// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/sphere_routes.hpp"

#include <cstddef>

#include "fft/dense/dense_layouts.hpp"
#include "support/require.hpp"

namespace seiche {

ProcessGrid sphere_ranks(int size, const GridShape& shape, Decomposition wanted) {
  return arranged(size, shape, wanted, shape.nz);
}

Box SphereGrid::box_of(int rank, const GridShape& shape) const {
  if (!ranks.active(rank)) return {};
  return {{Range{0, shape.nx}, block(shape.ny, ranks.fast, ranks.fast_of(rank)), planes_of(rank)}};
}

SphereGrid sphere_grid(int size, const GridShape& shape, const FftOptions& options) {
  SphereGrid grid;
  if (options.slabs.empty()) {
    grid.ranks = sphere_ranks(size, shape, options.decomposition);
    for (int i = 0; i < grid.ranks.slow; ++i) grid.z.push_back(block(shape.nz, grid.ranks.slow, i));
    return grid;
  }
  std::int64_t next = 0;
  for (const int planes : options.slabs) {
    grid.z.push_back({next, next + planes});
    next += planes;
  }
  require(std::ssize(grid.z) == size && next == shape.nz, Fault::bad_argument,
          "fft: {} slabs with {} planes do not fit {} ranks of a band group and {} planes of the grid: pass the number "
          "of planes of each rank of a band group",
          grid.z.size(), next, size, shape.nz);
  grid.ranks.slow = size;
  return grid;
}

Route route_to_sticks(const StickMap& map) {
  Route route;
  for (std::size_t q = 0; q < map.leaving_to.size(); ++q) {
    route.source.push_back(row_patch(route.source_size, map.leaving_to[q]));
    route.target.push_back(row_patch(route.target_size, map.arriving_from[q]));
    route.source_size += map.leaving_to[q];
    route.target_size += map.arriving_from[q];
  }
  return route;
}

Route route_to_planes(const StickMap& map, const SphereGrid& grid, int rank, std::int64_t nz, const PitchOf& pitch_of) {
  const ProcessGrid& ranks = grid.ranks;
  Route route;
  std::vector<std::int64_t> group_offset;
  for (const Range& sticks : map.group_sticks[static_cast<std::size_t>(rank)]) {
    group_offset.push_back(route.source_size);
    route.source_size += nz * pitch_of(sticks);
  }
  for (int q = 0; q < static_cast<int>(map.sticks.size()); ++q) {
    Patch source, target;
    if (ranks.active(q)) {
      const Range& z = grid.planes_of(q);
      const auto group = static_cast<std::size_t>(ranks.fast_of(q));
      const std::int64_t pitch = pitch_of(map.group_sticks[static_cast<std::size_t>(rank)][group]);
      source = {group_offset[group] + z.low * pitch, {pitch, z.size(), 1}, {1, pitch, pitch * z.size()}};
    }
    if (ranks.active(rank)) {
      const std::int64_t planes = grid.planes_of(rank).size();
      const auto group = static_cast<std::size_t>(ranks.fast_of(rank));
      const std::int64_t pitch = pitch_of(map.group_sticks[static_cast<std::size_t>(q)][group]);
      target = {route.target_size, {pitch, planes, 1}, {1, pitch, pitch * planes}};
      route.target_size += target.size();
    }
    route.source.push_back(source);
    route.target.push_back(target);
  }
  return route;
}

/// Source memory is [z][y][column]. Rows of member j have `pitch[j]` elements.
Route route_to_rows(int members, int member, std::int64_t planes, std::int64_t ny,
                    const std::vector<std::int64_t>& pitch) {
  Route route;
  const Range my_rows = block(ny, members, member);
  const std::int64_t mine = pitch[static_cast<std::size_t>(member)];
  route.source_size = planes * ny * mine;
  for (int j = 0; j < members; ++j) {
    const Range rows = block(ny, members, j);
    const std::int64_t theirs = pitch[static_cast<std::size_t>(j)];
    route.source.push_back({rows.low * mine, {mine, rows.size(), planes}, {1, mine, mine * ny}});
    route.target.push_back({route.target_size, {theirs, my_rows.size(), planes}, {1, theirs, theirs * my_rows.size()}});
    route.target_size += route.target.back().size();
  }
  return route;
}

}  // namespace seiche
