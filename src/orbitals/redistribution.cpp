// SPDX-License-Identifier: BSD-3-Clause
#include "orbitals/redistribution.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "comm/agree.hpp"
#include "exchange/exchange.hpp"
#include "orbitals/schedule.hpp"
#include "pipeline/pipeline.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr std::int64_t usual_memory = std::int64_t{64} << 20;

/// An exchange whose waiting leaves the processor to others: while files are slow, there is nothing else to do, and the
/// threads that read and write need the cores.
class Patient : public Exchange {
 public:
  explicit Patient(std::unique_ptr<Exchange> inner) : inner_(std::move(inner)) {}
  std::byte* source() override { return inner_->source(); }
  TargetPatch target(int rank) override { return inner_->target(rank); }
  void start(Toward toward, Payload payload) override { inner_->start(toward, payload); }
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
  std::byte* source() override { return reinterpret_cast<std::byte*>(memory_.get()); }
  TargetPatch target(int rank) override {
    const Patch& patch = route_.source[static_cast<std::size_t>(rank)];
    return {source() + patch.offset * element_size, patch};
  }
  void start(Toward, Payload) override {}
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
  return a.source_size == b.source_size && a.target_size == b.target_size && same_end(a.source, b.source) &&
         same_end(a.target, b.target);
}

/// The exchanges of a schedule's slots, parts of one memory. The next schedule takes them over where its route is the
/// same on all ranks: making them takes as long as many rounds.
class Slots {
 public:
  Slots(const Communicator& comm, Algorithm algorithm) : comm_(comm), algorithm_(algorithm) {}

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
      const auto doubles = 2 * static_cast<std::size_t>(parts.front().source_size);
      const AtHome::Memory memory(new double[doubles]);
      for (const Route& part : parts) exchanges_.push_back(std::make_unique<AtHome>(part, memory));
    } else {
      const ExchangeRequest request{.algorithm = algorithm_, .element = sizeof(Complex), .cleared = false};
      for (auto& exchange : make_exchanges(comm_, parts, request)) {
        exchanges_.push_back(std::make_unique<Patient>(std::move(exchange)));
      }
    }
  }
  Exchange* operator[](int slot) const { return exchanges_[static_cast<std::size_t>(slot)].get(); }
  std::byte* source(int slot) const { return (*this)[slot]->source() + slot * route_.source_size * element_size; }
  void finish() const {
    for (const auto& in_flight : exchanges_) in_flight->finish();
  }

 private:
  const Communicator& comm_;
  Algorithm algorithm_;
  Route route_;
  bool at_home_ = false;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
};

struct Endpoints {
  Endpoint &source, &target;
};

/// Runs one schedule through the pipeline. \return what a endpoint threw on this rank: to be agreed on at the end, for
/// exchanges are collective
std::optional<Error> run(const TransferSchedule& schedule, const Slots& exchanges, int slots,
                         const Endpoints& endpoints, const std::function<void(std::int64_t)>& after_round) {
  Endpoint &source = endpoints.source, &target = endpoints.target;
  const auto exchange = [&](int slot) { return exchanges[slot]; };
  const auto stays = [](int) { return PostedExchanges{}; };
  const auto leaves = [&](Toward toward, Payload payload) {
    return [&exchange, toward, payload](int slot) { return PostedExchanges{{exchange(slot), toward, payload}}; };
  };
  const Stage load{
      [&](std::int64_t round, int slot) { source.start(slot, schedule.source_parts(exchanges.source(slot), round)); },
      stays};
  const Stage send{[&](std::int64_t, int slot) { source.finish(slot); }, leaves(Toward::target, Payload::values)};
  const Stage unload{
      [&](std::int64_t round, int slot) { target.start(slot, schedule.target_parts(*exchange(slot), round)); }, stays};
  const Stage hand_back{[&](std::int64_t round, int slot) {
                          target.finish(slot);
                          after_round(round);
                        },
                        leaves(Toward::source, Payload::release)};
  const auto fault = Pipeline(slots).run(schedule.rounds(), {load, send, unload, hand_back});
  source.drain();  // the memory of the exchanges goes away, or to others
  target.drain();
  exchanges.finish();
  return fault;
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
  Slots exchanges(comm, options.algorithm);
  std::size_t carried = 0;
  for (std::size_t next = 0; next < all.size();) {
    const ScheduledBatch& first = all[next];
    TransferSchedule schedule;
    while (next < all.size() && all[next].like(first) && schedule.takes(comm, all[next].batch, first.pace.limit))
      ++next;
    const auto slots =
        static_cast<int>(std::clamp<std::int64_t>(schedule.rounds() + move_stages - 1, 1, first.pace.slots));
    exchanges.set_up(schedule.route(), static_cast<std::size_t>(slots), first.at_home);
    agree_asleep(comm, run(schedule, exchanges, slots, {source, target}, [&](std::int64_t round) {
                   const double part = static_cast<double>(round + 1) / static_cast<double>(schedule.rounds());
                   const double done = static_cast<double>(carried) + static_cast<double>(schedule.tasks()) * part;
                   if (options.progress) options.progress(done / static_cast<double>(tasks.size()));
                 }));
    carried += schedule.tasks();
  }
}

}  // namespace seiche
