// SPDX-License-Identifier: BSD-3-Clause
#include "waves/shuttle.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "comm/agree.hpp"
#include "exchange/exchange.hpp"
#include "pipeline/pipeline.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr std::int64_t usual_memory = std::int64_t{64} << 20;
constexpr std::int64_t largest_block = std::int64_t{4} << 20;  // at each end of a slot; larger blocks leave the caches
constexpr int stages = 4;
constexpr int most_slots = 2 * (stages - 1) + 1;  // each stage two turns behind the one before
constexpr std::int64_t element_size = sizeof(Complex);

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

/// What this rank shares with another.
struct Shared {
  std::size_t rank = 0;
  Lot lot;
  std::int64_t size(std::int64_t components, std::int64_t rounds) const {
    return (lot.bands.size() + rounds - 1) / rounds * components * lot.waves;
  }
};

/// All lots of one freight at both ends of this rank.
struct Lots {
  Lots(const Freight& freight, std::size_t index, int rank) : components(freight.components) {
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
  static std::int64_t size(const std::vector<Shared>& end, std::int64_t components, std::int64_t rounds) {
    std::int64_t sum = 0;
    for (const Shared& shared : end) sum += shared.size(components, rounds);
    return sum;
  }

  std::int64_t components;
  std::vector<Shared> near, far;
};

/// Freights that travel side by side, in `rounds` parts.
class Batch {
 public:
  Batch(const std::vector<Lots>& lots, const std::vector<std::size_t>& members, std::size_t ranks, std::int64_t rounds)
      : freights_(members.size()), rounds_(rounds) {
    near_.set_up(lots, members, &Lots::near, ranks, rounds);
    far_.set_up(lots, members, &Lots::far, ranks, rounds);
  }

  std::size_t freights() const { return freights_; }
  std::int64_t rounds() const { return rounds_; }
  /// Elements shared with each rank in a round.
  const std::vector<std::int64_t>& near_sizes() const { return near_.sizes; }
  const std::vector<std::int64_t>& far_sizes() const { return far_.sizes; }

  /// `memory(rank)` is where the elements shared with a rank lie.
  template <class Memory>
  std::vector<Load> near_loads(std::int64_t round, const Memory& memory) const {
    return loads(near_, round, memory);
  }
  template <class Memory>
  std::vector<Load> far_loads(std::int64_t round, const Memory& memory) const {
    return loads(far_, round, memory);
  }

 private:
  /// One end of the route: lots by rank, each with its place in the memory shared with that rank.
  struct End {
    std::vector<std::vector<std::pair<const Lot*, std::int64_t>>> lots;
    std::vector<std::int64_t> sizes;

    void set_up(const std::vector<Lots>& all, const std::vector<std::size_t>& members,
                const std::vector<Shared> Lots::*end, std::size_t ranks, std::int64_t rounds) {
      lots.resize(ranks);
      sizes.resize(ranks);
      for (const std::size_t f : members) {
        for (const Shared& shared : all[f].*end) {
          lots[shared.rank].emplace_back(&shared.lot, sizes[shared.rank]);
          sizes[shared.rank] += shared.size(all[f].components, rounds);
        }
      }
    }
  };

  /// The bands of each lot are spread over the rounds, so that every pair of ranks is busy in every round.
  template <class Memory>
  std::vector<Load> loads(const End& end, std::int64_t round, const Memory& memory) const {
    std::vector<Load> result;
    for (std::size_t q = 0; q < end.lots.size(); ++q) {
      if (end.lots[q].empty()) continue;
      Complex* data = memory(q);
      for (const auto& [lot, offset] : end.lots[q]) {
        const Range part = block(lot->bands.size(), static_cast<int>(rounds_), static_cast<int>(round));
        if (!part.empty())
          result.push_back({lot, {lot->bands.low + part.low, lot->bands.low + part.high}, data + offset});
      }
    }
    return result;
  }

