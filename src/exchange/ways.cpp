// SPDX-License-Identifier: BSD-3-Clause
/// \file  The list of ways of moving, and what each is made of.
#include <algorithm>
#include <array>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "exchange/kinds.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

struct Named {
  Way way;
  std::string_view name;
};
constexpr std::array named_ways {
  Named{Way::alltoallv, "alltoallv"}, Named{Way::alltoall, "alltoall"}, Named{Way::ialltoallv, "ialltoallv"},
      Named{Way::ialltoall, "ialltoall"},
#if MPI_VERSION >= 4
      Named{Way::persistent, "persistent"},
#endif
      Named{Way::pairwise, "pairwise"}, Named{Way::put, "put"}, Named{Way::two_level, "two_level"}, Named {
    Way::shared, "shared"
  }
};

constexpr auto ways = [] {
  std::array<Way, named_ways.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = named_ways[i].way;
  return all;
}();

struct NamedProgress {
  Progress progress;
  std::string_view name;
};
constexpr std::array named_progress{NamedProgress{Progress::automatic, "automatic"},
                                    NamedProgress{Progress::poll, "poll"}, NamedProgress{Progress::thread, "thread"},
                                    NamedProgress{Progress::none, "none"}};

WireKind wire_of(Way way) {
  const auto collective = [](auto make, Pace pace) {
    return [make, pace](const Communicator& comm, std::size_t element, const Messages&, const Messages&) {
      return make(comm, element, pace);
    };
  };
  switch (way) {
    case Way::alltoall:
      return {true, collective(make_alltoall, Pace::blocking), nullptr};
    case Way::ialltoall:
      return {true, collective(make_alltoall, Pace::nonblocking), nullptr};
    case Way::ialltoallv:
      return {false, collective(make_alltoallv, Pace::nonblocking), nullptr};
    case Way::persistent:
      return {false, collective(make_alltoallv, Pace::persistent), nullptr};
    case Way::put:
      return {false, make_put, [](std::int64_t near, std::int64_t far) { return std::max(near, far); }};
    case Way::two_level:
      return {false, make_two_level, [](std::int64_t near, std::int64_t far) { return near + far; }};
    default:
      return {false, collective(make_alltoallv, Pace::blocking), nullptr};
  }
}

/// Whether the counts and offsets of a collective call would exceed MPI's on some rank.
bool beyond_mpi_counts(const Communicator& comm, const Route& route, bool padded) {
  std::int64_t largest = std::max(route.near_size, route.far_size);
  if (padded) {
    for (const Patch& patch : route.near) largest = std::max(largest, patch.size() * comm.size());
  }
  return maximum(comm, largest) > count_limit();
}

/// Fresh memory is zero.
void make_room(Bytes& memory, std::size_t bytes) {
  if (memory.size() >= bytes) return;
  memory = Bytes();
  memory.resize(bytes);
}

bool splits(const Communicator& comm, const Route& route, Way way, const WireKind& kind) {
  return way == Way::pairwise || beyond_mpi_counts(comm, route, kind.padded);
}

}  // namespace

std::span<const Way> all_ways() { return ways; }

std::string_view name_of(Way way) {
  for (const Named& one : named_ways) {
    if (one.way == way) return one.name;
  }
  return "automatic";
}

Way way_named(std::string_view name) {
  std::string known(name_of(Way::automatic));
  if (name == known) return Way::automatic;
  for (const Named& one : named_ways) {
    if (name == one.name) return one.way;
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

Way settled_way(const Communicator& comm, Way wanted) {
  if (wanted != Way::automatic && wanted != Way::shared) return wanted;
  const bool one_node = comm.on_one_node();
  if (wanted == Way::automatic) return one_node ? Way::shared : Way::pairwise;
  require(one_node, Fault::bad_argument,
          "the way 'shared' needs all ranks on one node; choose automatic, pairwise or alltoallv");
  return wanted;
}

std::size_t memory_of_exchanges(const Communicator& comm, std::span<const Route> parts,
                                const ExchangeRequest& request) {
  const Way way = settled_way(comm, request.way);
  const bool lent = way == Way::shared && request.far_end == FarEnd::lent;
  const Route& whole = parts.front();
  std::size_t bytes = static_cast<std::size_t>(whole.near_size + (lent ? 0 : whole.far_size)) * request.element;
  if (way == Way::shared) return bytes;
  const Form form{request.element, request.rounded};
  const WireKind kind = wire_of(way);
  for (const Route& route : parts) {
    bytes += splits(comm, route, way, kind) ? memory_of_pairwise(comm, route, form)
                                            : memory_of_messages(comm, route, form, kind);
  }
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
  const Way way = settled_way(comm, request.way);
  if (way == Way::shared) return make_shared_exchanges(comm, parts, request, memory->segment);
  if (!memory->ends) memory->ends = std::make_shared<EndMemory>();
  make_room(memory->ends->near, static_cast<std::size_t>(parts.front().near_size) * request.element);
  make_room(memory->ends->far, static_cast<std::size_t>(parts.front().far_size) * request.element);
  const Form form{request.element, request.rounded};
  const WireKind kind = wire_of(way);
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (const Route& route : parts) {
    exchanges.push_back(splits(comm, route, way, kind) ? make_pairwise_exchange(comm, route, form, memory->ends)
                                                       : make_message_exchange(comm, route, form, memory->ends, kind));
  }
  return exchanges;
}

std::unique_ptr<Exchange> make_exchange(const Communicator& comm, const Route& route, const ExchangeRequest& request) {
  return std::move(make_exchanges(comm, {&route, 1}, request).front());
}

}  // namespace seiche
