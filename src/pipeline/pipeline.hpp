// SPDX-License-Identifier: BSD-3-Clause
/// \file  The engine: carries items through stages of work and exchange with a bounded number of items in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "exchange/exchange.hpp"

namespace seiche {

/// An exchange that leaves after a stage's work.
struct Departure {
  Exchange* exchange = nullptr;
  Toward toward = Toward::far;
  Cargo cargo = Cargo::values;
};

/// Work on one item in the memory of one slot, then the departure of what it made. Each slot has its own exchanges.
struct Stage {
  std::function<void(std::int64_t item, int slot)> work;
  std::function<std::vector<Departure>(int slot)> departs;
};

/// Items go through all stages in order; what a stage sent off has arrived before the slot's next stage works. With w
/// slots at most w items are in flight: while one item's values are on their way, others are worked on. The schedule is
/// the same on all ranks. Departures of an item's last stage are completed before its slot is used again.
class Pipeline {
 public:
  /// \pre slots >= 1. Fewer slots than stages: one item at a time.
  explicit Pipeline(int slots);

  void run(std::int64_t items, const std::vector<Stage>& stages);

  /// For stages to call between tiles of work: gives MPI the chance to progress what is under way.
  void tick();

 private:
  void step(const Stage& stage, std::int64_t item, int slot);
  std::vector<std::vector<Departure>> under_way_;  // by slot
};

}  // namespace seiche