  std::size_t freights_;
  std::int64_t rounds_;
  End near_, far_;
};

std::int64_t sum(const std::vector<std::int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

/// Batches that follow each other over one route, which is wide enough for each, so that the pipeline does not run
/// empty between them.
class Voyage {
 public:
  /// Collective. Takes the batch along if no end of any rank then exceeds `limit` elements, nor by a quarter what a
  /// batch has there. Takes the first one in any case.
  bool takes(const Communicator& comm, const Batch& batch, std::int64_t limit) {
    Voyage wider = *this;
    const bool fits = wider.near_.takes(batch.near_sizes(), limit) && wider.far_.takes(batch.far_sizes(), limit);
    if (!legs_.empty() && maximum(comm, std::int64_t{!fits}) > 0) return false;
    wider.legs_.push_back({&batch, rounds()});
    *this = std::move(wider);
    return true;
  }

  std::int64_t rounds() const { return legs_.empty() ? 0 : legs_.back().begin + legs_.back().batch->rounds(); }
  std::size_t freights() const {
    return std::accumulate(legs_.begin(), legs_.end(), std::size_t{0},
                           [](std::size_t n, const Leg& leg) { return n + leg.batch->freights(); });
  }
  Route route() const { return {sum(near_.sizes), sum(far_.sizes), near_.patches(), far_.patches()}; }

  /// `near`: this rank's near memory, laid out as route() says.
  std::vector<Load> near_loads(std::byte* near, std::int64_t round) const {
    const Leg& leg = leg_of(round);
    const auto patches = near_.patches();
    return leg.batch->near_loads(round - leg.begin,
                                 [&](std::size_t q) { return reinterpret_cast<Complex*>(near) + patches[q].offset; });
  }
  std::vector<Load> far_loads(Exchange& exchange, std::int64_t round) const {
    const Leg& leg = leg_of(round);
    return leg.batch->far_loads(round - leg.begin, [&](std::size_t q) {
      return reinterpret_cast<Complex*>(exchange.far(static_cast<int>(q)).data);
    });
  }

 private:
  struct Leg {
    const Batch* batch;
    std::int64_t begin;  ///< its first round
  };
  struct End {
    std::vector<std::int64_t> sizes;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();  ///< in all, of any batch

    bool takes(const std::vector<std::int64_t>& more, std::int64_t limit) {
      sizes.resize(more.size());
      for (std::size_t q = 0; q < more.size(); ++q) sizes[q] = std::max(sizes[q], more[q]);
      least = std::min(least, sum(more));
      return sum(sizes) <= std::min(limit, least + least / 4);
    }
    std::vector<Patch> patches() const {
      std::vector<Patch> all;
      std::int64_t offset = 0;
      for (const std::int64_t size : sizes) {
        all.push_back(row_patch(offset, size));
        offset += size;
      }
      return all;
    }
  };
  const Leg& leg_of(std::int64_t round) const {
    return *std::prev(std::upper_bound(legs_.begin(), legs_.end(), round,
                                       [](std::int64_t r, const Leg& leg) { return r < leg.begin; }));
  }

  std::vector<Leg> legs_;
  End near_, far_;
};

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

/// How many slots there are, and the elements that each end of one may have.
struct Pace {
  int slots;
  std::int64_t limit;
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

/// A batch, and how it travels.
struct Consignment {
  Batch batch;
  Pace pace;
  bool at_home;  ///< every rank keeps what it has
  bool like(const Consignment& other) const { return pace.slots == other.pace.slots && at_home == other.at_home; }
};

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

/// Collective. All freights, in the order in which they go.
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

/// An exchange whose waiting leaves the processor to others: while files are slow, there is nothing else to do, and the
/// threads that read and write need the cores.
class Patient : public Exchange {
 public:
  explicit Patient(std::unique_ptr<Exchange> inner) : inner_(std::move(inner)) {}
  std::byte* near() override { return inner_->near(); }
  FarPatch far(int rank) override { return inner_->far(rank); }
  void start(Toward toward, Cargo cargo) override { inner_->start(toward, cargo); }
  bool poll() override {
    constexpr int polls_before_sleep = 20;
    if (inner_->poll()) return true;
    if (++polls_ > polls_before_sleep) std::this_thread::sleep_for(std::chrono::microseconds(30));
    return false;
  }
  void finish() override {
    while (!poll()) sched_yield();
    polls_ = 0;
    inner_->finish();
  }

 private:
  std::unique_ptr<Exchange> inner_;
  int polls_ = 0;
};

/// What an exchange is where every rank keeps what it has: one memory for both ends, and nothing to wait for.
class AtHome : public Exchange {
 public:
  using Memory = std::shared_ptr<double[]>;
  AtHome(const Route& route, Memory memory) : route_(route), memory_(std::move(memory)) {}
  std::byte* near() override { return reinterpret_cast<std::byte*>(memory_.get()); }
  FarPatch far(int rank) override {
    const Patch& patch = route_.near[static_cast<std::size_t>(rank)];
    return {near() + patch.offset * element_size, patch};
  }
  void start(Toward, Cargo) override {}
  bool poll() override { return true; }
  void finish() override {}

 private:
  Route route_;
  Memory memory_;
};

bool same(const Route& a, const Route& b) {
  const auto same_patch = [](const Patch& p, const Patch& q) {
    return p.offset == q.offset && p.count == q.count && p.stride == q.stride;
  };
  const auto same_end = [&](const std::vector<Patch>& p, const std::vector<Patch>& q) {
    return std::equal(p.begin(), p.end(), q.begin(), q.end(), same_patch);
  };
  return a.near_size == b.near_size && a.far_size == b.far_size && same_end(a.near, b.near) && same_end(a.far, b.far);
}

/// The exchanges of a voyage's slots, parts of one memory. The next voyage takes them over where its route is the same
/// on all ranks: making them takes as long as many rounds.
class Slots {
 public:
  Slots(const Communicator& comm, Way way) : comm_(comm), way_(way) {}

  /// Collective. `at_home`: nothing travels, on any rank.
  void set_up(const Route& route, std::size_t count, bool at_home) {
    const bool fits = !exchanges_.empty() && at_home == at_home_ && count <= exchanges_.size() && same(route, route_);
    if (maximum(comm_, std::int64_t{!fits}) == 0) return;
    exchanges_.clear();
    route_ = route;
    at_home_ = at_home;
    std::vector<Route> parts;
    for (std::int64_t slot = 0; slot < static_cast<std::int64_t>(count); ++slot) {
      parts.push_back(in_slot(route, slot, static_cast<std::int64_t>(count)));
    }
    if (at_home) {
      const auto doubles = 2 * static_cast<std::size_t>(parts.front().near_size);
      const AtHome::Memory memory(new double[doubles]);
      for (const Route& part : parts) exchanges_.push_back(std::make_unique<AtHome>(part, memory));
    } else {
      const ExchangeRequest request{.way = way_, .element = sizeof(Complex), .cleared = false};
      for (auto& exchange : make_exchanges(comm_, parts, request)) {
        exchanges_.push_back(std::make_unique<Patient>(std::move(exchange)));
      }
    }
  }
  Exchange* operator[](int slot) const { return exchanges_[static_cast<std::size_t>(slot)].get(); }
  std::byte* near(int slot) const { return (*this)[slot]->near() + slot * route_.near_size * element_size; }
  void finish() const {
    for (const auto& under_way : exchanges_) under_way->finish();
  }

 private:
  const Communicator& comm_;
  Way way_;
  Route route_;
  bool at_home_ = false;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
};

struct Docks {
  Dock &near, &far;
};

/// Runs one voyage through the pipeline. \return what a dock threw on this rank: to be agreed on at the end, for
/// exchanges are collective
std::optional<Error> run(const Voyage& voyage, const Slots& exchanges, int slots, const Docks& docks,
                         const std::function<void(std::int64_t)>& after_round) {
  Dock &near = docks.near, &far = docks.far;
  const auto exchange = [&](int slot) { return exchanges[slot]; };
  const auto stays = [](int) { return Departures{}; };
  const auto leaves = [&](Toward toward, Cargo cargo) {
    return [&exchange, toward, cargo](int slot) { return Departures{{exchange(slot), toward, cargo}}; };
  };
  const Stage load{
      [&](std::int64_t round, int slot) { near.start(slot, voyage.near_loads(exchanges.near(slot), round)); }, stays};
  const Stage send{[&](std::int64_t, int slot) { near.finish(slot); }, leaves(Toward::far, Cargo::values)};
  const Stage unload{[&](std::int64_t round, int slot) { far.start(slot, voyage.far_loads(*exchange(slot), round)); },
                     stays};
  const Stage hand_back{[&](std::int64_t round, int slot) {
                          far.finish(slot);
                          after_round(round);
                        },
                        leaves(Toward::near, Cargo::nothing)};
  const auto fault = Pipeline(slots).run(voyage.rounds(), {load, send, unload, hand_back});
  near.settle();  // the memory of the exchanges goes away, or to others
  far.settle();
  exchanges.finish();
  return fault;
}

}  // namespace

std::int64_t Holding::waves() const {
  std::int64_t sum = 0;
  for (const Range& run : runs) sum += run.size();
  return sum;
}

void carry(const Communicator& comm, const std::vector<Freight>& freights, Dock& near, Dock& far,
           const MoveOptions& options) {
  std::vector<Lots> lots;
  for (std::size_t f = 0; f < freights.size(); ++f) lots.emplace_back(freights[f], f, comm.rank());
  const std::int64_t memory = options.memory > 0 ? options.memory : usual_memory;
  const auto all = consign(comm, freights, lots, memory, near.abreast() || far.abreast());
  Slots exchanges(comm, options.way);
  std::size_t carried = 0;
  for (std::size_t next = 0; next < all.size();) {
    const Consignment& first = all[next];
    Voyage voyage;
    while (next < all.size() && all[next].like(first) && voyage.takes(comm, all[next].batch, first.pace.limit)) ++next;
    const auto slots = static_cast<int>(std::clamp<std::int64_t>(voyage.rounds() + stages - 1, 1, first.pace.slots));
    exchanges.set_up(voyage.route(), static_cast<std::size_t>(slots), first.at_home);
    agree(comm, run(voyage, exchanges, slots, {near, far}, [&](std::int64_t round) {
            const double part = static_cast<double>(round + 1) / static_cast<double>(voyage.rounds());
            const double done = static_cast<double>(carried) + static_cast<double>(voyage.freights()) * part;
            if (options.progress) options.progress(done / static_cast<double>(freights.size()));
          }));
    carried += voyage.freights();
  }
}

}  // namespace seiche
