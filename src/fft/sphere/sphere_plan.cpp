// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/sphere_plan.hpp"

#include <algorithm>

#include "comm/agree.hpp"
#include "fft/crossing.hpp"
#include "fft/dense/dense_layouts.hpp"
#include "fft/lines/tiles.hpp"
#include "fft/resolved_options.hpp"
#include "fft/sphere/row_lines.hpp"
#include "layout/sound_shape.hpp"
#include "support/require.hpp"

namespace seiche {

SpherePlan::SpherePlan(const Communicator& all, const GridShape& grid_shape, std::span<const Miller> mine,
                       const FftOptions& asked, const SphereKind& of_values)
    : comm(all),
      ordered(asked.slabs.empty() ? order_ranks(all) : all),
      group(ordered),
      row_comm(ordered),
      shape(grid_shape),
      kind(of_values),
      waves(static_cast<std::int64_t>(mine.size())) {
  auto [settled, advice] = resolved(ordered, with_device_defaults(asked, comm.size()),
                                    {sphere_transform(comm, shape, waves, kind.letter), PlanKind::sphere});
  options = std::move(settled);
  tuning = std::move(advice);
  queue = made_together(comm, [&] { return Queue(options.space, options.stream); });
  arrange();
  map = map_sticks(ordered, shape, mine, kind.half, band_groups, grid.ranks);
}

/// Collective. Divides the ranks into band groups, and arranges each group in a process grid.
void SpherePlan::arrange() {
  band_groups = {options.band_groups, comm.size() / options.band_groups};
  my_group = band_groups.group_of(ordered.rank());
  if (band_groups.count > 1) group = ordered.split(my_group);
  me = group.rank();
  grid = sphere_grid(group.size(), shape, options);
  const ProcessGrid& ranks = grid.ranks;
  pencil = ranks.fast > 1;
  member = ranks.active(me) ? ranks.fast_of(me) : 0;
  box = grid.box_of(me, shape);
  row_comm = group;
  if (pencil) row_comm = group.split(ranks.active(me) ? ranks.slow_of(me) : me);  // each idle rank has its own group
  const std::int64_t plane = shape.ny * padded_row(row_length(), kind.element);
  full_planes = !pencil && plane * static_cast<std::int64_t>(kind.element) <= largest_full_plane();
}

Route SpherePlan::planes_route() const {
  return route_to_planes(map, grid, me, shape.nz, [this](const Range& sticks) {
    return sticks.empty() ? 0 : padded_row(sticks.size(), kind.element);
  });
}

Route SpherePlan::rows_route() const {
  const ProcessGrid& ranks = grid.ranks;
  if (!ranks.active(me)) return route_to_rows(1, 0, 0, shape.ny, {0});
  std::vector<std::int64_t> pitch;
  for (const Range& columns : map.groups) pitch.push_back(padded_row(columns.size(), kind.element));
  return route_to_rows(ranks.fast, member, box.size(2), shape.ny, pitch);
}

Route SpherePlan::batched(Route route) const {
  return band_groups.batch == 1 ? route : repeated(std::move(route), band_groups.batch);
}

std::vector<SphereLeg> SpherePlan::legs() const {
  std::vector<SphereLeg> legs;
  const auto add = [&](auto exchange, const Communicator& among, Route route, TargetMemory target_memory) {
    legs.push_back({exchange, &among, std::move(route),
                    exchange_request(options, comm, among, kind.element, target_memory, queue)});
  };
  // Arrival::source is an index in contiguous memory of this rank
  if (map.routed) add(&SphereExchanges::to_sticks, ordered, batched(route_to_sticks(map)), TargetMemory::own);
  add(&SphereExchanges::to_planes, group, batched(planes_route()), TargetMemory::zero_copy);
  if (pencil) add(&SphereExchanges::to_rows, row_comm, rows_route(), TargetMemory::zero_copy);
  return legs;
}

SphereExchanges SpherePlan::exchanges() const {
  SphereExchanges all;
  for (const SphereLeg& leg : legs()) {
    all.*leg.exchange = made_together(comm, [&] { return make_exchange(*leg.among, leg.route, leg.request); });
  }
  return all;
}

/// Collective. Returns the number of items in flight that fits into the memory limit of all ranks. `of_item`: bytes of
/// each item in flight; `beside_bands`: all other bytes. \throws Error if one item does not fit
int SpherePlan::window_within(std::int64_t beside_bands, std::int64_t of_item) const {
  const int window = options.policy.window;
  const std::int64_t memory = options.policy.memory, left = memory - beside_bands;
  const std::int64_t room = memory == 0 ? window : left < of_item ? 0 : of_item == 0 ? window : left / of_item;
  const auto least = static_cast<int>(std::min<std::int64_t>(bounds(comm, room).first, window));
  if (least > 0) return least;
  together(comm, [&] {
    require(room > 0, Fault::bad_argument,
            "fft: a window of one band needs {} bytes on rank {}, which exceeds the limit of {}: use more processes or "
            "a higher limit",
            beside_bands + of_item, comm.rank(), memory);
  });
  return least;
}

/// Collective. Returns the bytes of one item in flight on this rank.
std::int64_t SpherePlan::bytes_of_item() const {
  std::int64_t bytes = 0;
  for (const SphereLeg& leg : legs()) {
    bytes +=
        options.components * static_cast<std::int64_t>(memory_of_exchanges(*leg.among, {&leg.route, 1}, leg.request));
  }
  if (!queue.on_host())
    bytes += static_cast<std::int64_t>(bytes_of_coefficients()) +
             2 * band_groups.batch * static_cast<std::int64_t>(bytes_of_values());
  return bytes;
}

void SpherePlan::choose_batch(int wanted, std::size_t bytes_of_lines) {
  const auto beside_bands = static_cast<std::int64_t>(bytes_of_lines + map.bytes());
  const std::int64_t left = options.policy.memory - beside_bands;
  band_groups.batch = static_cast<int>(bounds(comm, std::int64_t{wanted}).first);
  while (band_groups.batch > 1) {
    const bool fits = options.policy.memory == 0 || options.policy.window * bytes_of_item() <= left;
    if (bounds(comm, std::int64_t{fits}).first == 1) break;
    band_groups.batch = (band_groups.batch + 1) / 2;
  }
}

FftReport SpherePlan::settle(std::size_t bytes_of_lines) {
  FftReport report;
  report.library = name_of(options.library);
  report.algorithm = name_of(options.policy.algorithm);
  report.decomposition = name_of(decomposition_of(grid.ranks));
  report.band_groups = band_groups.count;
  report.tuning = tuning;
  const auto bytes_of_one_band = [&](std::int64_t elements_of_bundle) {
    return elements_of_bundle * static_cast<std::int64_t>(kind.element) / band_groups.count;
  };
  std::int64_t sent = 0;
  Crossing crossing(ordered);
  for (const SphereLeg& leg : legs()) {
    sent += leg.route.leaving(leg.among->rank()) / band_groups.batch;
    crossing.add(*leg.among, leg.route);
    note_messages(report, *leg.among, leg.request);
  }
  report.bytes_sent = bytes_of_one_band(sent);
  report.levels = crossing.text(static_cast<double>(kind.element) / (band_groups.count * band_groups.batch));
  const auto beside_bands = static_cast<std::int64_t>(bytes_of_lines + map.bytes());
  const std::int64_t of_item = bytes_of_item();
  report.window = options.policy.window = window_within(beside_bands, of_item);
  report.memory = report.window * of_item + beside_bands;
  // each rank must send its waves of other groups' bands, and the values of its sticks that are not on its planes
  const auto sticks = static_cast<std::int64_t>(map.sticks[static_cast<std::size_t>(me)].size());
  report.bytes_lower_bound = bytes_of_one_band(waves * (band_groups.count - 1) + sticks * (shape.nz - box.size(2)));
  return report;
}

void SpherePlan::forget_arrivals() {
  map.arrivals = std::vector<Arrival>();  // StickLines has its own list
  if (!map.routed) map.leaving = std::vector<Placed>();
}

std::vector<Box> sphere_grid_boxes(int ranks, GridShape shape, const FftOptions& asked) {
  require_sound(shape);
  require_sound(asked, PlanKind::sphere);
  require(ranks > 0, Fault::bad_argument, "fft: a grid needs at least one rank (got {} ranks)", ranks);
  const FftOptions options = with_band_groups(with_device_defaults(asked, ranks), ranks, 1);
  const BandGroups band_groups{options.band_groups, ranks / options.band_groups};
  const SphereGrid grid = sphere_grid(band_groups.members, shape, options);
  std::vector<Box> boxes;
  for (int r = 0; r < ranks; ++r) boxes.push_back(grid.box_of(band_groups.member_of(r), shape));
  return boxes;
}

}  // namespace seiche
