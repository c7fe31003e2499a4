// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/pipeline.hpp"

namespace seiche {

Pipeline::Pipeline(int slots) : under_way_(static_cast<std::size_t>(slots)) {}

void Pipeline::run(std::int64_t items, const std::vector<Stage>& stages) {
  const auto slots = static_cast<std::int64_t>(under_way_.size());
  const auto last = static_cast<std::int64_t>(stages.size()) - 1;
  // Stage s of an item works `lag` turns after stage s - 1; an item holds its slot for last x lag + 1 turns.
  const std::int64_t lag = last == 0 ? 0 : (slots - 1) / last;
  if (lag == 0) {
    for (std::int64_t item = 0; item < items; ++item) {
      for (const Stage& stage : stages) step(stage, item, 0);
    }
    return;
  }
  for (std::int64_t turn = 0; turn < items + last * lag; ++turn) {
    for (std::int64_t s = last; s >= 0; --s) {
      const std::int64_t item = turn - s * lag;
      if (item >= 0 && item < items) {
        step(stages[static_cast<std::size_t>(s)], item, static_cast<int>(item % slots));
      }
    }
  }
}

void Pipeline::step(const Stage& stage, std::int64_t item, int slot) {
  auto& under_way = under_way_[static_cast<std::size_t>(slot)];
  for (const Departure& departure : under_way) departure.exchange->finish();
  under_way.clear();
  if (stage.work) stage.work(item, slot);
  under_way = stage.departs(slot);
  for (const Departure& departure : under_way) departure.exchange->start(departure.toward, departure.cargo);
}

void Pipeline::tick() {
  for (const auto& slot : under_way_) {
    for (const Departure& departure : slot) departure.exchange->poll();
  }
}

}  // namespace seiche
