// SPDX-License-Identifier: BSD-3-Clause
#include "fft/callers_boxes.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "comm/agree.hpp"
#include "exchange/copy_patch.hpp"
#include "exchange/exchange.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

std::array<std::int64_t, 3> strides_of(const Box& box) { return {1, box.size(0), box.size(0) * box.size(1)}; }

/// Collective.
std::vector<Box> boxes_of_ranks(const Communicator& comm, const Box& mine) {
  const auto& [x, y, z] = mine.axis;
  const auto all = join_all(comm, std::vector{x.low, x.high, y.low, y.high, z.low, z.high});
  std::vector<Box> boxes;
  for (auto end = all.begin(); end != all.end(); end += 6) {
    boxes.push_back({{Range{end[0], end[1]}, Range{end[2], end[3]}, Range{end[4], end[5]}}});
  }
  return boxes;
}

/// Collective.
std::vector<Box> callers_boxes(const SpherePlan& plan, const Box& mine, std::size_t given, std::size_t here) {
  const auto boxes = boxes_of_ranks(plan.comm, mine);
  together(plan.comm, [&] {
    require(given == static_cast<std::size_t>(mine.volume()) && here == static_cast<std::size_t>(plan.box.volume()),
            Fault::bad_argument, "fft: the caller's box has {} points, this rank's grid_box() {}; {} and {} were given",
            mine.volume(), plan.box.volume(), given, here);
    std::int64_t points = 0;
    for (const Box& box : boxes) {
      require(box.empty() || intersect(box, whole(plan.shape)) == box, Fault::bad_argument,
              "fft: a caller's box ends outside of the grid of {} x {} x {} points", plan.shape.nx, plan.shape.ny,
              plan.shape.nz);
      points += box.volume();
    }
    require(points == plan.shape.volume(), Fault::bad_argument,
            "fft: the callers' boxes have {} points, and the grid {}; each point belongs to one rank", points,
            plan.shape.volume());
  });
  return boxes;
}

/// Between the callers' boxes, its source, and the boxes of one band group, its target.
struct Passage {
  Route route;
  std::unique_ptr<Exchange> exchange;
};

/// Collective. One passage after the other: visit(passage, whether this rank is of the group).
void each_group(const SpherePlan& plan, const std::vector<Box>& theirs,
                const std::function<void(Passage&, bool mine)>& visit) {
  const auto ours = boxes_of_ranks(plan.comm, plan.box);
  const int rank = plan.comm.rank();
  const Box& box = theirs[static_cast<std::size_t>(rank)];
  for (int group = 0; group < plan.band_groups.count; ++group) {
    std::vector<Box> targets(ours.size());
    for (int member = 0; member < plan.band_groups.members; ++member) {
      const auto of = static_cast<std::size_t>(plan.band_groups.rank_of(group, member));
      targets[of] = ours[of];
    }
    Passage passage{route_of_boxes(rank, theirs, strides_of(box), targets, strides_of(plan.box)), nullptr};
    const ExchangeRequest request{.element = sizeof(double), .target_memory = TargetMemory::own};
    passage.exchange = make_exchange(plan.comm, passage.route, request);
    visit(passage, plan.my_group == group);
  }
}

/// move(patch of the exchange's memory, patch of an array laid out like the plan's box, at its first element) for all
/// that other ranks have.
template <class Values, class Move>
void each_patch(Passage& passage, Values* values, const Move& move) {
  for (std::size_t q = 0; q < passage.route.target.size(); ++q) {
    const Patch& patch = passage.route.target[q];
    if (patch.size() == 0) continue;
    move(passage.exchange->target(static_cast<int>(q)), patch, values + patch.offset);
  }
}

}  // namespace

void spread(const SpherePlan& plan, const Box& box, std::span<const double> values, std::span<double> here) {
  const auto theirs = callers_boxes(plan, box, values.size(), here.size());
  each_group(plan, theirs, [&](Passage& passage, bool mine) {
    std::copy(values.begin(), values.end(), reinterpret_cast<double*>(passage.exchange->source()));
    passage.exchange->start(Toward::target, Payload::values);
    passage.exchange->finish();
    if (!mine) return;
    each_patch(passage, here.data(), [](const TargetPatch& from, const Patch& patch, double* into) {
      copy_patch(from.data, from.patch, reinterpret_cast<std::byte*>(into), patch, sizeof(double));
    });
  });
}

void collect(const SpherePlan& plan, std::span<const double> here, const Box& box, std::span<double> values) {
  const auto theirs = callers_boxes(plan, box, values.size(), here.size());
  each_group(plan, theirs, [&](Passage& passage, bool mine) {
    passage.exchange->start(Toward::target, Payload::release);  // the values are to come from the target's end
    passage.exchange->finish();
    if (mine) {
      each_patch(passage, here.data(), [](const TargetPatch& into, const Patch& patch, const double* from) {
        copy_patch(reinterpret_cast<const std::byte*>(from), patch, into.data, into.patch, sizeof(double));
      });
    }
    passage.exchange->start(Toward::source, Payload::values);
    passage.exchange->finish();
    const auto* arrived = reinterpret_cast<const double*>(passage.exchange->source());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += arrived[i];
  });
}

}  // namespace seiche
