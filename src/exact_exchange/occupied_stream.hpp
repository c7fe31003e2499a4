// SPDX-License-Identifier: BSD-3-Clause
/// \file  Passes occupied orbitals between band groups while pairs are transformed.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "exact_exchange/occupied_body.hpp"
#include "seiche/presence.hpp"

namespace seiche {

/// All occupied orbitals in order. A round has one orbital of each band group. While a round is used, the next one
/// arrives. Each group sends its orbital to the others directly: in a ring, groups would use orbitals in different
/// orders, and results would depend on the number of groups.
template <class Value>
class OccupiedStream {
 public:
  using Orbitals = typename OccupiedOrbitals<Value>::Body;

  /// `across`: the ranks that have the same part of the grid, one per band group. `window`: number of pairs in flight.
  OccupiedStream(const Communicator& across, const Orbitals& held, int window)
      : across_(across),
        held_(held),
        groups_(across.size()),
        depth_(rounds_in_memory(groups_, window)),
        type_(element_type(sizeof(Value))),
        tag_(body_of(across).fresh_tag()),
        arrived_(
            static_cast<std::size_t>(orbitals_in_memory(groups_, window) * held.values_of_orbital()) * sizeof(Value),
            Fresh::raw) {}
  /// Completes all messages.
  ~OccupiedStream() { complete(); }
  OccupiedStream(const OccupiedStream&) = delete;
  OccupiedStream& operator=(const OccupiedStream&) = delete;

  /// Returns the number of orbitals of other groups that are in memory. A round is overwritten when the pairs of its
  /// last orbital are no longer in flight.
  static std::int64_t orbitals_in_memory(int groups, int window) {
    return std::int64_t{groups - 1} * rounds_in_memory(groups, window);
  }

  /// Starts to pass on a round.
  void start(std::int64_t round) {
    if (groups_ == 1 || round * groups_ >= held_.count()) return;
    const int me = across_.rank();
    for (int step = 1; step < groups_; ++step) {
      const int from = (me + step) % groups_, to = (me - step + groups_) % groups_;
      if (round * groups_ + from < held_.count()) post(arrived(round, from), from, MPI_Irecv, "MPI_Irecv");
      if (round * groups_ + me < held_.count()) post(held_.orbital(round), to, MPI_Isend, "MPI_Isend");
    }
  }
  /// Makes progress. Returns true if the started rounds have arrived.
  bool poll() {
    if (requests_.empty()) return true;
    int done = 0;
    const auto fault = fault_of([&] {
      check(MPI_Testall(mpi_count(std::ssize(requests_)), requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    });
    note(fault);
    if (fault) complete();  // later rounds go on: other ranks wait for this rank's messages
    if (done != 0) requests_.clear();
    return requests_.empty();
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
  double weight(std::int64_t j) const { return held_.weights[static_cast<std::size_t>(j)]; }
  std::int64_t count() const { return held_.count(); }
  int groups() const { return groups_; }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  static std::int64_t rounds_in_memory(int groups, int window) { return 2 + (window + groups - 2) / groups; }

  Value* arrived(std::int64_t round, int group) const {
    const int place = group < across_.rank() ? group : group - 1;
    return reinterpret_cast<Value*>(arrived_.data()) +
           ((round % depth_) * (groups_ - 1) + place) * held_.values_of_orbital();
  }
  void complete() {
    if (!requests_.empty()) MPI_Waitall(mpi_count(std::ssize(requests_)), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }
  void note(const std::optional<Error>& fault) {
    if (fault && !fault_) fault_ = fault;
  }
  /// Posts an orbital in messages of at most count_limit() values.
  template <class Post>
  void post(Value* values, int other, Post call, const char* name) {
    const std::int64_t all = held_.values_of_orbital();
    for (std::int64_t i = 0; i < all; i += count_limit()) {
      MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
      const int count = mpi_count(std::min(count_limit(), all - i));
      note(fault_of([&] { check(call(values + i, count, type_.get(), other, tag_, across_.get(), &request), name); }));
    }
  }

  Communicator across_;
  const Orbitals& held_;
  int groups_;
  std::int64_t depth_;
  DatatypeHandle type_;
  int tag_;
  Memory arrived_;
  std::vector<MPI_Request> requests_;
  std::optional<Error> fault_;
};

}  // namespace seiche
