// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/pipeline.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "comm/agree.hpp"
#include "pipeline/arrival_skew.hpp"
#include "pipeline/progress_thread.hpp"
#include "seiche/presence.hpp"
#include "support/require.hpp"
#include "trace/timeline.hpp"

namespace seiche {

namespace {

int thread_level() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  return provided;
}

}  // namespace

bool threads_may_call_mpi() { return thread_level() >= MPI_THREAD_SERIALIZED; }

Error error_of_leaving(int rank) {
  return {Fault::bad_argument,
          formatted("rank {} left a started call or stream without finish(): call finish() on all ranks", rank)};
}

void require_possible(Progress progress) {
  require(progress != Progress::thread || threads_may_call_mpi(), Fault::unsupported,
          "progress 'thread' needs MPI_THREAD_SERIALIZED: initialize MPI with MPI_Init_thread and that level, or use "
          "progress 'poll'");
}

Pipeline::Pipeline(const Communicator& comm, int slots, Progress progress)
    : comm_(comm), progress_(progress == Progress::automatic ? Progress::poll : progress) {
  together(comm_, [&] {
    slots_ = std::vector<InFlight>(static_cast<std::size_t>(slots));
    leaving_.reserve(slots_.size());
    require_possible(progress);
    if (progress_ == Progress::thread) thread_ = std::make_unique<ProgressThread>([this] { poll_all(); });
  });
}
Pipeline::~Pipeline() { drain(); }

std::unique_lock<std::shared_mutex> Pipeline::lock() {
  return thread_ ? thread_->lock() : std::unique_lock<std::shared_mutex>();
}
std::shared_lock<std::shared_mutex> Pipeline::pause_thread() {
  return thread_ ? thread_->pause() : std::shared_lock<std::shared_mutex>();
}

void Pipeline::note(const std::optional<Error>& fault) {
  if (fault && !fault_) fault_ = fault;
}

Pipeline::Run Pipeline::start(const std::vector<Stage>& stages, const RunOptions& options) {
  return Run(*this, stages, options);
}

void Pipeline::run(std::int64_t items, const std::vector<Stage>& stages, const RunOptions& options) {
  Run all = start(stages, options);
  all.feed(items);
  all.finish();
}

Pipeline::Run::Run(Pipeline& pipeline, const std::vector<Stage>& stages, const RunOptions& options)
    : pipeline_(&pipeline), stages_(&stages), options_(options) {
  pipeline.fault_.reset();
  pipeline.waiting_ = options.waiting;
  if (options.ending == Ending::agreed) kept_on<ArrivalSkew>(pipeline.comm_).come();
}

Pipeline::Run::Run(Run&& other) noexcept : Run(std::as_const(other)) { other.pipeline_ = nullptr; }

Pipeline::Run::~Run() {
  if (!pipeline_ || mpi_state() != MpiState::running) return;
  static_cast<void>(fault_of([this] {
    leave();
    finish();
  }));
}

void Pipeline::Run::feed(std::int64_t items) {
  items_ += items;
  take_turns(items_ - turn_);
}

void Pipeline::Run::begin(std::int64_t items, bool waits) {
  items_ += items;
  if (pipeline_->thread_) pipeline_->thread_->on();
  const auto may_step = [&] {
    if (waits) return stage_ + 1 < std::ssize(*stages_);
    return slot_of(item()).posted.size() == 0 && (ready() || posts_ordered());
  };
  while (find_step(end()) && may_step()) step();
  {
    const auto held = pipeline_->lock();
    pipeline_->wait_for_ordered();
  }
  // until finish(), the caller may call MPI at any time
  if (pipeline_->thread_ && thread_level() < MPI_THREAD_MULTIPLE) pipeline_->thread_->off();
}

bool Pipeline::Run::progress() {
  const auto may_step = [this] {
    const auto held = pipeline_->lock();
    pipeline_->poll_all();
    return find_step(end()) && pipeline_->there(slot_of(item())) && ready() && !posts_ordered();
  };
  while (may_step()) step();
  return !find_step(end()) && pipeline_->all_there();
}

/// Tells whether the exchanges of the next step are ordered.
bool Pipeline::Run::posts_ordered() const {
  const Stage& stage = (*stages_)[static_cast<std::size_t>(stage_)];
  return stage.posts && stage.posts(item(), slot_number(item())).ordered();
}

/// Tells whether the work of the next step would not wait for other threads.
bool Pipeline::Run::ready() const {
  const Stage& stage = (*stages_)[static_cast<std::size_t>(stage_)];
  return !stage.ready || stage.ready(slot_number(item()));
}

/// Returns the cycle in which all items are complete.
std::int64_t Pipeline::Run::last_turn() const { return items_ == 0 ? 0 : items_ + slots() - 1; }

