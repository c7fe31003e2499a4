// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pipeline: runs items through stages of work and exchange with a bounded number of items in flight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "comm/progress.hpp"
#include "exchange/exchange_interface.hpp"
#include "seiche/error.hpp"
#include "space/queue.hpp"

namespace seiche {

/// An exchange that starts after the work of a stage.
struct PostedExchange {
  Exchange* exchange = nullptr;
  Toward toward = Toward::target;
  Payload payload = Payload::values;
};

/// Exchanges of a stage, in the order of their start.
class PostedExchanges {
 public:
  static constexpr std::size_t most = 8;

  PostedExchanges() = default;
  PostedExchanges(std::initializer_list<PostedExchange> all) {
    for (const PostedExchange& one : all) add(one);
  }
  void add(const PostedExchange& one) { all_.at(size_++) = one; }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const PostedExchange& operator[](std::size_t i) const { return all_[i]; }
  /// Tells whether all ranks must start these exchanges and make their other collective calls in the same order.
  bool ordered() const {
    bool any = false;
    for (std::size_t i = 0; i < size_; ++i)
      any = any || (all_[i].payload == Payload::values && all_[i].exchange->ordered());
    return any;
  }
  /// Tells whether there are exchanges, and all of them need not wait for the event of the work.
  bool in_queue() const {
    bool all = size_ > 0;
    for (std::size_t i = 0; i < size_; ++i) all = all && all_[i].exchange->in_queue();
    return all;
  }

 private:
  std::array<PostedExchange, most> all_{};
  std::size_t size_ = 0;
};

/// A stage: work, then exchanges, which start when the event of the work is complete. Each slot has its own exchanges.
/// Each part may be empty.
struct Stage {
  /// Works on one item in the memory of one slot. Returns the event of its last kernel. Has no event if the work is
  /// complete.
  using Work = std::function<Event(std::int64_t item, int slot)>;
  using Posts = std::function<PostedExchanges(std::int64_t item, int slot)>;
  /// Tells whether the work would not wait for other threads. progress() does not start the work before.
  using Ready = std::function<bool(int slot)>;

  Stage(Work stage_work, Posts stage_posts, Ready stage_ready = nullptr)
      : work(std::move(stage_work)), posts(std::move(stage_posts)), ready(std::move(stage_ready)) {}
  /// Same with work that is complete when it returns.
  template <class Function>
  requires std::is_void_v<std::invoke_result_t<Function&, std::int64_t, int>> Stage(Function stage_work,
                                                                                    Posts stage_posts,
                                                                                    Ready stage_ready = nullptr)
      : Stage(
            [stage_work = std::move(stage_work)](std::int64_t item, int slot) mutable {
              stage_work(item, slot);
              return Event();
            },
            std::move(stage_posts), std::move(stage_ready)) {}

  Work work;
  Posts posts;
  Ready ready;
};

/// How a rank waits if it has nothing else to do.
enum class Waiting {
  spinning,  ///< polls continuously, and yields the processor after a while
  sleeping   ///< sleeps between polls and uses little CPU time
};

/// Which error a run throws.
enum class Ending {
  agreed,  ///< all ranks throw the error of the lowest rank that has one
  own      ///< each rank throws its own error, without communication; for runs that cannot fail
};

/// Options of a run.
struct RunOptions {
  bool skip = false;  ///< do the exchanges without the work; for benchmarks
  Waiting waiting = Waiting::spinning;
  Ending ending = Ending::agreed;
  bool open = false;                  ///< items are added after begin(), see Pipeline::Run::add()
  bool started = false;               ///< the caller works between begin() and finish(), so that a rank can leave
  ProgressReport* account = nullptr;  ///< the run adds its use of time at its end
  bool* working = nullptr;            ///< true while a stage works
};

/// Tells whether MPI allows calls from other threads, one at a time (MPI_THREAD_SERIALIZED).
bool threads_may_call_mpi();

/// Checks that MPI supports a progress mode. \throws Error if it does not
void require_possible(Progress progress);

/// Returns the error of a run that a rank will not finish.
Error error_of_leaving(int rank);

class ProgressThread;

/// Runs items through all stages in order. Exchanges of a stage are complete before the next stage of the slot starts.
/// With w slots, at most w items are in flight: exchanges of some items overlap with work on others. The schedule is
/// the same on all ranks. Exchanges after the last stage of an item are completed before its slot is reused. Exchanges
/// wait for the events of their stages, in the order of the schedule.
class Pipeline {
  struct InFlight;

 public:
  /// Collective. Creates a pipeline for exchanges on `comm`. The exchanges must outlive it. \pre slots >= 1. With one
  /// slot, items run one after another.
  Pipeline(const Communicator& comm, int slots, Progress progress = Progress::automatic);
  ~Pipeline();  ///< Same as drain().

  /// A run to which items are added over time. Item numbers, from 0, continue across calls of feed(). The sequence of
  /// steps does not depend on how items are added.
  class Run {
   public:
    Run(Run&& other) noexcept;
    /// Without finish(), completes the exchanges without work, and takes part in the ending. Then finish() throws on
    /// all other ranks. Has no effect if MPI is finalized.
    ~Run();

