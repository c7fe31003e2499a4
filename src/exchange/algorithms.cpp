// SPDX-License-Identifier: BSD-3-Clause
/// \file  The list of exchange algorithms, and what each is made of.
#include <algorithm>
#include <array>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "exchange/kinds.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

struct Named {
  Algorithm algorithm;
  std::string_view name;
};
constexpr std::array named_algorithms {
  Named{Algorithm::alltoallv, "alltoallv"}, Named{Algorithm::alltoall, "alltoall"},
      Named{Algorithm::ialltoallv, "ialltoallv"}, Named{Algorithm::ialltoall, "ialltoall"},
#if MPI_VERSION >= 4
      Named{Algorithm::persistent, "persistent"},
#endif
      Named{Algorithm::pairwise, "pairwise"}, Named{Algorithm::put, "put"}, Named{Algorithm::two_level, "two_level"},
      Named{Algorithm::shared, "shared"}, Named {
    Algorithm::local, "local"
  }
};

constexpr auto algorithms = [] {
  std::array<Algorithm, named_algorithms.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = named_algorithms[i].algorithm;
  return all;
}();

struct NamedProgress {
  Progress progress;
  std::string_view name;
};
constexpr std::array named_progress{NamedProgress{Progress::automatic, "automatic"},
                                    NamedProgress{Progress::poll, "poll"}, NamedProgress{Progress::thread, "thread"},
                                    NamedProgress{Progress::none, "none"}};

TransportKind wire_of(Algorithm algorithm) {
  const auto collective = [](auto make, Pace pace) {
    return [make, pace](const Communicator& comm, std::size_t element, const Messages&, const Messages&) {
      return make(comm, element, pace);
    };
  };
  switch (algorithm) {
    case Algorithm::alltoall:
      return {true, collective(make_alltoall, Pace::blocking), nullptr};
    case Algorithm::ialltoall:
      return {true, collective(make_alltoall, Pace::nonblocking), nullptr};
    case Algorithm::ialltoallv:
      return {false, collective(make_alltoallv, Pace::nonblocking), nullptr};
    case Algorithm::persistent:
      return {false, collective(make_alltoallv, Pace::persistent), nullptr};
    case Algorithm::put:
      return {false, make_put, [](std::int64_t source, std::int64_t target) { return std::max(source, target); }};
    case Algorithm::two_level:
      return {false, make_two_level, [](std::int64_t source, std::int64_t target) { return source + target; }};
    default:
      return {false, collective(make_alltoallv, Pace::blocking), nullptr};
  }
}

/// Whether the counts and offsets of a collective call would exceed MPI's on some rank.
bool beyond_mpi_counts(const Communicator& comm, const Route& route, bool padded) {
  std::int64_t largest = std::max(route.source_size, route.target_size);
  if (padded) {
    for (const Patch& patch : route.source) largest = std::max(largest, patch.size() * comm.size());
  }
  return maximum(comm, largest) > count_limit();
}

bool in_pieces(const Communicator& comm, std::span<const Ends> parts, Algorithm algorithm, const TransportKind& kind) {
  bool pieces = algorithm == Algorithm::pairwise;
  for (const Ends& one : parts) pieces = pieces || beyond_mpi_counts(comm, one.route(), kind.padded);
  return pieces;
}

}  // namespace

std::span<const Algorithm> all_algorithms() { return algorithms; }

std::string_view name_of(Algorithm algorithm) {
  for (const Named& one : named_algorithms) {
    if (one.algorithm == algorithm) return one.name;
  }
  return "automatic";
}

Algorithm algorithm_named(std::string_view name) {
  std::string known(name_of(Algorithm::automatic));
  if (name == known) return Algorithm::automatic;
  for (const Named& one : named_algorithms) {
    if (name == one.name) return one.algorithm;
    known += fmt::format(", {}", one.name);
  }
  fail(Fault::bad_argument, "no way of moving is called '{}'; choose one of {}", name, known);
}

std::string_view name_of(Progress progress) { return named_progress.at(static_cast<std::size_t>(progress)).name; }

Progress progress_named(std::string_view name) {
  std::string known;
  for (const NamedProgress& one : named_progress) {
    if (name == one.name) return one.progress;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
  }
  fail(Fault::bad_argument, "no progress is called '{}'; choose one of {}", name, known);
}

Algorithm resolved_algorithm(const Communicator& comm, Algorithm wanted) {
  if (wanted != Algorithm::automatic && wanted != Algorithm::shared) return wanted;
  const bool one_node = comm.on_one_node();
  if (wanted == Algorithm::automatic) return one_node ? Algorithm::shared : Algorithm::pairwise;
  require(one_node, Fault::bad_argument,
          "the way 'shared' needs all ranks on one node; choose automatic, pairwise or alltoallv");
  return wanted;
}

std::size_t memory_of_exchanges(const Communicator& comm, std::span<const Route> parts,
                                const ExchangeRequest& request) {
  const Algorithm algorithm = resolved_algorithm(comm, request.algorithm);
  if (algorithm == Algorithm::local) require_local(comm, parts);
  const bool moves_nothing = algorithm == Algorithm::shared || algorithm == Algorithm::local;
  if (moves_nothing) {
    const bool own = request.target_memory == TargetMemory::own;
    const Route& whole = parts.front();
    return static_cast<std::size_t>(whole.source_size + (own ? whole.target_size : 0)) * request.element;
  }
  const std::vector<Ends> ends = ends_of(parts, comm.rank(), request.target_memory);
  std::size_t bytes = static_cast<std::size_t>(ends.front().elements()) * request.element;
  const Form form{request.element, request.rounded};
  const TransportKind kind = wire_of(algorithm);
  if (in_pieces(comm, ends, algorithm, kind)) return bytes + memory_of_pairwise(comm, ends, form);
  for (const Ends& one : ends) bytes += memory_of_messages(comm, one.route(), form, kind);
  return bytes;
}

std::vector<std::unique_ptr<Exchange>> make_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                      const ExchangeRequest& request) {
  std::shared_ptr<ExchangeMemory> memory;
  return make_exchanges(comm, parts, request, memory);
}

std::vector<std::unique_ptr<Exchange>> make_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                      const ExchangeRequest& request,
                                                      std::shared_ptr<ExchangeMemory>& memory) {
  if (!memory) memory = std::make_shared<ExchangeMemory>();
  const Algorithm algorithm = resolved_algorithm(comm, request.algorithm);
  if (algorithm == Algorithm::shared) return make_shared_exchanges(comm, parts, request, memory->segment);
  if (algorithm == Algorithm::local) {
    require_local(comm, parts);
    return made_together(comm, [&] { return make_local_exchanges(parts, request, comm.rank()); });
  }
  if (!memory->ends) memory->ends = std::make_shared<EndMemory>();
  const Form form{request.element, request.rounded};
  const TransportKind kind = wire_of(algorithm);
  std::vector<Ends> ends = ends_of(parts, comm.rank(), request.target_memory);
  together(comm, [&] {
    for (Ends& one : ends) one.place_in(memory->ends, request.element);
  });
  if (in_pieces(comm, ends, algorithm, kind)) return make_pairwise_exchanges(comm, form, std::move(ends));
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (Ends& one : ends) exchanges.push_back(make_message_exchange(comm, form, std::move(one), kind));
  return exchanges;
}

std::unique_ptr<Exchange> make_exchange(const Communicator& comm, const Route& route, const ExchangeRequest& request) {
  return std::move(make_exchanges(comm, {&route, 1}, request).front());
}

}  // namespace seiche
