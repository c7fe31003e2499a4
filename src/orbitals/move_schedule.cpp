// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/move_schedule.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "support/require.hpp"

namespace seiche {

namespace {

Range intersect(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

/// Returns the block that two holdings share, with the positions of waves in `mine`.
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

/// Counts the elements of the first tasks of a batch, in the largest source or target of any rank. `whole` counts all
/// bands of each block, `least` one band. One reduction covers many further tasks.
class Sizes {
 public:
  Sizes(const Communicator& comm, const std::vector<RankBlocks>& rank_blocks, const std::vector<std::size_t>& order)
      : comm_(comm), rank_blocks_(rank_blocks), order_(order) {}
  /// Begins a batch at index `begin` of the order.
  void start(std::size_t begin) {
    begin_ = begin;
    sums_ = {};
    most_.clear();
  }
  /// Collective. Return the sizes of the first `tasks` tasks.
  std::int64_t whole(std::size_t tasks) { return tasks == 0 ? 0 : known(tasks)[2 * tasks - 2]; }
  std::int64_t least(std::size_t tasks) { return tasks == 0 ? 0 : known(tasks)[2 * tasks - 1]; }

 private:
  static constexpr std::int64_t all_at_once = 1, one_by_one = std::int64_t{1} << 40;
  static constexpr std::size_t first_look = 16;

  const std::vector<std::int64_t>& known(std::size_t tasks) {
    while (most_.size() < 2 * tasks) look_further();
    return most_;
  }
  void look_further() {
    const std::size_t from = most_.size() / 2, to = std::min(order_.size() - begin_, std::max(2 * from, first_look));
    together(comm_, [&] {
      for (std::size_t n = from; n < to; ++n) {
        const RankBlocks& task = rank_blocks_[order_[begin_ + n]];
        std::size_t at = 0;
        for (const std::int64_t rounds : {all_at_once, one_by_one}) {
          sums_[at] += RankBlocks::size(task.source, task.components, rounds);
          sums_[at + 1] += RankBlocks::size(task.target, task.components, rounds);
          most_.push_back(std::max(sums_[at], sums_[at + 1]));
          at += 2;
        }
      }
    });
    reduce_each(comm_, std::span(most_).subspan(2 * from), MPI_MAX);
  }

  const Communicator& comm_;
  const std::vector<RankBlocks>& rank_blocks_;
  const std::vector<std::size_t>& order_;
  std::size_t begin_ = 0;
  std::array<std::int64_t, 4> sums_{};  // of this rank: source and target, whole; source and target, least
  std::vector<std::int64_t> most_;      // for the first 1, 2, ... tasks: whole and least
};

/// Orders tasks so that neighbours differ in the first rank of the source or of the target. Tasks that are moved
/// together then occupy many ranks.
std::vector<std::size_t> interleaved(const std::vector<MoveTask>& tasks) {
  const auto home = [](const std::vector<Holding>& holdings) {
    return std::find_if(holdings.begin(), holdings.end(), [](const Holding& h) { return !h.empty(); }) -
           holdings.begin();
  };
  std::map<std::pair<std::ptrdiff_t, std::ptrdiff_t>, std::size_t> seen;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // number of earlier tasks with the same first ranks; task
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

/// Collective. Returns the end of the batch that begins at `begin`. With `side_by_side`, the batch has as many tasks as
/// fit. Otherwise it ends when it fills the limit on some rank and the next task increases this maximum. Small tasks
/// are then moved together, and tasks of other ranks join.
std::size_t end_of_batch(Sizes& sizes, const std::vector<std::size_t>& order, std::size_t begin, std::int64_t limit,
                         bool side_by_side) {
  sizes.start(begin);
  std::size_t end = begin;
  for (; end < order.size(); ++end) {
    const std::size_t before = end - begin;
    const std::int64_t least = sizes.least(before), whole = sizes.whole(before);
    const bool too_many = sizes.least(before + 1) > std::max(limit, least);
    const bool enough = !side_by_side && whole >= limit && sizes.whole(before + 1) > whole;
    if (end > begin && (too_many || enough)) break;
  }
  return end;
}

/// Collective. Chooses the number of rounds such that each source and target has at most `limit` elements per round. If
/// bands are small enough, an eighth of the limit stays free, so that slightly larger batches can use the same route.
Batch batch_of(const Communicator& comm, const std::vector<RankBlocks>& rank_blocks,
               const std::vector<std::size_t>& members, Sizes& sizes, std::int64_t limit) {
  const std::size_t tasks = members.size();
  const std::int64_t wanted = std::max<std::int64_t>({sizes.least(tasks), limit - limit / 8, 1});
  for (std::int64_t rounds = std::max<std::int64_t>(1, (sizes.whole(tasks) + wanted - 1) / wanted);;
       rounds += std::max<std::int64_t>(1, rounds / 8)) {
    std::optional<Batch> batch;
    std::int64_t size = 0;
    const auto fault = fault_of([&] {
      batch.emplace(rank_blocks, members, static_cast<std::size_t>(comm.size()), rounds);
      size = std::max(sum(batch->source_sizes()), sum(batch->target_sizes()));
    });
    if (bounds<1>(comm, {size}, fault)[0].second <= wanted) return std::move(*batch);
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
                                             const MoveRequest& request) {
  const auto room = [&](int slots) { return policy.memory / (2 * slots * element_size); };
  const int many = policy.window > 0 ? policy.window : usual_slots, few = std::min(many, move_stages);
  const Pace usual{many, std::min(room(many), request.bytes_of_round / element_size)}, slow{few, room(few)};
  const auto order = made_together(
      comm, [&] { return request.order == Order::as_given ? as_given(tasks.size()) : interleaved(tasks); });
  Sizes sizes(comm, rank_blocks, order);
  std::vector<ScheduledBatch> all;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    end = end_of_batch(sizes, order, begin, usual.limit, request.order == Order::side_by_side);
    const std::int64_t least = sizes.least(end - begin);
    const Pace& pace = least <= usual.limit ? usual : slow;
    std::vector<std::size_t> members;
    together(comm, [&] {
      require(least <= pace.limit, Fault::bad_argument,
              "a window of one band needs {} MB of memory on a rank, which exceeds the limit of {} MB: raise the "
              "limit, or use more processes",
              (2 * few * least * element_size >> 20) + 1, policy.memory >> 20);
      members.assign(order.data() + begin, order.data() + end);
      if (all.size() == all.capacity()) all.reserve(2 * all.size() + 1);
    });
    const bool stay = std::all_of(members.begin(), members.end(), [&](auto f) { return stays(tasks[f]); });
    all.push_back({batch_of(comm, rank_blocks, members, sizes, pace.limit), pace, stay});
  }
  return all;
}

}  // namespace seiche
