// SPDX-License-Identifier: BSD-3-Clause
/// \file  Registry of exchange algorithms.
#include <algorithm>
#include <array>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "comm/communicator_body.hpp"
#include "exchange/kinds.hpp"
#include "interface/status_members.hpp"
#include "space/mpi_access.hpp"
#include "space/peer_memory.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Names of removed algorithms, and their replacements.
constexpr std::array former_algorithms{std::pair<std::string_view, Algorithm>{"ialltoall", Algorithm::ialltoallv},
                                       std::pair<std::string_view, Algorithm>{"persistent", Algorithm::ialltoallv},
                                       std::pair<std::string_view, Algorithm>{"put", Algorithm::pairwise}};

/// All algorithms except `automatic`, which is the first enumerator.
constexpr auto algorithms = [] {
  std::array<Algorithm, WordsOf<Algorithm>::all.size() - 1> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = WordsOf<Algorithm>::all[i + 1].second;
  return all;
}();

template <class Enum>
std::string_view word_of(Enum value) {
  for (const auto& [word, known] : WordsOf<Enum>::all) {
    if (known == value) return word;
  }
  return "?";
}

/// Returns the enumerator with a name. \throws Error for an unknown name; the message lists the known ones. `what`:
/// e.g. "exchange algorithm"
template <class Enum>
Enum enum_named(std::string_view name, const char* what) {
  std::string known;
  for (const auto& [word, value] : WordsOf<Enum>::all) {
    if (name == word) return value;
    known += formatted("{}{}", known.empty() ? "" : ", ", word);
  }
  fail(Fault::bad_argument, "unknown {} '{}': use one of {}", what, name, known);
}

TransportKind transport_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::alltoall:
      return {.make = make_alltoall, .padded = true};
    case Algorithm::ialltoallv:
      return {.make = make_ialltoallv};
    case Algorithm::two_level:
      return {.make = make_two_level,
              .own_elements = [](std::int64_t source, std::int64_t target) { return source + target; }};
    default:
      return {.make = make_alltoallv};
  }
}

/// Tells whether counts or offsets of a collective call would exceed MPI's limit on any rank.
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

std::string_view name_of(Algorithm algorithm) { return word_of(algorithm); }

Algorithm algorithm_named(std::string_view name) {
  for (const auto& [word, algorithm] : former_algorithms) {
    if (name == word) return algorithm;
  }
  return enum_named<Algorithm>(name, "exchange algorithm");
}

std::string_view name_of(Progress progress) { return word_of(progress); }
Progress progress_named(std::string_view name) { return enum_named<Progress>(name, "progress"); }

Algorithm resolved_algorithm(const Communicator& comm, Algorithm wanted) {
  if (wanted != Algorithm::automatic && wanted != Algorithm::shared) return wanted;
  const bool one_node = comm.on_one_node();
  if (wanted == Algorithm::automatic) return one_node ? Algorithm::shared : Algorithm::pairwise;
  require(one_node, Fault::bad_argument,
          "the exchange algorithm 'shared' needs all ranks on one node: use automatic, pairwise or alltoallv");
  return wanted;
}

