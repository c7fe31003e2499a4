// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/pipeline.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "comm/agree.hpp"
#include "pipeline/progress_thread.hpp"
#include "support/require.hpp"
#include "trace/timeline.hpp"

namespace seiche {

bool threads_may_call_mpi() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  return provided >= MPI_THREAD_SERIALIZED;
}

Pipeline::Pipeline(int slots, Progress progress)
    : slots_(static_cast<std::size_t>(slots)), progress_(progress == Progress::automatic ? Progress::poll : progress) {
  if (progress_ == Progress::thread) {
    require(threads_may_call_mpi(), Fault::unsupported,
            "progress by a thread needs MPI to be started by MPI_Init_thread with MPI_THREAD_SERIALIZED or more; "
            "do so, or choose progress 'poll'");
    thread_ = std::make_unique<ProgressThread>([this] { note(fault_of([this] { poll_all(); })); });
  }
}
Pipeline::~Pipeline() = default;

std::unique_lock<std::mutex> Pipeline::lock() { return thread_ ? thread_->lock() : std::unique_lock<std::mutex>(); }

void Pipeline::note(const std::optional<Error>& fault) {
  if (fault && !fault_) fault_ = fault;
}

std::optional<Error> Pipeline::run(std::int64_t items, const std::vector<Stage>& stages, Work work) {
  fault_.reset();
  if (thread_) thread_->on();
  const auto slots = static_cast<std::int64_t>(slots_.size());
  const auto count = static_cast<std::int64_t>(stages.size());
  // Item i enters at time i, and its last stage works slots - 1 later, just before another needs its slot; the stages
  // between are spread evenly, so that whatever leaves has other items' stages to arrive in. Time is counted in steps
  // of 1 / between, whole numbers being turns.
  const std::int64_t between = std::max<std::int64_t>(count - 1, 1);
  for (std::int64_t turn = 0; items > 0 && turn < items + slots - 1; ++turn) {
    for (std::int64_t part = 0; part < between; ++part) {
      for (std::int64_t s = 0; s < count; ++s) {
        const std::int64_t delay = s * (slots - 1), item = turn - delay / between;
        if (delay % between != part || item < 0 || item >= items) continue;
        step(stages, s, item, work);
      }
    }
  }
  if (thread_) thread_->off();
  return fault_;
}

void Pipeline::step(const std::vector<Stage>& stages, std::int64_t s, std::int64_t item, Work work) {
  const Stage& stage = stages[static_cast<std::size_t>(s)];
  const int slot = static_cast<int>(item % static_cast<std::int64_t>(slots_.size()));
  InFlight& in_flight = slots_[static_cast<std::size_t>(slot)];
  bool sound = true;
  {
    const auto held = lock();
    wait_for(in_flight, work);
    sound = !fault_;
  }
  std::optional<Error> fault;
  if (stage.work && sound && work == Work::all) {
    const double start = trace::now();
    fault = fault_of([&] { stage.work(item, slot); });
    const double end = trace::now();
    worked_ += end - start;
    if (auto* timeline = trace::recording()) {
      timeline->work.push_back({static_cast<std::int32_t>(s), item, start, end});
    }
  }
  const auto held = lock();
  note(fault);
  send_off(in_flight, stage.posts(slot));
}

void Pipeline::wait_for(InFlight& slot, Work work) {
  const double start = trace::now();
  for (std::size_t i = 0; i < slot.posted.size(); ++i) await(slot, i, work);
  slot.posted.clear();
  waited_ += trace::now() - start;
}

void Pipeline::await(InFlight& slot, std::size_t i, Work work) {
  const PostedExchange& post = slot.posted[i];
  const bool there = slot.arrived[i];
  const double needed = trace::recording() ? trace::now() : 0;
  // while others are on their way as well, they go on; the last one is left to its own, quieter waiting
  constexpr int polls_before_yield = 100;
  const bool asleep = work == Work::asleep;
  for (int polls = 0; !slot.arrived[i] && (count_in_flight_ > 1 || asleep) && !fault_; ++polls) {
    note(fault_of([&] { poll_all(); }));
    if (asleep) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (polls > polls_before_yield) sched_yield();
  }
  note(fault_of([&] { post.exchange->finish(); }));
  count_in_flight_ -= slot.arrived[i] ? 0 : 1;
  if (auto* timeline = trace::recording(); timeline && post.payload == Payload::values) {
    timeline->transfers.push_back({slot.started[i], needed, there ? needed : trace::now()});
  }
}

void Pipeline::send_off(InFlight& slot, const PostedExchanges& posted) {
  slot.posted = posted;
  slot.arrived = {};
  for (std::size_t i = 0; i < posted.size(); ++i) {
    const PostedExchange& post = posted[i];
    slot.started[i] = trace::recording() ? trace::now() : 0;
    note(fault_of([&] { post.exchange->start(post.toward, post.payload); }));
    ++count_in_flight_;
  }
}

void Pipeline::drain() {
  for (InFlight& slot : slots_) wait_for(slot, Work::all);
}

void Pipeline::poll() {
  if (progress_ != Progress::poll || count_in_flight_ == 0 || !rate_.due()) return;
  rate_.run([this] { note(fault_of([this] { poll_all(); })); });
}

void Pipeline::poll_all() {
  for (InFlight& slot : slots_) {
    for (std::size_t i = 0; i < slot.posted.size(); ++i) {
      if (slot.arrived[i] || !slot.posted[i].exchange->poll()) continue;
      slot.arrived[i] = true;
      --count_in_flight_;
    }
  }
}

ProgressReport Pipeline::report() const { return {worked_, waited_, rate_.polls(), rate_.moves()}; }

}  // namespace seiche
