// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/schedule.hpp"

#include <algorithm>
#include <map>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::int64_t largest_block = std::int64_t{4} << 20;  // at each end of a slot; larger blocks leave the caches

Range intersect(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

/// What `mine` and `theirs` have in common, seen from `mine`.
RankBlock common(std::size_t task, const Holding& mine, const Holding& theirs) {
  RankBlock rank_block{task, intersect(mine.bands, theirs.bands), {}, 0};
  if (rank_block.bands.empty()) return rank_block;
  std::int64_t first = 0;
  auto other = theirs.runs.begin();
  for (const Range& run : mine.runs) {
    while (other != theirs.runs.end() && other->high <= run.low) ++other;
    for (auto next = other; next != theirs.runs.end() && next->low < run.high; ++next) {
      const Range both = intersect(run, *next);
      rank_block.fragments.push_back({first + both.low - run.low, both.size()});
      rank_block.waves += both.size();
    }
    first += run.size();
  }
  return rank_block;
}

/// How many elements each task puts at the fuller end of each rank: with one band of each block, and with all.
class Sizes {
 public:
  Sizes(const Communicator& comm, const std::vector<RankBlocks>& rank_blocks) : tasks_(rank_blocks.size()) {
    std::vector<std::int64_t> mine;
    for (const RankBlocks& l : rank_blocks) {
      for (const std::int64_t rounds : {all_at_once, one_by_one}) {
        mine.push_back(RankBlocks::size(l.source, l.components, rounds));
        mine.push_back(RankBlocks::size(l.target, l.components, rounds));
      }
    }
    table_ = join_all(comm, mine);
    whole_.assign(2 * static_cast<std::size_t>(comm.size()), 0);
    least_ = whole_;
  }
  void clear() {
    std::fill(whole_.begin(), whole_.end(), 0);
    std::fill(least_.begin(), least_.end(), 0);
  }
  void add(std::size_t task, std::int64_t sign = +1) {
    for (std::size_t end = 0; end < whole_.size(); ++end) {
      const std::size_t at = 4 * ((end / 2) * tasks_ + task) + end % 2;
      whole_[end] += sign * table_[at];
      least_[end] += sign * table_[at + 2];
    }
  }
  std::int64_t whole() const { return *std::max_element(whole_.begin(), whole_.end()); }
  std::int64_t least() const { return *std::max_element(least_.begin(), least_.end()); }

 private:
  static constexpr std::int64_t all_at_once = 1, one_by_one = std::int64_t{1} << 40;
  std::size_t tasks_;
  std::vector<std::int64_t> table_, whole_, least_;
};

/// Tasks of different homes beside each other, so that those that travel together keep many ranks busy.
std::vector<std::size_t> interleaved(const std::vector<MoveTask>& tasks) {
  const auto home = [](const std::vector<Holding>& holdings) {
    return std::find_if(holdings.begin(), holdings.end(), [](const Holding& h) { return !h.empty(); }) -
           holdings.begin();
  };
  std::map<std::pair<std::ptrdiff_t, std::ptrdiff_t>, std::size_t> seen;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // how many of the same homes came before
  for (std::size_t f = 0; f < tasks.size(); ++f) {
    order.emplace_back(seen[{home(tasks[f].from), home(tasks[f].to)}]++, f);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> result;
  for (const auto& entry : order) result.push_back(entry.second);
  return result;
}

std::vector<std::size_t> as_given(std::size_t tasks) {
  std::vector<std::size_t> order(tasks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

bool stays(const MoveTask& task) {
  const auto same_bands = [](const Holding& a, const Holding& b) { return a.bands == b.bands && a.runs == b.runs; };
  return std::equal(task.from.begin(), task.from.end(), task.to.begin(), task.to.end(), same_bands);
}

/// The end of those that travel side by side from `begin` on: as many as there is room for, or, where each is better
/// read and written in long stretches, so few that small ones go together, and all ranks have something to do. `sizes`
/// are then theirs.
std::size_t end_of_batch(Sizes& sizes, const std::vector<std::size_t>& order, std::size_t begin, std::int64_t limit,
                         bool side_by_side) {
  sizes.clear();
  std::size_t end = begin;
  for (; end < order.size(); ++end) {
    const std::int64_t least = sizes.least(), whole = sizes.whole();
    sizes.add(order[end]);
    const bool too_many = sizes.least() > std::max(limit, least);
    const bool enough = !side_by_side && whole >= limit && sizes.whole() > whole;
    if (end == begin || !(too_many || enough)) continue;
    sizes.add(order[end], -1);
    break;
  }
  return end;
}

/// Collective. In so many rounds that no end of any rank has more than `limit` elements in one; a little less where
/// bands allow it, so that batches with a few more waves can follow on the same route.
Batch batch_of(const Communicator& comm, const std::vector<RankBlocks>& rank_blocks,
               const std::vector<std::size_t>& members, const Sizes& sizes, std::int64_t limit) {
  const std::int64_t wanted = std::max<std::int64_t>({sizes.least(), limit - limit / 8, 1});
  for (std::int64_t rounds = std::max<std::int64_t>(1, (sizes.whole() + wanted - 1) / wanted);;
       rounds += std::max<std::int64_t>(1, rounds / 8)) {
    Batch batch(rank_blocks, members, static_cast<std::size_t>(comm.size()), rounds);
    if (maximum(comm, std::max(sum(batch.source_sizes()), sum(batch.target_sizes()))) <= wanted) return batch;
  }
}

}  // namespace

RankBlocks::RankBlocks(const MoveTask& task, std::size_t index, int rank) : components(task.components) {
  const auto me = static_cast<std::size_t>(rank);
  const auto add = [&](std::vector<Shared>& end, const Holding& mine, const std::vector<Holding>& theirs) {
    if (mine.empty()) return;
    for (std::size_t q = 0; q < theirs.size(); ++q) {
      RankBlock rank_block = common(index, mine, theirs[q]);
      if (rank_block.waves > 0) end.push_back({q, std::move(rank_block)});
    }
  };
  add(source, task.from[me], task.to);
  add(target, task.to[me], task.from);
}

std::vector<ScheduledBatch> schedule_batches(const Communicator& comm, const std::vector<MoveTask>& tasks,
                                             const std::vector<RankBlocks>& rank_blocks, const Policy& policy,
                                             Order wanted) {
  const auto room = [&](int slots) { return policy.memory / (2 * slots * element_size); };
  const int many = policy.window > 0 ? policy.window : usual_slots, few = std::min(many, move_stages);
  const Pace usual{many, std::min(room(many), largest_block / element_size)}, slow{few, room(few)};
  const auto order = wanted == Order::as_given ? as_given(tasks.size()) : interleaved(tasks);
  Sizes sizes(comm, rank_blocks);
  std::vector<ScheduledBatch> all;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    end = end_of_batch(sizes, order, begin, usual.limit, wanted == Order::side_by_side);
    const std::vector<std::size_t> members(order.data() + begin, order.data() + end);
    const Pace& pace = sizes.least() <= usual.limit ? usual : slow;
    require(sizes.least() <= pace.limit, Fault::bad_argument,
            "one band at a time needs {} MB of memory on a process where {} MB are allowed; allow more, or use more "
            "processes",
            (2 * few * sizes.least() * element_size >> 20) + 1, policy.memory >> 20);
    const bool stay = std::all_of(members.begin(), members.end(), [&](auto f) { return stays(tasks[f]); });
    all.push_back({batch_of(comm, rank_blocks, members, sizes, pace.limit), pace, stay});
  }
  return all;
}

}  // namespace seiche
