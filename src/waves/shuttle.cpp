// SPDX-License-Identifier: BSD-3-Clause
#include "waves/shuttle.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "comm/agree.hpp"
#include "exchange/exchange.hpp"
#include "pipeline/pipeline.hpp"
#include "waves/voyage.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

constexpr std::int64_t usual_memory = std::int64_t{64} << 20;

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
    agree_asleep(comm, run(voyage, exchanges, slots, {near, far}, [&](std::int64_t round) {
                   const double part = static_cast<double>(round + 1) / static_cast<double>(voyage.rounds());
                   const double done = static_cast<double>(carried) + static_cast<double>(voyage.freights()) * part;
                   if (options.progress) options.progress(done / static_cast<double>(freights.size()));
                 }));
    carried += voyage.freights();
  }
}

}  // namespace seiche
