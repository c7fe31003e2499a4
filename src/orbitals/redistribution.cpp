// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/redistribution.hpp"

#include <algorithm>
#include <memory>

#include "comm/agree.hpp"
#include "exchange/exchange.hpp"
#include "orbitals/schedule.hpp"
#include "pipeline/pipeline.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr std::int64_t usual_memory = std::int64_t{64} << 20;

bool same(const Route& a, const Route& b) {
  const auto same_patch = [](const Patch& p, const Patch& q) {
    return p.offset == q.offset && p.count == q.count && p.stride == q.stride;
  };
  const auto same_end = [&](const std::vector<Patch>& p, const std::vector<Patch>& q) {
    return std::equal(p.begin(), p.end(), q.begin(), q.end(), same_patch);
  };
  return a.source_size == b.source_size && a.target_size == b.target_size && same_end(a.source, b.source) &&
         same_end(a.target, b.target);
}

/// The exchanges of a schedule's slots, parts of one memory. The next schedule takes them over where its route is the
/// same on all ranks: making them takes as long as many rounds.
class Slots {
 public:
  explicit Slots(const Communicator& comm) : comm_(comm) {}

  /// Collective.
  void set_up(const Route& route, std::int64_t count, Algorithm algorithm) {
    const bool fits =
        algorithm == algorithm_ && count <= static_cast<std::int64_t>(exchanges_.size()) && same(route, route_);
    if (maximum(comm_, std::int64_t{!fits}) == 0) return;
    exchanges_.clear();
    route_ = route;
    algorithm_ = algorithm;
    std::vector<Route> parts;
    for (std::int64_t slot = 0; slot < count; ++slot) parts.push_back(in_slot(route, slot, count));
    exchanges_ = make_exchanges(comm_, parts, {.algorithm = algorithm, .element = sizeof(Complex), .cleared = false});
  }
  Exchange& operator[](int slot) const { return *exchanges_[static_cast<std::size_t>(slot)]; }

 private:
  const Communicator& comm_;
  Algorithm algorithm_ = Algorithm::automatic;
  Route route_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
};

/// Both ends of the way; whatever becomes of it, nothing is left in the background: memory goes away, or to others.
struct Endpoints {
  Endpoint &source, &target;
  ~Endpoints() {
    source.drain();
    target.drain();
  }
};

/// Collective. Runs one schedule through the pipeline. While files are slow there is nothing else to do, and the
/// threads that read and write need the cores.
void run(const Communicator& comm, const TransferSchedule& schedule, const Slots& exchanges, int slots,
         Endpoint& source, Endpoint& target, const std::function<void(std::int64_t)>& after_round) {
  const Endpoints endpoints{source, target};
  const auto leaves = [&](Toward toward, Payload payload) {
    return [&exchanges, toward, payload](std::int64_t, int slot) {
      return PostedExchanges{{&exchanges[slot], toward, payload}};
    };
  };
  const Stage load{
      [&](std::int64_t round, int slot) { source.start(slot, schedule.source_parts(exchanges[slot].source(), round)); },
      nullptr};
  const Stage send{[&](std::int64_t, int slot) { source.finish(slot); }, leaves(Toward::target, Payload::values)};
  const Stage unload{
      [&](std::int64_t round, int slot) { target.start(slot, schedule.target_parts(exchanges[slot], round)); },
      nullptr};
  const Stage hand_back{[&](std::int64_t round, int slot) {
                          target.finish(slot);
                          after_round(round);
                        },
                        leaves(Toward::source, Payload::release)};
  Pipeline(comm, slots).run(schedule.rounds(), {load, send, unload, hand_back}, {.waiting = Waiting::sleeping});
}

}  // namespace

std::int64_t Holding::waves() const {
  std::int64_t sum = 0;
  for (const Range& run : runs) sum += run.size();
  return sum;
}

void carry(const Communicator& comm, const std::vector<MoveTask>& tasks, Endpoint& source, Endpoint& target,
           const MoveOptions& options) {
  std::vector<RankBlocks> rank_blocks;
  for (std::size_t f = 0; f < tasks.size(); ++f) rank_blocks.emplace_back(tasks[f], f, comm.rank());
  const std::int64_t memory = options.memory > 0 ? options.memory : usual_memory;
  const auto all = schedule_batches(comm, tasks, rank_blocks, memory, source.k_interleaved() || target.k_interleaved());
  Slots exchanges(comm);
  std::size_t carried = 0;
  for (std::size_t next = 0; next < all.size();) {
    const ScheduledBatch& first = all[next];
    TransferSchedule schedule;
    while (next < all.size() && all[next].like(first) && schedule.takes(comm, all[next].batch, first.pace.limit))
      ++next;
    const auto slots =
        static_cast<int>(std::clamp<std::int64_t>(schedule.rounds() + move_stages - 1, 1, first.pace.slots));
    exchanges.set_up(schedule.route(), slots, first.stays ? Algorithm::local : options.algorithm);
    run(comm, schedule, exchanges, slots, source, target, [&](std::int64_t round) {
      const double part = static_cast<double>(round + 1) / static_cast<double>(schedule.rounds());
      const double done = static_cast<double>(carried) + static_cast<double>(schedule.tasks()) * part;
      if (options.progress) options.progress(done / static_cast<double>(tasks.size()));
    });
    carried += schedule.tasks();
  }
}

}  // namespace seiche
