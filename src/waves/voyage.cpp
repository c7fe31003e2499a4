// SPDX-License-Identifier: BSD-3-Clause
#include "waves/voyage.hpp"

#include <algorithm>
#include <map>

#include "support/require.hpp"

namespace seiche {

namespace {

constexpr std::int64_t largest_block = std::int64_t{4} << 20;  // at each end of a slot; larger blocks leave the caches
constexpr int most_slots = 2 * (stages - 1) + 1;               // each stage two turns behind the one before

Range intersect(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

/// What `mine` and `theirs` have in common, seen from `mine`.
Lot common(std::size_t freight, const Holding& mine, const Holding& theirs) {
  Lot lot{freight, intersect(mine.bands, theirs.bands), {}, 0};
  if (lot.bands.empty()) return lot;
  std::int64_t first = 0;
  auto other = theirs.runs.begin();
  for (const Range& run : mine.runs) {
    while (other != theirs.runs.end() && other->high <= run.low) ++other;
    for (auto next = other; next != theirs.runs.end() && next->low < run.high; ++next) {
      const Range both = intersect(run, *next);
      lot.fragments.push_back({first + both.low - run.low, both.size()});
      lot.waves += both.size();
    }
    first += run.size();
  }
  return lot;
}

/// How many elements each freight puts at the fuller end of each rank: with one band of each lot, and with all.
class Sizes {
 public:
  Sizes(const Communicator& comm, const std::vector<Lots>& lots) : freights_(lots.size()) {
    std::vector<std::int64_t> mine;
    for (const Lots& l : lots) {
      for (const std::int64_t rounds : {all_at_once, one_by_one}) {
        mine.push_back(Lots::size(l.near, l.components, rounds));
        mine.push_back(Lots::size(l.far, l.components, rounds));
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
  void add(std::size_t freight, std::int64_t sign = +1) {
    for (std::size_t end = 0; end < whole_.size(); ++end) {
      const std::size_t at = 4 * ((end / 2) * freights_ + freight) + end % 2;
      whole_[end] += sign * table_[at];
      least_[end] += sign * table_[at + 2];
    }
  }
  std::int64_t whole() const { return *std::max_element(whole_.begin(), whole_.end()); }
  std::int64_t least() const { return *std::max_element(least_.begin(), least_.end()); }

 private:
  static constexpr std::int64_t all_at_once = 1, one_by_one = std::int64_t{1} << 40;
  std::size_t freights_;
  std::vector<std::int64_t> table_, whole_, least_;
};

/// Freights of different homes beside each other, so that those that travel together keep many ranks busy.
std::vector<std::size_t> interleaved(const std::vector<Freight>& freights) {
  const auto home = [](const std::vector<Holding>& holdings) {
    return std::find_if(holdings.begin(), holdings.end(), [](const Holding& h) { return !h.empty(); }) -
           holdings.begin();
  };
  std::map<std::pair<std::ptrdiff_t, std::ptrdiff_t>, std::size_t> seen;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // how many of the same homes came before
  for (std::size_t f = 0; f < freights.size(); ++f) {
    order.emplace_back(seen[{home(freights[f].from), home(freights[f].to)}]++, f);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> result;
  for (const auto& entry : order) result.push_back(entry.second);
  return result;
}

bool stays(const Freight& freight) {
  const auto same = [](const Holding& a, const Holding& b) { return a.bands == b.bands && a.runs == b.runs; };
  return std::equal(freight.from.begin(), freight.from.end(), freight.to.begin(), freight.to.end(), same);
}

/// The end of those that travel side by side from `begin` on: as many as there is room for, or, where each is better
/// read and written in long stretches, so few that small ones go together, and all ranks have something to do. `sizes`
/// are then theirs.
std::size_t end_of_batch(Sizes& sizes, const std::vector<std::size_t>& order, std::size_t begin, std::int64_t limit,
                         bool abreast) {
  sizes.clear();
  std::size_t end = begin;
  for (; end < order.size(); ++end) {
    const std::int64_t least = sizes.least(), whole = sizes.whole();
    sizes.add(order[end]);
    const bool too_many = sizes.least() > std::max(limit, least);
    const bool enough = !abreast && whole >= limit && sizes.whole() > whole;
    if (end == begin || !(too_many || enough)) continue;
    sizes.add(order[end], -1);
    break;
  }
  return end;
}

/// Collective. In so many rounds that no end of any rank has more than `limit` elements in one; a little less where
/// bands allow it, so that batches with a few more waves can follow on the same route.
Batch batch_of(const Communicator& comm, const std::vector<Lots>& lots, const std::vector<std::size_t>& members,
               const Sizes& sizes, std::int64_t limit) {
  const std::int64_t wanted = std::max<std::int64_t>({sizes.least(), limit - limit / 8, 1});
  for (std::int64_t rounds = std::max<std::int64_t>(1, (sizes.whole() + wanted - 1) / wanted);;
       rounds += std::max<std::int64_t>(1, rounds / 8)) {
    Batch batch(lots, members, static_cast<std::size_t>(comm.size()), rounds);
    if (maximum(comm, std::max(sum(batch.near_sizes()), sum(batch.far_sizes()))) <= wanted) return batch;
  }
}

}  // namespace

Lots::Lots(const Freight& freight, std::size_t index, int rank) : components(freight.components) {
  const auto me = static_cast<std::size_t>(rank);
  const auto add = [&](std::vector<Shared>& end, const Holding& mine, const std::vector<Holding>& theirs) {
    if (mine.empty()) return;
    for (std::size_t q = 0; q < theirs.size(); ++q) {
      Lot lot = common(index, mine, theirs[q]);
      if (lot.waves > 0) end.push_back({q, std::move(lot)});
    }
  };
  add(near, freight.from[me], freight.to);
  add(far, freight.to[me], freight.from);
}

std::vector<Consignment> consign(const Communicator& comm, const std::vector<Freight>& freights,
                                 const std::vector<Lots>& lots, std::int64_t memory, bool abreast) {
  const auto room = [&](int slots) { return memory / (2 * slots * element_size); };
  const Pace usual{most_slots, std::min(room(most_slots), largest_block / element_size)}, slow{stages, room(stages)};
  const auto order = interleaved(freights);
  Sizes sizes(comm, lots);
  std::vector<Consignment> all;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    end = end_of_batch(sizes, order, begin, usual.limit, abreast);
    const std::vector<std::size_t> members(order.data() + begin, order.data() + end);
    const Pace& pace = sizes.least() <= usual.limit ? usual : slow;
    require(sizes.least() <= pace.limit, Fault::bad_argument,
            "one band at a time needs {} MB of memory on a process where {} MB are allowed; allow more, or use more "
            "processes",
            (2 * stages * sizes.least() * element_size >> 20) + 1, memory >> 20);
    const bool at_home = std::all_of(members.begin(), members.end(), [&](auto f) { return stays(freights[f]); });
    all.push_back({batch_of(comm, lots, members, sizes, pace.limit), pace, at_home});
  }
  return all;
}

}  // namespace seiche
