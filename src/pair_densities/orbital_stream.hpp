// SPDX-License-Identifier: BSD-3-Clause
/// \file  Passes orbitals between band groups while pairs are transformed.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "exchange/schedule.hpp"
#include "pair_densities/stored_orbitals.hpp"
#include "seiche/presence.hpp"
#include "space/queue.hpp"

namespace seiche {

/// All orbitals of a set in order. A round has one orbital of each band group. While a round is used, the next one
/// arrives. Each group sends its orbital to the others directly: in a ring, groups would use orbitals in different
/// orders, and results would depend on the number of groups. On a device, messages use host memory. The queue copies
/// between host and device.
template <class Value>
class OrbitalStream {
 public:
  using Orbitals = StoredOrbitals<Value>;

  /// `across`: the ranks that have the same part of the grid, one per band group. `window`: number of items in flight.
  /// `queue`: of the kernels that use the orbitals. `tag`: a fresh tag of `across`.
  OrbitalStream(const Communicator& across, const Orbitals& held, int window, const Queue& queue, int tag)
      : across_(across),
        held_(held),
        queue_(queue),
        groups_(across.size()),
        depth_(rounds_in_memory(groups_, window)),
        type_(element_type(sizeof(Value))),
        tag_(tag),
        arrived_(bytes_of(orbitals_in_memory(groups_, window)), Fresh::raw, queue.space()),
        messages_(bytes_of(orbitals_in_messages(groups_, queue)), Fresh::raw) {
    if (queue_.space() == Space::cuda) messages_ = messages_.pinned();
  }
  /// Completes all messages.
  ~OrbitalStream() {
    complete();
    queue_.drain();
  }
  OrbitalStream(const OrbitalStream&) = delete;
  OrbitalStream& operator=(const OrbitalStream&) = delete;

  /// Returns the number of orbitals of other groups that are in memory. A round is overwritten when the pairs of its
  /// last orbital are no longer in flight.
  static std::int64_t orbitals_in_memory(int groups, int window) {
    return std::int64_t{groups - 1} * rounds_in_memory(groups, window);
  }
  /// Returns the number of orbitals in host memory for messages: a round.
  static std::int64_t orbitals_in_messages(int groups, const Queue& queue) {
    return queue.on_host() || groups == 1 ? 0 : groups;
  }

  /// Starts to pass on a round. \pre earlier rounds have arrived
  void start(std::int64_t round) {
    if (groups_ == 1 || round * groups_ >= held_.count) return;
    round_ = round;
    const int me = across_.rank();
    for (int step = 1; step < groups_; ++step) {
      const int from = (me + step) % groups_;
      if (exists(from)) post(landing(from), from, MPI_Irecv, "MPI_Irecv");
    }
    sends_ = exists(me);
    if (sends_ && !queue_.on_host()) {
      note(fault_of([&] { leaves_ = queue_.copy(held_.orbital(round), landing(me), bytes_of(1)); }));
    }
    poll();
  }
  /// Makes progress. Returns true if the started rounds have arrived.
  bool poll() {
    if (sends_ && leaves_.done()) send();
    if (sends_) return false;
    if (requests_.empty()) return copied_.done();
    int done = 0;
    const auto fault = fault_of([&] {
      check(MPI_Testall(mpi_count(std::ssize(requests_)), requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    });
    note(fault);
    if (fault) complete();  // later rounds go on: other ranks wait for this rank's messages
    if (done != 0) arrive();
    return requests_.empty() && copied_.done();
  }
  /// Waits for the started rounds. Calls `meanwhile` between polls.
  template <class Meanwhile>
  void wait(const Meanwhile& meanwhile) {
    constexpr int polls_before_yield = 100;
    for (int polls = 0; !poll(); ++polls) {
      meanwhile();
      if (polls > polls_before_yield) sched_yield();
    }
  }
  /// Returns the values of orbital `j`. \pre its round has arrived
  const Value* orbital(std::int64_t j) const {
    const std::int64_t round = j / groups_;
    const int group = static_cast<int>(j % groups_);
    return group == across_.rank() ? held_.orbital(round) : arrived(round, group);
  }
  std::int64_t count() const { return held_.count; }
  int groups() const { return groups_; }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  static std::int64_t rounds_in_memory(int groups, int window) { return 2 + (window + groups - 2) / groups; }

  bool exists(int group) const { return round_ * groups_ + group < held_.count; }
  std::size_t bytes_of(std::int64_t orbitals) const {
    return static_cast<std::size_t>(orbitals * held_.values_of_orbital()) * sizeof(Value);
  }
  /// Returns the memory of the message with the orbital of a group in the current round.
  Value* landing(int group) const {
    if (!queue_.on_host()) return reinterpret_cast<Value*>(messages_.data()) + group * held_.values_of_orbital();
    return group == across_.rank() ? held_.orbital(round_) : arrived(round_, group);
  }
  /// Sends this group's orbital to the others. \pre it is in the memory of its message
  void send() {
    const int me = across_.rank();
    note(fault_of([this] { std::exchange(leaves_, Event()).wait(); }));
    for (int step = 1; step < groups_; ++step) {
      post(landing(me), (me - step + groups_) % groups_, MPI_Isend, "MPI_Isend");
    }
    sends_ = false;
  }
  /// Copies the orbitals that have arrived to the device.
  void arrive() {
    requests_.clear();
    for (int group = 0; group < groups_ && !queue_.on_host(); ++group) {
      if (group == across_.rank() || !exists(group)) continue;
      note(fault_of([&] { copied_ = queue_.copy(landing(group), arrived(round_, group), bytes_of(1)); }));
    }
  }
  Value* arrived(std::int64_t round, int group) const {
    const int place = group < across_.rank() ? group : group - 1;
    return reinterpret_cast<Value*>(arrived_.data()) +
           ((round % depth_) * (groups_ - 1) + place) * held_.values_of_orbital();
  }
  void complete() {
    if (mpi_state() != MpiState::running) return requests_.clear();
    if (sends_) send();
    if (!requests_.empty()) MPI_Waitall(mpi_count(std::ssize(requests_)), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }
  void note(const std::optional<Error>& fault) {
    if (fault && !fault_) fault_ = fault;
  }
  /// Posts an orbital in several messages.
  template <class Post>
  void post(Value* values, int other, Post call, const char* name) {
    const std::int64_t all = held_.values_of_orbital();
    const std::int64_t most = largest_piece(across_.on_one_node(), sizeof(Value));
    for (std::int64_t i = 0; i < all; i += most) {
      MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
      const int count = mpi_count(std::min(most, all - i));
      note(fault_of([&] { check(call(values + i, count, type_.get(), other, tag_, across_.get(), &request), name); }));
    }
  }

  Communicator across_;
  const Orbitals& held_;
  Queue queue_;
  int groups_;
  std::int64_t depth_;
  DatatypeHandle type_;
  int tag_;
  Memory arrived_, messages_;
  std::int64_t round_ = 0;  // that was started last
  bool sends_ = false;      // this group's orbital is not sent yet
  Event leaves_, copied_;   // copies to and from the memory of messages
  std::vector<MPI_Request> requests_;
  std::optional<Error> fault_;
};

}  // namespace seiche