namespace {

/// Memory spaces that each algorithm supports.
constexpr std::array moved_spaces{
    std::pair{Algorithm::alltoallv, Space::host},  std::pair{Algorithm::alltoall, Space::host},
    std::pair{Algorithm::ialltoallv, Space::host}, std::pair{Algorithm::pairwise, Space::host},
    std::pair{Algorithm::two_level, Space::host},  std::pair{Algorithm::shared, Space::host},
    std::pair{Algorithm::local, Space::host},      std::pair{Algorithm::local, Space::cuda},
    std::pair{Algorithm::shared, Space::cuda}};

/// Algorithms that only pass contiguous messages to MPI functions that accept device memory.
constexpr std::array sent_from_devices{Algorithm::pairwise, Algorithm::alltoallv};

/// Returns the bytes of this rank at both ends. The target has none if it shares the memory of the source.
SharedWindow::Sizes sizes_of(std::span<const Route> parts, const ExchangeRequest& request, Algorithm algorithm) {
  const bool moves_nothing = algorithm == Algorithm::shared || algorithm == Algorithm::local;
  const bool one_end = moves_nothing && request.target_memory == TargetMemory::zero_copy;
  const Route& whole = parts.front();
  return {static_cast<std::size_t>(whole.source_size) * request.element,
          one_end ? 0 : static_cast<std::size_t>(whole.target_size) * request.element};
}

/// Tells whether earlier memory is of the requested kind and large enough for the exchanges.
bool holds(const ExchangeMemory& memory, const SharedWindow::Sizes& sizes, bool shared, std::size_t parts) {
  return memory.source.shared() == shared && memory.source.size() >= sizes[0] && memory.target.size() >= sizes[1] &&
         memory.source.data() != nullptr && (!shared || memory.source.window().turn_sets() >= parts);
}

/// Collective. Allocates private memory of each rank.
ExchangeMemory own_memory(const Communicator& comm, const SharedWindow::Sizes& sizes, Space space, Fresh fresh,
                          const ExchangeMemory& earlier) {
  const bool fits = holds(earlier, sizes, false, 1) && earlier.source.space() == space;
  return made_together(comm, [&] {
    return fits ? earlier : ExchangeMemory{Memory(sizes[0], fresh, space), Memory(sizes[1], fresh, space)};
  });
}

/// Collective. Allocates memory of messages of staged exchanges.
ExchangeMemory sent_memory(const Communicator& comm, std::span<const Route> routes, const ExchangeRequest& request,
                           Fresh fresh, const ExchangeMemory& earlier) {
  const ExchangeRequest inner = request_of_messages(request);
  if (!request.from_device) return memory_for(comm, routes, inner, fresh, earlier);
  return own_memory(comm, sizes_of(routes, inner, inner.algorithm), message_space(request.queue.space()), fresh,
                    earlier);
}

/// Collective. Allocates device memory, and memory of messages.
ExchangeMemory staged_memory(const Communicator& comm, std::span<const Route> parts, const ExchangeRequest& request,
                             Fresh fresh, const ExchangeMemory& earlier) {
  const SharedWindow::Sizes sizes = sizes_of(parts, request, resolved_algorithm(comm, request.algorithm));
  ExchangeMemory memory = own_memory(comm, sizes, request.queue.space(), fresh, {earlier.source, earlier.target});
  const ExchangeMemory sent = sent_memory(comm, routes_of_messages(parts, comm.rank()), request, fresh,
                                          {earlier.sent_source, earlier.sent_target});
  const bool pins = sent.source.space() == Space::host;
  return made_together(comm, [&] {
    memory.sent_source = pins ? sent.source.pinned() : sent.source;
    memory.sent_target = pins ? sent.target.pinned() : sent.target;
    return memory;
  });
}

}  // namespace

ExchangeRequest in_space(ExchangeRequest request, const Communicator& comm) {
  if (request.queue.on_host()) return request;
  const bool shared = request.algorithm == Algorithm::shared;
  if (shared && comm.size() == 1) {
    request.algorithm = Algorithm::local;
  } else if (shared && !peer_memory(comm)) {
    request.algorithm = Algorithm::pairwise;
  }
  // kernels read one array, not the memory of other ranks
  if (request.algorithm != Algorithm::local) request.target_memory = TargetMemory::own;
  const Algorithm algorithm = resolved_algorithm(comm, request.algorithm);
  const bool sends =
      std::find(sent_from_devices.begin(), sent_from_devices.end(), algorithm) != sent_from_devices.end();
  request.from_device = sends && !request.rounded && mpi_accesses(comm, request.queue.space());
  return request;
}

std::string_view place_of_messages(const Communicator& comm, const ExchangeRequest& request) {
  const Algorithm algorithm = resolved_algorithm(comm, request.algorithm);
  const bool direct = algorithm == Algorithm::local || algorithm == Algorithm::shared;
  if (comm.size() == 1 || (direct && moves(algorithm, request.queue.space()))) return "none";
  return request.from_device ? "device" : "host";
}

