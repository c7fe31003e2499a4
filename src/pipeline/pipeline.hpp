// SPDX-License-Identifier: BSD-3-Clause
/// \file  The engine: carries items through stages of work and exchange with a bounded number of items in flight.
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
#include "exchange/exchange.hpp"
#include "seiche/error.hpp"
#include "space/queue.hpp"

namespace seiche {

/// An exchange that leaves after a stage's work.
struct PostedExchange {
  Exchange* exchange = nullptr;
  Toward toward = Toward::target;
  Payload payload = Payload::values;
};

/// A few departures, in the order in which they leave.
class PostedExchanges {
 public:
  static constexpr std::size_t most = 6;

  PostedExchanges() = default;
  PostedExchanges(std::initializer_list<PostedExchange> all) {
    for (const PostedExchange& one : all) add(one);
  }
  void add(const PostedExchange& one) { all_.at(size_++) = one; }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const PostedExchange& operator[](std::size_t i) const { return all_[i]; }

 private:
  std::array<PostedExchange, most> all_{};
  std::size_t size_ = 0;
};

/// Work on one item in the memory of one slot. It returns the event of the last kernel that it gave to a queue, or
/// nothing where it has done all.
class StageWork {
 public:
  StageWork(std::nullptr_t) {}
  template <class Work, class = std::enable_if_t<std::is_invocable_v<Work&, std::int64_t, int>>>
  StageWork(Work work) {
    if constexpr (std::is_void_v<std::invoke_result_t<Work&, std::int64_t, int>>) {
      work_ = [work = std::move(work)](std::int64_t item, int slot) mutable {
        work(item, slot);
        return Event();
      };
    } else {
      work_ = std::move(work);
    }
  }
  explicit operator bool() const { return work_ != nullptr; }
  Event operator()(std::int64_t item, int slot) const { return work_(item, slot); }

 private:
  std::function<Event(std::int64_t item, int slot)> work_;
};

/// Work, then the departure of what it made, when the work's event has come. Each slot has its own exchanges. Either
/// may be left out.
struct Stage {
  StageWork work;
  std::function<PostedExchanges(std::int64_t item, int slot)> posts;
};

/// How a rank waits when it has nothing else to do.
enum class Waiting {
  spinning,  ///< looks again at once, and gives the processor away after a while
  sleeping   ///< leaves the processor to other threads and ranks, and takes little CPU time of its own
};

/// Whose faults a run throws.
enum class Ending {
  agreed,  ///< the one of the lowest rank that has any, on all ranks
  own      ///< this rank's, without a word to others: for runs in which nothing but a defect can fail
};

/// What is done in a run, and how.
struct RunOptions {
  bool skip = false;  ///< move what would be moved, and do no work: what exchanges cost alone
  Waiting waiting = Waiting::spinning;
  Ending ending = Ending::agreed;
};

/// Whether MPI was started so that other threads than the first may call it, one at a time.
bool threads_may_call_mpi();

/// \throws Error for progress that MPI was not started for
void require_possible(Progress progress);

class ProgressThread;

/// Items go through all stages in order; what a stage sent off has arrived before the slot's next stage works. With w
/// slots at most w items are in flight: while one item's values are on their way, others are worked on. The schedule is
/// the same on all ranks. Departures of an item's last stage are completed before its slot is used again. Departures
/// wait for the events of their stages, in the order of the schedule.
class Pipeline {
 public:
  /// Collective. For exchanges among ranks of `comm`, which outlive the pipeline. \pre slots >= 1. One slot: one item
  /// at a time.
  Pipeline(const Communicator& comm, int slots, Progress progress = Progress::automatic);
  ~Pipeline();  ///< As settle().

  /// A run whose items come by and by. Items are numbered from 0 through all of it, and take the same steps in the same
  /// order however they are fed.
  class Run {
   public:
    Run(Run&& other) noexcept;
    ~Run();  ///< Where finish() was not called: takes what is in flight to the end, without work.

    /// Collective. So many more items enter: when it returns, their first stages have worked, and those before them
    /// have gone on. Events of all that worked have come. Ranks feed the same numbers in the same order.
    void feed(std::int64_t items);
    /// Collective. After the last feed(): takes what is in flight one turn further; false once all is at its end.
    bool advance();
    /// What went wrong on this rank outside of the stages: from here on nothing works here, and finish() throws it.
    void fail(const Error& fault);
    /// Collective. Takes all items to the end, and throws what went wrong.
    void finish();

   private:
    friend class Pipeline;
    Run(Pipeline& pipeline, const std::vector<Stage>& stages, const RunOptions& options);
    std::int64_t last_turn() const;
    void take_turns(std::int64_t count);
    void step(std::int64_t s, std::int64_t item);

    Pipeline* pipeline_;
    const std::vector<Stage>* stages_;
    bool skip_;
    Ending ending_;
    std::int64_t items_ = 0, turn_ = 0;
  };

  /// Begins a run; the stages outlive it, and there is one at a time.
  Run start(const std::vector<Stage>& stages, const RunOptions& options = {});

  /// Collective. A run of so many items. What goes wrong on a rank - in its work or in MPI - does not stop it, for
  /// others count on its messages: the schedule is kept to its end, without further work there, and then all ranks
  /// throw the first fault of the lowest of them.
  void run(std::int64_t items, const std::vector<Stage>& stages, const RunOptions& options = {});

  /// Collective. Completes what the last run left on its way; its exchanges may go then.
  void drain();

  /// For stages to call between tiles of work, from the thread that runs them.
  void poll();
  /// For stages that call functions of the user, which may call MPI: keeps the progress thread, if there is one, from
  /// calling it for the life of the result. From any thread.
  std::shared_lock<std::shared_mutex> pause_thread();

  ProgressReport report() const;  ///< of all runs

 private:
  struct InFlight {
    PostedExchanges posted;
    Event ready{};         ///< when they may leave
    bool leaving = false;  ///< they have not left yet
    std::array<bool, PostedExchanges::most> arrived{};
    std::array<double, PostedExchanges::most> started{};  ///< when; where a recording is on
  };
  void wait_for(InFlight& slot);
  void await(InFlight& slot, std::size_t i);
  void pause(int polls) const;
  void send_off(InFlight& slot, const PostedExchanges& posted, Event worked);
  void let_leave();  ///< All whose events have come, but none before its turn.
  void leave(InFlight& slot);
  void wait_for_departures();
  bool poll_all();                             ///< All that is under way, once. \return whether no exchange complained
  std::unique_lock<std::shared_mutex> lock();  ///< Keeps the thread, if there is one, from touching what it polls.
  void note(const std::optional<Error>& fault);
  void end(Ending ending);

  Communicator comm_;
  std::vector<InFlight> slots_;
  std::vector<InFlight*> leaving_;  // in the order in which they leave
  Progress progress_;
  PollRate rate_;
  Waiting waiting_ = Waiting::spinning;  // of the last run
  int count_in_flight_ = 0;              // departures that have not been seen to arrive
  double worked_ = 0, waited_ = 0;
  std::optional<Error> fault_;
  std::unique_ptr<ProgressThread> thread_;
};

}  // namespace seiche