    /// Collective. Adds items. The first stages of all items are complete when it returns, including all events. Ranks
    /// add the same numbers of items in the same order.
    void feed(std::int64_t items);
    /// Collective. Adds all items, and runs the steps before the first one that waits for an exchange, or for a thread
    /// if its exchanges are not ordered. The next call is progress() or finish(). `waits`: waits for exchanges, and
    /// runs the steps before the first one of the last stage.
    void begin(std::int64_t items, bool waits = false);
    /// Local. Makes progress after begin(), and runs steps whose exchanges are complete. It does not start exchanges
    /// that need the same order as other collective calls. Never waits for other ranks. Returns true if finish() would
    /// not wait.
    bool progress();
    /// Local. Adds items to an open run after begin(). The next progress(), feed() or finish() computes them.
    void add(std::int64_t items) { items_ += items; }
    /// Tells whether the first stages of all items have run.
    bool caught_up() const { return turn_ >= items_; }
    std::int64_t complete() const;  ///< Returns the number of items that need no more steps.
    /// Collective. Advances the items in flight by one cycle, after the last feed(). Returns false if all items are
    /// complete.
    bool advance();
    /// Reports an error of this rank outside of the stages. No more work is done on this rank, and finish() throws the
    /// error.
    void fail(const Error& fault);
    void leave();  ///< Same, with an error that names this rank, which will not call finish().
    /// Collective. Completes all items. \throws the error of the run
    void finish();

   private:
    friend class Pipeline;
    Run(Pipeline& pipeline, const std::vector<Stage>& stages, const RunOptions& options);
    Run(const Run&) = default;
    std::int64_t last_turn() const;
    std::int64_t end() const {
      return options_.open ? items_ : last_turn();
    }  // cycle before which begin() and progress() stop
    void take_turns(std::int64_t count);
    bool find_step(std::int64_t end);
    bool posts_ordered() const;
    bool ready() const;
    std::int64_t item() const;
    std::int64_t slots() const { return static_cast<std::int64_t>(pipeline_->slots_.size()); }
    std::int64_t between() const { return stages_->size() < 2 ? 1 : static_cast<std::int64_t>(stages_->size()) - 1; }
    int slot_number(std::int64_t item) const { return static_cast<int>(item % slots()); }
    InFlight& slot_of(std::int64_t item) const {
      return pipeline_->slots_[static_cast<std::size_t>(slot_number(item))];
    }
    void step();
    void depart();

    Pipeline* pipeline_;
    const std::vector<Stage>* stages_;
    RunOptions options_;
    std::int64_t items_ = 0;
    std::int64_t turn_ = 0, part_ = 0, stage_ = 0;  // position of the next step
  };

  /// Starts a run. The stages must outlive it. Only one run may exist at a time.
  Run start(const std::vector<Stage>& stages, const RunOptions& options = {});

  /// Collective. Runs a number of items. An error on a rank does not stop its exchanges, because other ranks wait for
  /// its messages. The rank does no more work, the schedule is completed, and then all ranks throw the first error of
  /// the lowest such rank.
  void run(std::int64_t items, const std::vector<Stage>& stages, const RunOptions& options = {});

  /// Collective. Completes exchanges of the last run. Afterwards the exchanges may be destroyed. Has no effect if MPI
  /// is finalized.
  void drain();

  /// Makes progress. Stages call it between tiles of work, in the thread that runs them.
  void poll();
  /// Pauses the progress thread, if there is one, during the lifetime of the result. Stages use it around callbacks,
  /// which may call MPI. Any thread may call it.
  std::shared_lock<std::shared_mutex> pause_thread();

 private:
  struct InFlight {
    PostedExchanges posted;
    Event ready{};         ///< exchanges may start after this event
    bool leaving = false;  ///< exchanges have not started yet
    std::array<bool, PostedExchanges::most> arrived{};
    std::array<double, PostedExchanges::most> started{};  ///< start times, if a recording is on
  };
  void wait_for(InFlight& slot);
  void await(InFlight& slot, std::size_t i);
  void pause(int polls) const;
  void send_off(InFlight& slot, const PostedExchanges& posted, Event worked);
  void let_leave();  ///< Starts exchanges whose events are complete, in the order of the schedule.
  void leave(InFlight& slot);
  void wait_for_departures();
  void wait_for_ordered();
  bool there(const InFlight& slot) const;  ///< Tells whether wait_for() would not wait.
  bool all_there() const;                  ///< Same for all slots and events.
  bool poll_all();                         ///< Polls all exchanges in flight once. \return whether there was no error
  std::unique_lock<std::shared_mutex> lock();  ///< Locks out the progress thread, if there is one.
  void note(const std::optional<Error>& fault);
  void add_to(ProgressReport& account);
  void end(const RunOptions& options);

  Communicator comm_;
  std::vector<InFlight> slots_;
  std::vector<InFlight*> leaving_;  // in the order of their start
  Event unwaited_;                  // last event for which no exchange waits
  Progress progress_;
  PollRate rate_;
  Waiting waiting_ = Waiting::spinning;  // mode of the last run
  int count_in_flight_ = 0;              // started exchanges that are not known to be complete
  double worked_ = 0, waited_ = 0;
  ProgressReport reported_;  // use of time that is in the account of a run
  std::optional<Error> fault_;
  std::unique_ptr<ProgressThread> thread_;
};

}  // namespace seiche
