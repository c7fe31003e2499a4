// SPDX-License-Identifier: BSD-3-Clause
/// \file  The engine's schedule, watched through exchanges that only take notes.
#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "support/mpi_test.hpp"
#include "tuning/tuner.hpp"

namespace seiche::testing {
namespace {

/// Carries one number; complains when touched while on its way.
class Notes : public Exchange {
 public:
  std::byte* source() override { return nullptr; }
  TargetPatch target(int) override { return {}; }
  void start(Toward, Payload) override {
    EXPECT_FALSE(in_flight);
    in_flight = true;
    ++starts;
  }
  bool poll() override {
    ++polls;
    return true;
  }
  void finish() override { in_flight = false; }
  bool in_flight = false;
  std::int64_t item = -1, stage = -1, starts = 0, polls = 0;
};

struct Watched {
  std::int64_t most_in_flight = 0, worked = 0, overlapped = 0;
};

/// Three stages over `items` items in `slots` slots.
Watched watch(int slots, std::int64_t items) {
  std::vector<Notes> exchange(static_cast<std::size_t>(slots));
  std::map<std::int64_t, std::int64_t> stage_of;  // of items in flight
  Watched seen;
  Pipeline pipeline(slots);
  std::vector<Stage> stages;
  for (std::int64_t s = 0; s < 3; ++s) {
    stages.push_back({[&, s](std::int64_t item, int slot) {
                        Notes& notes = exchange[static_cast<std::size_t>(slot)];
                        EXPECT_FALSE(notes.in_flight) << "stage works before its values arrived";
                        if (s > 0) {
                          EXPECT_EQ(notes.item, item) << "another item has taken the slot";
                          EXPECT_EQ(notes.stage, s - 1);
                        }
                        notes.item = item;
                        notes.stage = s;
                        stage_of[item] = s;
                        seen.most_in_flight = std::max(seen.most_in_flight, std::int64_t(stage_of.size()));
                        seen.overlapped +=
                            std::any_of(exchange.begin(), exchange.end(), [](auto& e) { return e.in_flight; });
                        if (s == 2) stage_of.erase(item);
                        ++seen.worked;
                        pipeline.poll();
                      },
                      [&](int slot) { return PostedExchanges{{&exchange[static_cast<std::size_t>(slot)]}}; }});
  }
  pipeline.run(items, stages);
  pipeline.run(1, stages);  // what the first run left under way is finished first
  EXPECT_TRUE(stage_of.empty());
  compared(seen.worked);
  return seen;
}

TEST(Pipeline, EveryItemPassesEveryStageInOrder) {
  for (const int slots : {1, 2, 3, 5, 9}) {
    for (const std::int64_t items : {0, 1, 2, 7, 20}) EXPECT_EQ(watch(slots, items).worked, 3 * (items + 1));
  }
}

TEST(Pipeline, HoldsNoMoreItemsThanSlots) {
  EXPECT_EQ(watch(1, 10).most_in_flight, 1);
  EXPECT_EQ(watch(3, 10).most_in_flight, 3);
  EXPECT_LE(watch(4, 10).most_in_flight, 4);
  EXPECT_EQ(watch(5, 10).most_in_flight, 5);
}

TEST(Pipeline, WorksWhileOthersAreOnTheirWay) { EXPECT_GT(watch(3, 10).overlapped, 15); }

using Rounds = std::vector<std::vector<double>>;

TEST(Tuner, TakesTheFastestThatGainsEnough) {
  EXPECT_EQ(fastest({{10, 10, 10, 10}, {9, 9, 9, 9}, {8, 8, 8, 8}}), 2U);
  EXPECT_EQ(fastest({{10, 10, 10, 10}, {9.9, 9.9, 9.9, 9.9}}), 0U) << "1 % is not enough";
  EXPECT_EQ(fastest({{10, 10, 10, 10}}), 0U);
  compared(3);
}

TEST(Tuner, ComparesRoundByRound) {
  // the machine becomes twice as slow half-way; the second was dropped before
  EXPECT_EQ(fastest({{10, 10, 10, 20, 20, 20}, {11, 11, 11}, {9, 9, 9, 18, 18, 18}}), 2U);
  EXPECT_EQ(fastest({{10, 10, 10, 20, 20, 20}, {11, 11, 11}}), 0U);
  compared(2);
}

TEST(Tuner, NoiseIsNoGain) {
  EXPECT_EQ(fastest({{10, 12, 9, 14, 10, 11, 13, 9}, {9, 13, 8, 13, 12, 10, 14, 8}}), 0U) << "five rounds of eight";
  EXPECT_EQ(fastest({{10, 12, 9, 14, 10, 11, 13, 9}, {9, 11, 8, 13, 12, 10, 12, 8}}), 1U) << "seven rounds of eight";
  compared(2);
}

}  // namespace
}  // namespace seiche::testing