bool moves(Algorithm algorithm, Space space) {
  return std::find(moved_spaces.begin(), moved_spaces.end(), std::pair{algorithm, space}) != moved_spaces.end();
}

ExchangeMemory memory_for(const Communicator& comm, std::span<const Route> parts, const ExchangeRequest& request,
                          Fresh fresh, const ExchangeMemory& earlier) {
  const Algorithm algorithm = resolved_algorithm(comm, request.algorithm);
  if (!moves(algorithm, request.queue.space())) return staged_memory(comm, parts, request, fresh, earlier);
  const SharedWindow::Sizes sizes = sizes_of(parts, request, algorithm);
  if (algorithm != Algorithm::shared) return own_memory(comm, sizes, request.queue.space(), fresh, earlier);
  const Space space = request.queue.space();
  const bool fits = holds(earlier, sizes, true, parts.size()) && earlier.source.space() == space;
  if (maximum(comm, std::int64_t{!fits}) == 0) return earlier;
  const auto window = std::make_shared<const SharedWindow>(comm, sizes, parts.size(), space);
  ExchangeMemory memory{Memory(window, 0), Memory(window, 1)};
  if (fresh == Fresh::zero && space == Space::host) {
    memory.source.clear();
    memory.target.clear();
  }
  return memory;
}

std::size_t memory_of_exchanges(const Communicator& comm, std::span<const Route> parts,
                                const ExchangeRequest& request) {
  const Algorithm algorithm = resolved_algorithm(comm, request.algorithm);
  if (algorithm == Algorithm::local) require_local(comm, parts);
  const auto [source, target] = sizes_of(parts, request, algorithm);
  std::size_t bytes = source + target;
  if (!moves(algorithm, request.queue.space()))
    return bytes + memory_of_exchanges(comm, routes_of_messages(parts, comm.rank()), request_of_messages(request));
  if (algorithm == Algorithm::shared || algorithm == Algorithm::local) return bytes;
  const std::vector<Ends> ends = ends_of(parts, comm.rank(), request);
  const Form form{request.element, request.rounded, request.from_device};
  const TransportKind kind = transport_of(algorithm);
  if (in_pieces(comm, ends, algorithm, kind)) return bytes + memory_of_pairwise(comm, ends, form);
  for (const Ends& one : ends) bytes += memory_of_messages(comm, one.route(), form, kind);
  return bytes;
}

std::vector<std::unique_ptr<Exchange>> make_exchanges(const Communicator& comm, std::span<const Route> parts,
                                                      const ExchangeRequest& request, const ExchangeMemory& memory) {
  const Algorithm algorithm = resolved_algorithm(comm, request.algorithm);
  if (!moves(algorithm, request.queue.space())) return make_staged_exchanges(comm, parts, request, memory);
  if (algorithm == Algorithm::shared) return make_shared_exchanges(comm, parts, request, memory);
  if (algorithm == Algorithm::local) {
    require_local(comm, parts);
    return made_together(comm, [&] { return make_local_exchanges(parts, request, comm.rank(), memory); });
  }
  const Form form{request.element, request.rounded, request.from_device};
  const TransportKind kind = transport_of(algorithm);
  std::vector<Ends> ends = made_together(comm, [&] { return ends_of(parts, comm.rank(), request); });
  for (Ends& one : ends) one.place_in(memory);
  if (in_pieces(comm, ends, algorithm, kind)) {
    const int first_tag = body_of(comm).fresh_tags(ends.size());
    return made_together(comm, [&] { return pairwise_exchanges(comm, first_tag, form, std::move(ends)); });
  }
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (Ends& one : ends) exchanges.push_back(make_message_exchange(comm, form, std::move(one), kind));
  return exchanges;
}

std::unique_ptr<Exchange> make_exchange(const Communicator& comm, const Route& route, const ExchangeRequest& request,
                                        Fresh fresh) {
  const std::span<const Route> one(&route, 1);
  return std::move(make_exchanges(comm, one, request, memory_for(comm, one, request, fresh)).front());
}

}  // namespace seiche
