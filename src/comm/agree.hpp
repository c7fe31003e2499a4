// SPDX-License-Identifier: BSD-3-Clause
/// \file  Agreement on errors between ranks, and small collective operations on typed values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/error.hpp"
#include "seiche/presence.hpp"

namespace seiche {

/// Returns an error of a rank for an agreement: `mine`, or that of memory_fault(). Each agreement begins with it.
std::optional<Error> or_memory_fault(const std::optional<Error>& mine);

/// Same as agree(), but sleeps while it waits for other ranks.
void agree_asleep(const Communicator& comm, const std::optional<Error>& mine);

/// Collective. All ranks throw the error of rank `first`. No rank throws if `first` is the number of ranks.
void throw_of(const Communicator& comm, int first, const std::optional<Error>& mine);

/// Collective. Calls `work` and agrees on its error. \pre `work` does not communicate, or only in calls that fail on
/// all of their ranks or on none
template <class Work>
void together(const Communicator& comm, const Work& work) {
  agree(comm, fault_of(work));
}

/// Collective. Returns the result of `make` on this rank. \throws on all ranks if it throws on any. \pre as together()
template <class Make>
auto made_together(const Communicator& comm, const Make& make) {
  std::optional<std::invoke_result_t<Make>> made;
  together(comm, [&] { made.emplace(make()); });
  return std::move(*made);
}

/// Collective. Calls `work` on rank 0 only, while other ranks sleep. If it throws, all ranks throw the same error.
template <class Work>
void on_root(const Communicator& comm, const Work& work) {
  agree_asleep(comm, comm.rank() == 0 ? fault_of(work) : std::nullopt);
}

/// Collective. Broadcasts `bytes` of rank 0, of any length (split below MPI's limit of counts).
void broadcast(const Communicator& comm, std::string& bytes);

std::int64_t sum(const Communicator& comm, std::int64_t mine);
/// Collective. Returns the smallest and the largest value of all ranks.
std::pair<std::int64_t, std::int64_t> bounds(const Communicator& comm, std::int64_t mine);
/// Collective. Reduces all values except the first to their minimum over ranks. The first value is reserved for the
/// error. \throws the error of the lowest rank that has one
void least_of(const Communicator& comm, std::span<std::int64_t> values, const std::optional<Error>& fault);
/// Collective. Same for several values, with one message. \throws the error of the lowest rank that has one
template <std::size_t n>
std::array<std::pair<std::int64_t, std::int64_t>, n> bounds(const Communicator& comm,
                                                            const std::array<std::int64_t, n>& mine,
                                                            const std::optional<Error>& fault) {
  std::array<std::int64_t, 2 * n + 1> least{};
  for (std::size_t i = 0; i < n; ++i) {
    least[1 + 2 * i] = mine[i];
    least[2 + 2 * i] = ~mine[i];  // ~ reverses the order of all numbers
  }
  least_of(comm, least, fault);
  std::array<std::pair<std::int64_t, std::int64_t>, n> all;
  for (std::size_t i = 0; i < n; ++i) all[i] = {least[1 + 2 * i], ~least[2 + 2 * i]};
  return all;
}
std::int64_t maximum(const Communicator& comm, std::int64_t mine);
double maximum(const Communicator& comm, double mine);
/// Collective. Replaces each value by the result of `op` over ranks. All ranks pass equally many.
void reduce_each(const Communicator& comm, std::span<std::int64_t> values, MPI_Op op);
void reduce_each(const Communicator& comm, std::span<double> values, MPI_Op op);
/// Collective. Returns the sum or the maximum over ranks of each element. All ranks pass equally many.
std::vector<std::int64_t> sum_each(const Communicator& comm, std::vector<std::int64_t> mine);
std::vector<std::int64_t> maximum_each(const Communicator& comm, std::vector<std::int64_t> mine);
/// Collective. Sends equally many elements to each rank, in rank order. Receives those of each rank, in rank order.
void exchange_each(const Communicator& comm, std::span<const std::int64_t> to_ranks,
                   std::span<std::int64_t> from_ranks);
/// Collective. Sends the same numbers to all ranks. Receives those of each rank, in rank order. All pass equally many.
void gather_each(const Communicator& comm, std::span<const double> mine, std::span<double> of_ranks);
/// Collective. Broadcasts bytes of the first of `members` to the others. The list must be equal on all members.
void broadcast_among(const Communicator& comm, const std::vector<int>& members, std::span<std::byte> bytes);
/// Collective. Returns the values of all ranks in rank order.
std::vector<std::int64_t> gather_all(const Communicator& comm, std::int64_t mine);
/// Collective. Returns the values of all ranks, concatenated in rank order.
std::vector<std::int64_t> join_all(const Communicator& comm, const std::vector<std::int64_t>& mine);
std::vector<double> join_all(const Communicator& comm, const std::vector<double>& mine);

}  // namespace seiche