std::int64_t Pipeline::Run::complete() const { return std::max<std::int64_t>(turn_ - slots() + 1, 0); }

bool Pipeline::Run::advance() {
  if (turn_ == last_turn()) return false;
  take_turns(1);
  return true;
}

void Pipeline::Run::fail(const Error& fault) { pipeline_->note(fault); }
void Pipeline::Run::leave() { fail(error_of_leaving(pipeline_->comm_.rank())); }

void Pipeline::Run::finish() {
  take_turns(last_turn() - turn_);
  std::exchange(pipeline_, nullptr)->end(options_);
}

void Pipeline::add_to(ProgressReport& account) {
  const ProgressReport now{worked_, waited_, rate_.polls(), rate_.moves()};
  account.worked += now.worked - reported_.worked;
  account.waited += now.waited - reported_.waited;
  account.polls += now.polls - reported_.polls;
  account.moves += now.moves - reported_.moves;
  reported_ = now;
}

void Pipeline::end(const RunOptions& options) {
  if (options.account != nullptr) add_to(*options.account);
  if (options.ending == Ending::own) {
    if (fault_) throw Error(*fault_);
  } else if (waiting_ == Waiting::sleeping) {
    agree_asleep(comm_, fault_);
  } else {
    kept_on<ArrivalSkew>(comm_).leave(comm_, fault_);
  }
}

/// Returns the item of the next step. Item i enters in cycle i. Its last stage runs slots - 1 cycles later, just before
/// the slot is reused. The stages between are distributed evenly, so that each exchange overlaps with stages of other
/// items.
std::int64_t Pipeline::Run::item() const { return turn_ - stage_ * (slots() - 1) / between(); }

/// Moves to the next step before a cycle. Returns false if there is none. A cycle is divided into between() parts. The
/// steps of a cycle do not depend on items that are added later.
bool Pipeline::Run::find_step(std::int64_t end) {
  const auto stages = static_cast<std::int64_t>(stages_->size());
  for (; turn_ < end; ++turn_, part_ = 0) {
    for (; part_ < between(); ++part_, stage_ = 0) {
      for (; stage_ < stages; ++stage_) {
        if (stage_ * (slots() - 1) % between() == part_ && item() >= 0 && item() < items_) return true;
      }
    }
  }
  return false;
}

void Pipeline::Run::take_turns(std::int64_t count) {
  if (pipeline_->thread_) pipeline_->thread_->on();
  for (const std::int64_t end = turn_ + count; find_step(end);) step();
  depart();
}

void Pipeline::Run::depart() {
  {
    const auto held = pipeline_->lock();
    pipeline_->wait_for_departures();
  }
  if (pipeline_->thread_) pipeline_->thread_->off();
}

/// Runs the step that find_step() has found.
void Pipeline::Run::step() {
  Pipeline& pipeline = *pipeline_;
  const std::int64_t s = stage_++, item = turn_ - s * (slots() - 1) / between();
  const Stage& stage = (*stages_)[static_cast<std::size_t>(s)];
  const int slot = slot_number(item);
  InFlight& in_flight = slot_of(item);
  bool sound = true;
  {
    const auto held = pipeline.lock();
    pipeline.wait_for(in_flight);
    sound = !pipeline.fault_;
  }
  std::optional<Error> fault;
  Event worked;
  if (stage.work && sound && !options_.skip) {
    const double start = timeline::now();
    if (options_.working != nullptr) *options_.working = true;
    fault = fault_of([&] { worked = stage.work(item, slot); });
    if (options_.working != nullptr) *options_.working = false;
    const double end = timeline::now();
    pipeline.worked_ += end - start;
    timeline::note(timeline::Work{static_cast<std::int32_t>(s), item, start, end});
  }
  const auto held = pipeline.lock();
  pipeline.note(fault);
  pipeline.send_off(in_flight, stage.posts ? stage.posts(item, slot) : PostedExchanges(), std::move(worked));
}

void Pipeline::wait_for(InFlight& slot) {
  const double start = timeline::now();
  for (int polls = 0; slot.leaving; ++polls) {
    poll_all();
    pause(polls);
  }
  for (std::size_t i = 0; i < slot.posted.size(); ++i) await(slot, i);
  slot.posted.clear();
  waited_ += timeline::now() - start;
}

