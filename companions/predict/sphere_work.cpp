// SPDX-License-Identifier: BSD-3-Clause
/// \file  The work of a bundle of bands: from plane waves to the grid, times V, and back.
#include <algorithm>
#include <cmath>
#include <map>

#include "fft/dense/dense_layouts.hpp"
#include "fft/lines/tiles.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/sphere_routes.hpp"
#include "layout/sound_shape.hpp"
#include "predict/exchanged.hpp"
#include "support/require.hpp"

namespace seiche::predict {

namespace {

/// Bands on a number of ranks: the data of SpherePlan, for any rank.
struct Bundle {
  GridShape shape;
  Where where;
  FftOptions options;
  BandGroups groups;
  SphereGrid grid;  // over the members of a group
  StickMap map;
  std::vector<std::int64_t> waves;  // by rank

  bool pencil() const { return grid.ranks.fast > 1; }
};

/// Distributes whole sticks evenly over all ranks, as `seiche bench bands` does.
void share_out(Bundle& bundle, double radius) {
  const auto all = sphere_of_waves({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}, 0.5 * radius * radius);
  const auto owners = balanced_owners(all, bundle.where.ranks);
  const GridShape& n = bundle.shape;
  std::map<std::int64_t, int> member;
  bundle.waves.assign(static_cast<std::size_t>(bundle.where.ranks), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ++bundle.waves[static_cast<std::size_t>(owners[i])];
    member[wrapped(all[i].x, n.nx) * n.ny + wrapped(all[i].y, n.ny)] = bundle.groups.member_of(owners[i]);
  }
  std::vector<OwnedStick> sticks;
  for (const auto& [key, of] : member) sticks.push_back({key, of});
  arrange_sticks(bundle.map, sticks, n.ny, bundle.grid.ranks, bundle.groups.members);
}

std::vector<int> members_of_group(const Bundle& bundle, int rank) {
  std::vector<int> ranks;
  for (int m = 0; m < bundle.groups.members; ++m) {
    ranks.push_back(bundle.groups.rank_of(bundle.groups.group_of(rank), m));
  }
  return ranks;
}

/// Returns the exchange from this rank's waves to its member of each group: a bundle has one band per group.
Leg leg_to_sticks(const Bundle& bundle, int rank) {
  Leg leg{{{}, rank}, std::vector<Route>(1)};
  Route& route = leg.parts.front();
  for (int q = 0; q < bundle.where.ranks; ++q) {
    leg.among.ranks.push_back(q);
    const bool mine = bundle.groups.member_of(q) == bundle.groups.member_of(rank);
    const std::int64_t leaving = mine ? bundle.waves[static_cast<std::size_t>(rank)] : 0;
    const std::int64_t arriving = mine ? bundle.waves[static_cast<std::size_t>(q)] : 0;
    route.source.push_back(row_patch(route.source_size, leaving));
    route.target.push_back(row_patch(route.target_size, arriving));
    route.source_size += leaving;
    route.target_size += arriving;
  }
  return leg;
}

std::int64_t pitch_of(const Range& sticks) { return sticks.empty() ? 0 : padded_row(sticks.size(), element_size); }

std::vector<Leg> legs_of(const Bundle& bundle, int rank) {
  const int me = bundle.groups.member_of(rank);
  std::vector<Leg> legs;
  if (bundle.groups.count > 1) legs.push_back(leg_to_sticks(bundle, rank));
  const std::vector<int> group = members_of_group(bundle, rank);
  legs.push_back({{group, me},
                  {route_to_planes(bundle.map, bundle.grid, me, bundle.shape.nz, pitch_of)},
                  TargetMemory::zero_copy});
  const ProcessGrid& ranks = bundle.grid.ranks;
  if (!bundle.pencil() || !ranks.active(me)) return legs;
  Among row;
  std::vector<std::int64_t> pitch;
  for (int m = 0; m < bundle.groups.members; ++m) {
    if (!ranks.active(m) || ranks.slow_of(m) != ranks.slow_of(me)) continue;
    if (m == me) row.me = static_cast<int>(row.ranks.size());
    row.ranks.push_back(group[static_cast<std::size_t>(m)]);
  }
  for (const Range& columns : bundle.map.groups) pitch.push_back(padded_row(columns.size(), element_size));
  const Box box = bundle.grid.box_of(me, bundle.shape);
  const int member = ranks.fast_of(me);
  legs.push_back(
      {row, {route_to_rows(ranks.fast, member, box.size(2), bundle.shape.ny, pitch)}, TargetMemory::zero_copy});
  return legs;
}

/// Returns the waves of a member in a bundle: one band of each group.
std::int64_t waves_of_member(const Bundle& bundle, int member) {
  std::int64_t waves = 0;
  for (int g = 0; g < bundle.groups.count; ++g) {
    waves += bundle.waves[static_cast<std::size_t>(bundle.groups.rank_of(g, member))];
  }
  return waves;
}

LinesOf cached(std::int64_t n, std::int64_t lines, bool columns) {
  return {n, 2 * 5.0 * static_cast<double>(n * lines) * std::log2(static_cast<double>(n)), columns, 0};
}

/// Returns the elements of the plane of y lines: a full plane if it fits the cache of a core, as in SpherePlan.
std::int64_t plane_of(const Bundle& bundle, std::size_t member) {
  const GridShape& n = bundle.shape;
  const std::int64_t full = n.ny * padded_row(n.nx, element_size);
  const bool compact = bundle.pencil() || full * element_size > largest_full_plane();
  return compact ? n.ny * padded_row(bundle.map.groups[member].size(), element_size) : full;
}

/// Adds the 1D FFTs, which run in tiles and planes in a core's cache. Copies: waves to sticks and back, sticks to
/// planes and back. Reading V and clearing tiles and planes count as half a copy.
void add_lines(Work& work, const Bundle& bundle, int rank) {
  const int me = bundle.groups.member_of(rank);
  const Box box = bundle.grid.box_of(me, bundle.shape);
  const auto sticks = std::ssize(bundle.map.sticks[static_cast<std::size_t>(me)]);
  std::int64_t in_planes = 0;
  work.lines.push_back(cached(bundle.shape.nz, sticks, true));
  work.copies.push_back(
      {2 * bytes_of_elements(waves_of_member(bundle, me)), bytes_of_elements(sticks * bundle.shape.nz)});
  work.copies.push_back({0.5 * bytes_of_elements(sticks * bundle.shape.nz), 0});
  if (box.empty()) return;
  const auto member = static_cast<std::size_t>(bundle.grid.ranks.fast_of(me));
  for (const auto& of_rank : bundle.map.group_sticks) in_planes += of_rank[member].size();
  const Range& columns = bundle.map.groups[member];
  work.lines.push_back(cached(bundle.shape.ny, columns.size() * box.size(2), true));
  work.lines.push_back(cached(bundle.shape.nx, box.size(1) * box.size(2), false));
  work.copies.push_back({2 * bytes_of_elements(in_planes * box.size(2)), bytes_of_elements(sticks * bundle.shape.nz)});
  work.copies.push_back({0.5 * bytes_of_elements(box.volume()), 0.5 * bytes_of_elements(box.volume())});
  work.copies.push_back({0.5 * bytes_of_elements(plane_of(bundle, member) * box.size(2)), 0});
}

/// Returns the memory besides exchanges: lists of this rank's waves and of all sticks, and tiles and a plane in cache.
std::int64_t memory_of_lines(const Bundle& bundle, int rank) {
  const int me = bundle.groups.member_of(rank);
  const GridShape& n = bundle.shape;
  std::int64_t sticks = 0;
  for (const auto& of_member : bundle.map.sticks) sticks += std::ssize(of_member);
  const auto tile = [](std::int64_t points) {
    return tile_of_lines(points, element_size) * padded_row(points, element_size);
  };
  const std::int64_t plane = bundle.pencil() ? 0 : plane_of(bundle, 0);
  return 16 * waves_of_member(bundle, me) + (12 + 4) * sticks + element_size * (tile(n.nz) + tile(n.nx) + plane);
}

}  // namespace

NodeWork work_of_band(const GridShape& shape, double radius, const Where& where, const FftOptions& asked) {
  require_sound(shape);
  require_sound(where);
  const double least = static_cast<double>(std::min({shape.nx, shape.ny, shape.nz}));
  require(radius > 0 && 2 * radius <= least, Fault::bad_argument,
          "a sphere of radius {} does not fit a grid of {} x {} x {} points: give at most {}", radius, shape.nx,
          shape.ny, shape.nz, least / 2);
  Bundle bundle{shape, where, with_defaults(asked, where), {}, {}, {}, {}};
  bundle.groups = {bundle.options.band_groups, where.ranks / bundle.options.band_groups};
  bundle.grid = sphere_grid(bundle.groups.members, shape, asked);
  bundle.options.decomposition = decomposition_of(bundle.grid.ranks);
  share_out(bundle, radius);
  NodeWork node{{},
                static_cast<double>(bundle.groups.count),
                bundle.options,
                0,
                bundle.options.policy.algorithm == Algorithm::shared};
  for (int rank = 0; rank < where.ranks_of_node(); ++rank) {
    Work work;
    add_lines(work, bundle, rank);
    for (const Leg& leg : legs_of(bundle, rank)) {
      add_leg(work, leg, way_of(bundle.options, where, leg.among), where, bundle.options.policy.window);
    }
    work.memory += memory_of_lines(bundle, rank);
    work.bytes_sent /= bundle.groups.count;
    node.ranks.push_back(std::move(work));
  }
  return node;
}

}  // namespace seiche::predict
