// SPDX-License-Identifier: BSD-3-Clause
/// \file  The engine's schedule, watched through exchanges that only take notes.
#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <thread>

#include "pipeline/notes.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

struct Watched {
  std::int64_t most_in_flight = 0, worked = 0, overlapped = 0;
};

/// Three stages over `items` items in `slots` slots.
Watched watch(int slots, std::int64_t items) {
  std::vector<Notes> exchange(static_cast<std::size_t>(slots));
  std::map<std::int64_t, std::int64_t> stage_of;  // of items in flight
  Watched seen;
  Pipeline pipeline(Communicator(MPI_COMM_WORLD), slots);
  std::vector<Stage> stages;
  for (std::int64_t s = 0; s < 3; ++s) {
    stages.push_back(
        {[&, s](std::int64_t item, int slot) {
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
           seen.overlapped += std::any_of(exchange.begin(), exchange.end(), [](auto& e) { return e.in_flight; });
           if (s == 2) stage_of.erase(item);
           ++seen.worked;
           pipeline.poll();
         },
         [&](std::int64_t, int slot) { return PostedExchanges{{&exchange[static_cast<std::size_t>(slot)]}}; }});
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
  EXPECT_EQ(watch(4, 10).most_in_flight, 4);
  EXPECT_EQ(watch(5, 10).most_in_flight, 5);
}

TEST(Pipeline, WorksWhileOthersAreOnTheirWay) { EXPECT_GT(watch(3, 10).overlapped, 15); }

/// Stages that keep a log of their work; each sends off one exchange for each item.
struct Logged {
  struct Step {
    std::int64_t stage, item;
    int slot;
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<Notes> exchange;
  std::vector<Step> work, posted;
  std::vector<Stage> stages;
  std::function<void(const Step&)> also = nullptr;  ///< what a stage does beside its log

  Logged(int slots, std::int64_t count) : exchange(static_cast<std::size_t>(slots)) {
    for (std::int64_t s = 0; s < count; ++s) {
      stages.push_back({[this, s](std::int64_t item, int slot) {
                          work.push_back({s, item, slot});
                          if (also) also(work.back());
                        },
                        [this, s](std::int64_t item, int slot) {
                          posted.push_back({s, item, slot});
                          return PostedExchanges{{&exchange[static_cast<std::size_t>(slot)]}};
                        }});
    }
  }
  std::int64_t started() const { return sum(&Notes::starts); }
  std::int64_t finished() const { return sum(&Notes::finishes); }
  std::int64_t sum(std::int64_t Notes::*number) const {
    std::int64_t total = 0;
    for (const Notes& one : exchange) total += one.*number;
    return total;
  }
};

TEST(Pipeline, DrainCompletesExchanges) {
  Logged log(3, 3);
  {
    Pipeline pipeline(world(), 3);
    pipeline.run(7, log.stages);
    EXPECT_EQ(log.started(), 21);
    EXPECT_EQ(log.finished(), 18) << "the last departure of each slot is left on its way";
    pipeline.drain();
    EXPECT_EQ(log.finished(), 21);
    pipeline.run(1, log.stages);
  }
  EXPECT_EQ(log.finished(), 24) << "its end settles";
  compared(4);
}

TEST(Pipeline, ItemsThatComeByAndByTakeTheSameSteps) {
  for (const int slots : {1, 2, 3, 5}) {
    Logged at_once(slots, 3), batches(slots, 3);
    Pipeline(world(), slots).run(11, at_once.stages);
    Pipeline pipeline(world(), slots);
    auto run = pipeline.start(batches.stages);
    std::int64_t fed = 0;
    for (const std::int64_t more : {1, 3, 0, 7}) {
      run.feed(more);
      fed += more;
      const auto entered =
          std::count_if(batches.work.begin(), batches.work.end(), [](auto& w) { return w.stage == 0; });
      EXPECT_EQ(entered, fed) << "its first stage has had each item";
    }
    const std::size_t before_end = batches.work.size();
    run.finish();
    EXPECT_EQ(before_end == batches.work.size(), slots == 1) << "nothing is drained before";
    expect_equal(batches.work, at_once.work);
    expect_equal(batches.posted, at_once.posted);
  }
}

TEST(Pipeline, OpenRunsTakeTheSameSteps) {
  for (const int slots : {1, 2, 3, 5}) {
    Logged at_once(slots, 3), later(slots, 3);
    Pipeline(world(), slots).run(11, at_once.stages);
    Pipeline pipeline(world(), slots);
    auto run = pipeline.start(later.stages, {.open = true});
    run.begin(2);
    EXPECT_EQ(run.caught_up(), slots == 5) << "else a later stage of the first item waits before";
    while (!run.progress()) {
    }
    EXPECT_TRUE(run.caught_up());
    EXPECT_EQ(run.complete(), std::max(2 - slots + 1, 0)) << "later items may follow at once";
    run.add(4);
    EXPECT_FALSE(run.caught_up());
    while (!run.progress()) {
    }
    run.add(3);
    run.feed(2);
    EXPECT_TRUE(run.caught_up());
    run.finish();
    expect_equal(later.work, at_once.work);
  }
}

TEST(Faults, StopTheWorkButNotTheSchedule) {
  for (const int guilty : {0, ranks() - 1}) {
    Logged log(3, 3), whole(3, 3);
    Pipeline pipeline(world(), 3);
    log.also = [&](const Logged::Step& step) {
      if (rank() != guilty || step.item < 2) return;
      throw Error(Fault::bad_argument, "item " + std::to_string(step.item) + " in stage " + std::to_string(step.stage));
    };
    whole.also = [](const Logged::Step&) {};
    Pipeline(world(), 3).run(9, whole.stages);
    expect_error(Fault::bad_argument, "item 2 in stage 0", [&] { pipeline.run(9, log.stages); });
    expect_equal(log.posted, whole.posted);
    if (rank() == guilty) {
      const Logged::Step last{0, 2, 2};
      EXPECT_EQ(log.work.back(), last) << "nothing works after the fault";
    } else {
      expect_equal(log.work, whole.work);
    }
    log.also = nullptr;
    log.work.clear();
    pipeline.run(9, log.stages);  // the next run knows nothing of it
    expect_equal(log.work, whole.work);
    pipeline.drain();
    EXPECT_EQ(log.finished(), 54);
  }
}

TEST(Faults, OfTheLowestRankAreThrown) {
  Logged log(2, 2);
  log.also = [](const Logged::Step& step) {
    if (step.item + rank() >= ranks()) throw Error(Fault::bad_file, "of rank " + std::to_string(rank()));
  };
  // the last rank comes to its fault first, in item 1; rank 0 only in item `ranks`
  expect_error(Fault::bad_file, "of rank 0", [&] { Pipeline(world(), 2).run(ranks() + 2, log.stages); });
}

TEST(Faults, OfExchangesAreFaultsToo) {
  class Broken : public Notes {
    void finish() override {
      if (in_flight) Notes::finish(), throw Error(Fault::mpi, "cut for the " + std::to_string(finishes) + ". time");
    }
  };
  Broken broken;
  std::int64_t works = 0;
  const std::vector<Stage> stages{
      {[&](std::int64_t, int) { ++works; }, [&](std::int64_t, int) { return PostedExchanges{{&broken}}; }}};
  Pipeline pipeline(world(), 1);
  expect_error(Fault::mpi, "cut for the 1. time", [&] { pipeline.run(4, stages); });
  EXPECT_EQ(works, 1) << "item 1 finds the fault before its work";
  EXPECT_EQ(broken.starts, 4);
}

TEST(Faults, OutsideOfStagesAreThrownAtTheEnd) {
  Logged log(3, 3);
  Pipeline pipeline(world(), 3);
  auto run = pipeline.start(log.stages);
  run.feed(4);
  const std::size_t before = log.work.size();
  if (rank() == 0) run.fail(Error(Fault::bad_file, "band 4 is unreadable"));
  run.feed(2);
  expect_error(Fault::bad_file, "band 4 is unreadable", [&] { run.finish(); });
  EXPECT_EQ(log.work.size(), rank() == 0 ? before : 18U);
  EXPECT_EQ(log.started(), 18);
}

TEST(Faults, MayBeARanksOwn) {
  Logged log(1, 1);
  log.also = [](const Logged::Step&) {
    if (rank() == 0) throw Error(Fault::internal, "a defect");
  };
  const auto run = [&] { Pipeline(world(), 1).run(1, log.stages, {.ending = Ending::own}); };
  rank() == 0 ? expect_error(Fault::internal, "a defect", run) : run();
  compared();
}

TEST(Pipeline, ARunThatIsDroppedIsTakenToItsEndWithoutWork) {
  Logged log(3, 3);
  Pipeline pipeline(world(), 3);
  std::size_t before = 0;
  {
    auto run = pipeline.start(log.stages);
    run.feed(5);
    before = log.work.size();
  }
  EXPECT_EQ(log.work.size(), before);
  EXPECT_EQ(log.started(), 15);
  pipeline.run(1, log.stages);
  EXPECT_EQ(log.work.size(), before + 3);
  compared(3);
}

/// What a function of the user does, and how often exchanges are polled meanwhile.
struct User {
  std::atomic<bool> works{false}, has_worked{false};
  std::atomic<std::int64_t> polls{0};
};
/// That of the first slot arrives at once, the others when the user's function has returned.
struct Polled : Notes {
  Polled(User& of, bool is_first) : user(of), first(is_first) {}
  bool poll() override {
    user.polls += user.works ? 1 : 0;
    return first || user.has_worked;
  }
  User& user;
  bool first;
};

/// Polls of the thread while work of some milliseconds goes on, which pauses it or does not.
std::int64_t polls_beside(bool pauses) {
  User user;
  std::deque<Polled> exchanges;
  for (int slot = 0; slot < 3; ++slot) exchanges.emplace_back(user, slot == 0);
  Pipeline pipeline(world(), 3, Progress::thread);
  const Stage leave{
      nullptr, [&](std::int64_t, int slot) { return PostedExchanges{{&exchanges[static_cast<std::size_t>(slot)]}}; }};
  const Stage work{[&](std::int64_t, int) {
                     const auto paused = pauses ? pipeline.pause_thread() : std::shared_lock<std::shared_mutex>();
                     user.works = true;
                     int sleeps = 0;
                     do {
                       std::this_thread::sleep_for(std::chrono::milliseconds(5));
                     } while (!pauses && user.polls == 0 && ++sleeps < 1000);
                     user.works = false;
                     user.has_worked = true;
                   },
                   nullptr};
  pipeline.run(3, {leave, work});
  return user.polls;
}

TEST(Pipeline, TheThreadWaitsWhileAUsersFunctionRuns) {
  if (!threads_may_call_mpi()) GTEST_SKIP() << "MPI was started for one thread";
  EXPECT_EQ(polls_beside(true), 0);
  EXPECT_GT(polls_beside(false), 0);
  compared(2);
}

TEST(Pipeline, SkipsTheWorkAlone) {
  Logged log(3, 3);
  Pipeline(world(), 3).run(5, log.stages, {.skip = true});
  EXPECT_TRUE(log.work.empty());
  EXPECT_EQ(log.started(), 15);
  compared(2);
}

/// There at the 40th look; says whether it was when its end was waited for.
class Slow : public Notes {
 public:
  bool poll() override { return ++polls >= 40; }
  void finish() override {
    if (in_flight) arrived_before = polls >= 40;
    Notes::finish();
  }
  bool arrived_before = false;
};

TEST(Pipeline, SleepsWhileItWaitsWhenAskedTo) {
  for (const Waiting waiting : {Waiting::spinning, Waiting::sleeping}) {
    Slow slow;
    const std::vector<Stage> stages{{nullptr, [&](std::int64_t, int) { return PostedExchanges{{&slow}}; }}};
    Pipeline(world(), 1).run(1, stages, {.waiting = waiting});
    EXPECT_EQ(slow.arrived_before, waiting == Waiting::sleeping) << "a lone exchange waits for itself, but not asleep";
    EXPECT_EQ(slow.finishes, 1);
  }
  compared(4);
}

}  // namespace
}  // namespace seiche::testing