void Pipeline::await(InFlight& slot, std::size_t i) {
  const PostedExchange& post = slot.posted[i];
  const bool there = slot.arrived[i];
  const double needed = timeline::recording() ? timeline::now() : 0;
  // other exchanges make progress meanwhile; the last one uses its own finish()
  const auto others = [this] { return count_in_flight_ > 1 || !leaving_.empty() || waiting_ == Waiting::sleeping; };
  bool sound = true;
  for (int polls = 0; !slot.arrived[i] && others() && sound; ++polls) {
    sound = poll_all();
    if (!slot.arrived[i]) pause(polls);
  }
  note(fault_of([&] { post.exchange->finish(); }));
  count_in_flight_ -= slot.arrived[i] ? 0 : 1;
  if (timeline::recording() && post.payload == Payload::values) {
    timeline::note(timeline::Transfer{slot.started[i], needed, there ? needed : timeline::now()});
  }
}

/// Pauses between polls. `polls`: number of previous polls.
void Pipeline::pause(int polls) const {
  constexpr int polls_before_sleep = 2, polls_before_yield = 100;
  const bool sleeps = waiting_ == Waiting::sleeping;
  if (sleeps && polls > polls_before_sleep) std::this_thread::sleep_for(std::chrono::microseconds(30));
  if (sleeps || polls > polls_before_yield) sched_yield();
}

/// Preparations are added to the queue after the work, so that the last event covers everything.
void Pipeline::send_off(InFlight& slot, const PostedExchanges& posted, Event worked) {
  slot.posted = posted;
  slot.arrived = {};
  slot.ready = std::move(worked);
  for (std::size_t i = 0; i < posted.size(); ++i) {
    note(fault_of([&] {
      Event prepared = posted[i].exchange->prepare(posted[i].toward, posted[i].payload);
      if (!prepared.done()) slot.ready = std::move(prepared);
    }));
  }
  if (posted.in_queue()) {
    Event ready = std::exchange(slot.ready, Event());
    if (!ready.done()) {
      unwaited_ = std::move(ready);  // an item without work must not replace a pending event
    } else {
      note(fault_of([&] { ready.wait(); }));  // the work may have failed
    }
  }
  slot.leaving = true;
  leaving_.push_back(&slot);
  let_leave();
}

void Pipeline::let_leave() {
  while (!leaving_.empty() && leaving_.front()->ready.done()) {
    InFlight& first = *leaving_.front();
    leaving_.erase(leaving_.begin());
    leave(first);
  }
}

void Pipeline::leave(InFlight& slot) {
  note(fault_of([&] { std::exchange(slot.ready, Event()).wait(); }));
  slot.leaving = false;
  for (std::size_t i = 0; i < slot.posted.size(); ++i) {
    const PostedExchange& post = slot.posted[i];
    slot.started[i] = timeline::recording() ? timeline::now() : 0;
    note(fault_of([&] { post.exchange->start(post.toward, post.payload); }));
    ++count_in_flight_;
  }
}

/// Waits until all exchanges have started and all events are complete. Ranks must start exchanges of several pipelines
/// in the same order, and the caller may change the input of stages afterwards.
void Pipeline::wait_for_departures() {
  if (!leaving_.empty() || !unwaited_.done()) {
    const double start = timeline::now();
    for (int polls = 0; !leaving_.empty() || !unwaited_.done(); ++polls) {
      poll_all();
      pause(polls);
    }
    waited_ += timeline::now() - start;
  }
  note(fault_of([&] { std::exchange(unwaited_, Event()).wait(); }));
}

/// Waits until exchanges have started that must start in the same order as other collective calls.
void Pipeline::wait_for_ordered() {
  const auto ordered = [](const InFlight* slot) { return slot->posted.ordered(); };
  for (int polls = 0; std::any_of(leaving_.begin(), leaving_.end(), ordered); ++polls) {
    poll_all();
    pause(polls);
  }
}

void Pipeline::drain() {
  if (mpi_state() != MpiState::running) return;
  for (InFlight& slot : slots_) wait_for(slot);
}

void Pipeline::poll() {
  if (progress_ != Progress::poll || (count_in_flight_ == 0 && leaving_.empty()) || !rate_.due()) return;
  rate_.run([this] { poll_all(); });
}

bool Pipeline::there(const InFlight& slot) const {
  if (slot.leaving) return false;
  bool all = true;
  for (std::size_t i = 0; i < slot.posted.size(); ++i) all = all && slot.arrived[i];
  return all;
}

bool Pipeline::all_there() const {
  return unwaited_.done() &&
         std::all_of(slots_.begin(), slots_.end(), [this](const InFlight& slot) { return there(slot); });
}

bool Pipeline::poll_all() {
  const auto fault = fault_of([this] {
    let_leave();
    for (InFlight& slot : slots_) {
      if (slot.leaving) continue;
      for (std::size_t i = 0; i < slot.posted.size(); ++i) {
        if (slot.arrived[i] || !slot.posted[i].exchange->poll()) continue;
        slot.arrived[i] = true;
        --count_in_flight_;
      }
    }
  });
  note(fault);
  return !fault;
}

}  // namespace seiche
