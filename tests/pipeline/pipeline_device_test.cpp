// SPDX-License-Identifier: BSD-3-Clause
/// \file  Stages whose work is a kernel of a device: exchanges wait for kernels, and faults of kernels are faults of
/// stages.
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/notes.hpp"
#include "pipeline/pipeline.hpp"
#include "space/queue.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

/// Runs functions late, as a device runs kernels: in their order, each after some polls, or if somebody waits.
class LateQueue {
 public:
  Event run(std::function<void()> kernel) {
    state_->kernels.push_back(std::move(kernel));
    return Event(std::make_shared<Late>(state_, ++given_));
  }

 private:
  struct State {
    std::deque<std::function<void()>> kernels;
    std::exception_ptr fault;  // the first one that has not been thrown
    int done = 0, polls = 0;

    void run_one() {
      try {
        kernels.front()();
      } catch (...) {
        if (!fault) fault = std::current_exception();
      }
      kernels.pop_front();
      ++done;
    }
  };
  class Late : public DeviceEvent {
   public:
    Late(std::shared_ptr<State> state, int number) : state_(std::move(state)), number_(number) {}
    bool done() override {
      if (state_->done < number_ && ++state_->polls % 3 == 0) state_->run_one();
      return state_->done >= number_;
    }
    void wait() override {
      while (state_->done < number_) state_->run_one();
      if (state_->fault) std::rethrow_exception(std::exchange(state_->fault, nullptr));
    }

   private:
    std::shared_ptr<State> state_;
    int number_;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
  int given_ = 0;
};

/// Notes whether a kernel has run when its exchange leaves.
struct AfterKernel : Notes {
  void start(Toward toward, Payload payload) override {
    in_time += kernel_ran ? 1 : 0;
    Notes::start(toward, payload);
  }
  bool kernel_ran = false;
  std::int64_t in_time = 0;
};

/// Stages whose work is a kernel on a device. The last one has no exchange.
struct OnDevice {
  LateQueue queue;
  std::deque<AfterKernel> exchange;
  std::int64_t at_end = 0;
  std::vector<Stage> stages;

  OnDevice(int slots, int count) : exchange(static_cast<std::size_t>(slots)) {
    for (int s = 0; s < count; ++s) {
      stages.push_back(
          {[this](std::int64_t, int slot) {
             AfterKernel& mine = exchange[static_cast<std::size_t>(slot)];
             mine.kernel_ran = false;
             return queue.run([&mine] { mine.kernel_ran = true; });
           },
           [this](std::int64_t, int slot) { return PostedExchanges{{&exchange[static_cast<std::size_t>(slot)]}}; }});
    }
    stages.push_back({[this](std::int64_t, int) { return queue.run([this] { ++at_end; }); }, nullptr});
  }
};

TEST(Pipeline, DeparturesWaitForKernels) {
  for (const int slots : {1, 3}) {
    for (const Progress progress : {Progress::poll, Progress::none}) {
      OnDevice device(slots, 2);
      Pipeline pipeline(world(), slots, progress);
      pipeline.run(10, device.stages);
      EXPECT_EQ(device.at_end, 10) << "a run ends with its kernels";
      std::int64_t in_time = 0;
      for (const AfterKernel& one : device.exchange) in_time += one.in_time;
      EXPECT_EQ(in_time, 20);
      compared(2);
    }
  }
}

/// An exchange that runs in the queue, after the kernels before it.
struct InQueue : Notes {
  bool in_queue() const override { return true; }
};

TEST(Pipeline, RunsWaitForKernelsBeforeItemsWithoutWork) {
  for (const int slots : {1, 2, 3}) {
    LateQueue queue;
    std::deque<InQueue> exchange(static_cast<std::size_t>(slots));
    int done = 0;
    const std::vector<Stage> stages{
        {[&](std::int64_t item, int) {
           if (item == 3) return Event();
           return queue.run([&] { ++done; });
         },
         [&](std::int64_t, int slot) { return PostedExchanges{{&exchange[static_cast<std::size_t>(slot)]}}; }}};
    Pipeline pipeline(world(), slots);
    pipeline.run(4, stages);
    EXPECT_EQ(done, 3);
    compared();
  }
}

TEST(Pipeline, FedItemsHaveBeenReadByKernels) {
  OnDevice device(3, 2);
  std::int64_t buffer = 0;
  std::vector<std::int64_t> seen;
  device.stages[0].work = [&](std::int64_t, int) { return device.queue.run([&] { seen.push_back(buffer); }); };
  Pipeline pipeline(world(), 3);
  auto run = pipeline.start(device.stages);
  for (buffer = 1; buffer <= 9; ++buffer) run.feed(1);
  run.finish();
  expect_equal(seen, std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST(Faults, OfKernelsAreFaultsOfTheirStage) {
  for (const std::size_t stage : {0U, 2U}) {
    OnDevice device(3, 2);
    std::int64_t works = 0;
    device.stages[stage].work = [&](std::int64_t item, int) {
      ++works;
      return device.queue.run([item] {
        if (rank() == ranks() - 1 && item == 4) throw Error(Fault::bad_argument, "kernel of item 4");
      });
    };
    Pipeline pipeline(world(), 3);
    expect_error(Fault::bad_argument, "kernel of item 4", [&] { pipeline.run(9, device.stages); });
    EXPECT_EQ(works == 9, rank() < ranks() - 1) << "nothing works after the fault";
    std::int64_t starts = 0;
    for (const AfterKernel& one : device.exchange) starts += one.starts;
    EXPECT_EQ(starts, 18) << "the schedule goes on";
    works = 0;
    device.stages[stage] = Stage([&](std::int64_t, int) { ++works; }, device.stages[stage].posts);
    pipeline.run(9, device.stages);  // the next run knows nothing of it
    EXPECT_EQ(works, 9);
    compared(3);
  }
}

/// Nothing waits for the event of such a kernel.
TEST(Faults, OfKernelsThatAreCompleteEarlyAreNotLost) {
  LateQueue queue;
  InQueue exchange;
  const std::vector<Stage> stages{{[&](std::int64_t, int) {
                                     const Event failed = queue.run([] {
                                       if (rank() == ranks() - 1) throw Error(Fault::bad_argument, "an early kernel");
                                     });
                                     while (!failed.done()) continue;
                                     return failed;
                                   },
                                   [&](std::int64_t, int) { return PostedExchanges{{&exchange}}; }}};
  Pipeline pipeline(world(), 1);
  expect_error(Fault::bad_argument, "an early kernel", [&] { pipeline.run(1, stages); });
}

}  // namespace
}  // namespace seiche::testing
