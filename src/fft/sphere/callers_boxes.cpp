// SPDX-License-Identifier: BSD-3-Clause
#include "fft/sphere/callers_boxes.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <string>

#include "comm/agree.hpp"
#include "space/copy_patch.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::array<std::int64_t, 3> strides_of(const Box& box) { return {1, box.size(0), box.size(0) * box.size(1)}; }

/// Collective. Returns the boxes of all ranks.
std::vector<Box> boxes_of_ranks(const Communicator& comm, const Box& mine) {
  const auto& [x, y, z] = mine.axis;
  const auto all = join_all(comm, std::vector{x.low, x.high, y.low, y.high, z.low, z.high});
  std::vector<Box> boxes;
  for (auto end = all.begin(); end != all.end(); end += 6) {
    boxes.push_back({{Range{end[0], end[1]}, Range{end[2], end[3]}, Range{end[4], end[5]}}});
  }
  return boxes;
}

std::string in_words(const Box& box) {
  const auto& [x, y, z] = box.axis;
  return fmt::format("x [{}, {}), y [{}, {}), z [{}, {})", x.low, x.high, y.low, y.high, z.low, z.high);
}

/// Checks that the boxes form the grid. Overlaps are checked with the box of `rank` only. \throws Error unless each
/// grid point is in one box
void require_partition(const std::vector<Box>& boxes, const GridShape& shape, int rank) {
  const Box& mine = boxes[static_cast<std::size_t>(rank)];
  std::int64_t points = 0;
  for (const Box& box : boxes) {
    require(box.empty() || intersect(box, whole(shape)) == box, Fault::bad_argument,
            "fft: a caller's box ({}) extends beyond the grid of {} x {} x {} points", in_words(box), shape.nx,
            shape.ny, shape.nz);
    points += box.volume();
  }
  for (int other = 0; other < static_cast<int>(boxes.size()); ++other) {
    const Box& theirs = boxes[static_cast<std::size_t>(other)];
    require(other == rank || mine.empty() || theirs.empty() || intersect(mine, theirs).empty(), Fault::bad_argument,
            "fft: the callers' boxes of ranks {} ({}) and {} ({}) overlap: assign each point to one rank", rank,
            in_words(mine), other, in_words(theirs));
  }
  require(points == shape.volume(), Fault::bad_argument,
          "fft: the callers' boxes hold {} points, but the grid has {}: assign each point to one rank", points,
          shape.volume());
}

/// Returns the number of fields in `values` (on the caller's box) and `here` (on the plan's box). Returns 0 if both
/// boxes are empty on this rank. \throws Error if the sizes do not fit the boxes
std::int64_t fields_here(const Box& box, std::size_t values, const Box& own, std::size_t here) {
  const Box& some = box.empty() ? own : box;
  const std::size_t given = box.empty() ? here : values;
  const std::int64_t fields = some.empty() ? 0 : static_cast<std::int64_t>(given) / some.volume();
  require((fields > 0 || some.empty()) && values == static_cast<std::size_t>(fields * box.volume()) &&
              here == static_cast<std::size_t>(fields * own.volume()),
          Fault::bad_argument,
          "fft: wrong number of values: the caller's box has {} points, grid_box() of this rank {} (got {} and {} "
          "values): pass one value per point and field",
          box.volume(), own.volume(), values, here);
  return fields;
}

}  // namespace

/// Collective. Returns the number of fields. Creates the exchanges unless all ranks have cached them for their boxes.
std::int64_t CallersBoxes::fields_of(const SpherePlan& plan, const Given& given) {
  std::int64_t fields = 0;
  const auto fault = fault_of([&] { fields = fields_here(given.box, given.values, plan.box, given.here); });
  const auto found = kept_.find(given.element);
  const std::int64_t other_box = found == kept_.end() || !(found->second.box == given.box);
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();  // for ranks without points
  const auto [fewest, most, others, element] =
      bounds(plan.comm,
             std::array{fields > 0 ? fields : any, fields, other_box, static_cast<std::int64_t>(given.element)}, fault);
  require(element.first == element.second, Fault::bad_argument,
          "fft: ranks passed real and complex values to the same collective call: pass the same type on all ranks");
  require(fewest.first == most.second, Fault::bad_argument,
          "fft: ranks passed different numbers of fields ({} to {}) to a collective call: pass the same number on all "
          "ranks",
          fewest.first, most.second);
  if (others.second > 0) {
    kept_.erase(given.element);
    kept_.emplace(given.element, passages(plan, given));
  }
  return most.second;
}

