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
#include <vector>

#include "comm/progress.hpp"
#include "exchange/exchange.hpp"
#include "seiche/error.hpp"

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
  PostedExchanges() = default;
  PostedExchanges(std::initializer_list<PostedExchange> all) {
    for (const PostedExchange& one : all) add(one);
  }
  void add(const PostedExchange& one) { all_.at(size_++) = one; }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const PostedExchange& operator[](std::size_t i) const { return all_[i]; }

 private:
  std::array<PostedExchange, 3> all_{};
  std::size_t size_ = 0;
};

/// Work on one item in the memory of one slot, then the departure of what it made. Each slot has its own exchanges.
struct Stage {
  std::function<void(std::int64_t item, int slot)> work;
  std::function<PostedExchanges(int slot)> posts;
};

/// Whether MPI was started so that other threads than the first may call it, one at a time.
bool threads_may_call_mpi();

class ProgressThread;

/// Items go through all stages in order; what a stage sent off has arrived before the slot's next stage works. With w
/// slots at most w items are in flight: while one item's values are on their way, others are worked on. The schedule is
/// the same on all ranks. Departures of an item's last stage are completed before its slot is used again.
class Pipeline {
 public:
  /// \pre slots >= 1. One slot: one item at a time.
  explicit Pipeline(int slots, Progress progress = Progress::automatic);
  ~Pipeline();

  /// `skip` moves what would be moved and computes nothing: what exchanges cost alone. `asleep` does so too, and sleeps
  /// while it waits, so that the CPU time it takes is that of the exchanges.
  enum class Work { all, skip, asleep };

  /// What goes wrong on this rank - in its work or in MPI - does not stop it, for others count on its messages: the
  /// schedule is kept to its end, without further work, and the first fault is returned, for all ranks to agree on.
  std::optional<Error> run(std::int64_t items, const std::vector<Stage>& stages, Work work = Work::all);

  /// Collective. Completes what the last run left on its way; its exchanges may go then.
  void drain();

  /// For stages to call between tiles of work, from the thread that called run().
  void poll();

  ProgressReport report() const;

 private:
  struct InFlight {
    PostedExchanges posted;
    std::array<bool, 3> arrived{};
    std::array<double, 3> started{};  ///< when; where a recording is on
  };
  void step(const std::vector<Stage>& stages, std::int64_t s, std::int64_t item, Work work);
  void wait_for(InFlight& slot, Work work);
  void await(InFlight& slot, std::size_t i, Work work);
  void send_off(InFlight& slot, const PostedExchanges& posted);
  void poll_all();                      ///< All that is under way, once.
  std::unique_lock<std::mutex> lock();  ///< Keeps the thread, if there is one, from touching what it polls.
  void note(const std::optional<Error>& fault);

  std::vector<InFlight> slots_;
  Progress progress_;
  PollRate rate_;
  int count_in_flight_ = 0;  // departures that have not been seen to arrive
  double worked_ = 0, waited_ = 0;
  std::optional<Error> fault_;
  std::unique_ptr<ProgressThread> thread_;
};

}  // namespace seiche
