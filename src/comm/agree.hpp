// SPDX-License-Identifier: BSD-3-Clause
/// \file  Makes collective calls throw on every rank or on none; small collectives on typed values.
#pragma once

#include <fmt/core.h>

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

/// agree() where others may be late: leaves the processor to them meanwhile.
void agree_asleep(const Communicator& comm, const std::optional<Error>& mine);

/// Collective. All ranks throw what rank `first` brings; none does if there is no such rank.
void throw_of(const Communicator& comm, int first, const std::optional<Error>& mine);

/// Collective. Runs `work` on this rank and agrees on what it threw. \pre `work` communicates with nobody, or among
/// some of the ranks in calls that throw on all of these or on none
template <class Work>
void together(const Communicator& comm, const Work& work) {
  agree(comm, fault_of(work));
}

/// Collective. Returns what `make` makes on this rank. \throws on all ranks what it throws on any. \pre as together()
template <class Make>
auto made_together(const Communicator& comm, const Make& make) {
  std::optional<std::invoke_result_t<Make>> made;
  together(comm, [&] { made.emplace(make()); });
  return std::move(*made);
}

/// A sentence with places for two numbers.
using Compared = fmt::format_string<std::int64_t&, std::int64_t&>;
/// Collective. The same, and in the same message it is seen whether `value` is one on all ranks. \throws Error with
/// `sentence`, which names the least and the greatest where it says {}, where it is not
void agree_on(const Communicator& comm, std::int64_t value, Compared sentence, const std::optional<Error>& mine);

/// Collective. Runs `work` on rank 0 only, while the others sleep; if it throws, all ranks throw the same.
template <class Work>
void on_root(const Communicator& comm, const Work& work) {
  agree_asleep(comm, comm.rank() == 0 ? fault_of(work) : std::nullopt);
}

/// Collective. Makes `bytes` of rank 0 known to all (any length; split below MPI's count limit).
void broadcast(const Communicator& comm, std::string& bytes);

std::int64_t sum(const Communicator& comm, std::int64_t mine);
/// Collective. The least and the greatest of the ranks' values.
std::pair<std::int64_t, std::int64_t> bounds(const Communicator& comm, std::int64_t mine);
/// Collective. Reduces all values but the first to the least of the ranks'. \throws the fault of the lowest rank that
/// has one, for which the first value is the room
void least_of(const Communicator& comm, std::span<std::int64_t> values, const std::optional<Error>& fault);
/// Collective. The same of several values, by one message. \throws the fault of the lowest rank that has one
template <std::size_t n>
std::array<std::pair<std::int64_t, std::int64_t>, n> bounds(const Communicator& comm,
                                                            const std::array<std::int64_t, n>& mine,
                                                            const std::optional<Error>& fault) {
  std::array<std::int64_t, 2 * n + 1> least{};
  for (std::size_t i = 0; i < n; ++i) {
    least[1 + 2 * i] = mine[i];
    least[2 + 2 * i] = -mine[i];
  }
  least_of(comm, least, fault);
  std::array<std::pair<std::int64_t, std::int64_t>, n> all;
  for (std::size_t i = 0; i < n; ++i) all[i] = {least[1 + 2 * i], -least[2 + 2 * i]};
  return all;
}
std::int64_t maximum(const Communicator& comm, std::int64_t mine);
double maximum(const Communicator& comm, double mine);
/// Collective. The sum, or the maximum, over ranks of each element; all ranks bring as many.
std::vector<std::int64_t> sum_each(const Communicator& comm, const std::vector<std::int64_t>& mine);
std::vector<std::int64_t> maximum_each(const Communicator& comm, const std::vector<std::int64_t>& mine);
/// Collective. Sends element q to rank q. Element q of the result is what rank q sent to this rank.
std::vector<std::int64_t> exchange_each(const Communicator& comm, const std::vector<std::int64_t>& to_ranks);
/// Collective. Makes the bytes of the first of `members`, the same list of ranks on each, known to the other members.
void broadcast_among(const Communicator& comm, const std::vector<int>& members, std::span<std::byte> bytes);
/// Collective. Every rank's value, in rank order.
std::vector<std::int64_t> gather_all(const Communicator& comm, std::int64_t mine);
/// Collective. Every rank's values, joined in rank order.
std::vector<std::int64_t> join_all(const Communicator& comm, const std::vector<std::int64_t>& mine);
std::vector<double> join_all(const Communicator& comm, const std::vector<double>& mine);

}  // namespace seiche