/// Collective. Creates the exchanges for all band groups.
CallersBoxes::Passages CallersBoxes::passages(const SpherePlan& plan, const Given& given) {
  const auto theirs = boxes_of_ranks(plan.comm, given.box), ours = boxes_of_ranks(plan.comm, plan.box);
  const int rank = plan.comm.rank();
  together(plan.comm, [&] { require_partition(theirs, plan.shape, rank); });
  Passages made{given.box, {}};
  for (int group = 0; group < plan.band_groups.count; ++group) {
    std::vector<Box> targets(ours.size());
    for (int member = 0; member < plan.band_groups.members; ++member) {
      const auto of = static_cast<std::size_t>(plan.band_groups.rank_of(group, member));
      targets[of] = ours[of];
    }
    Route route = route_of_boxes(rank, theirs, strides_of(given.box), targets, strides_of(plan.box));
    const ExchangeRequest request{.element = given.element, .target_memory = TargetMemory::own};
    auto exchange = make_exchange(plan.comm, route, request);
    made.of_groups.push_back({std::move(route), std::move(exchange)});
  }
  return made;
}

/// Calls move(patch of the target memory, patch of the plan's box, its first element in `values`) for each rank that
/// has elements at its source. `values` has the layout of the plan's box.
template <class Array, class Move>
void CallersBoxes::each_patch(Passage& passage, Array* values, const Move& move) {
  for (std::size_t q = 0; q < passage.route.target.size(); ++q) {
    const Patch& patch = passage.route.target[q];
    if (patch.size() == 0) continue;
    move(passage.exchange->target(static_cast<int>(q)), patch, values + patch.offset);
  }
}

template <class T>
void CallersBoxes::spread(const SpherePlan& plan, const Box& box, std::span<const T> values, std::span<T> here) {
  const std::int64_t fields = fields_of(plan, {box, values.size(), here.size(), sizeof(T)});
  auto& groups = kept_.at(sizeof(T)).of_groups;
  for (std::int64_t field = 0; field < fields; ++field) {
    for (int group = 0; group < plan.band_groups.count; ++group) {
      Passage& passage = groups[static_cast<std::size_t>(group)];
      std::copy_n(values.data() + field * box.volume(), box.volume(), reinterpret_cast<T*>(passage.exchange->source()));
      passage.exchange->start(Toward::target, Payload::values);
      passage.exchange->finish();
      if (plan.my_group == group) {
        const auto copy = [](const TargetPatch& from, const Patch& patch, T* into) {
          copy_patch(from.data, from.patch, reinterpret_cast<std::byte*>(into), patch, sizeof(T));
        };
        each_patch(passage, here.data() + field * plan.box.volume(), copy);
      }
      passage.exchange->start(Toward::source, Payload::release);  // the next values start at the source
      passage.exchange->finish();
    }
  }
}

template <class T>
void CallersBoxes::collect(const SpherePlan& plan, std::span<const T> here, const Box& box, std::span<T> values) {
  const std::int64_t fields = fields_of(plan, {box, values.size(), here.size(), sizeof(T)});
  auto& groups = kept_.at(sizeof(T)).of_groups;
  for (std::int64_t field = 0; field < fields; ++field) {
    for (int group = 0; group < plan.band_groups.count; ++group) {
      Passage& passage = groups[static_cast<std::size_t>(group)];
      passage.exchange->start(Toward::target, Payload::release);  // the values start at the target
      passage.exchange->finish();
      if (plan.my_group == group) {
        const auto copy = [](const TargetPatch& into, const Patch& patch, const T* from) {
          copy_patch(reinterpret_cast<const std::byte*>(from), patch, into.data, into.patch, sizeof(T));
        };
        each_patch(passage, here.data() + field * plan.box.volume(), copy);
      }
      passage.exchange->start(Toward::source, Payload::values);
      passage.exchange->finish();
      const T* arrived = reinterpret_cast<const T*>(passage.exchange->source());
      T* sums = values.data() + field * box.volume();
      for (std::int64_t i = 0; i < box.volume(); ++i) sums[i] += arrived[i];
    }
  }
}

#define SEICHE_VALUES_IN_BOXES(T)                                                                      \
  template void CallersBoxes::spread(const SpherePlan&, const Box&, std::span<const T>, std::span<T>); \
  template void CallersBoxes::collect(const SpherePlan&, std::span<const T>, const Box&, std::span<T>);
SEICHE_VALUES_IN_BOXES(double)
SEICHE_VALUES_IN_BOXES(std::complex<double>)

}  // namespace seiche
