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

constexpr std::array<Way, 4> ways{Way::alltoallv, Way::alltoall, Way::pairwise, Way::shared};

constexpr int pairwise_in_flight = 16;

std::unique_ptr<Wire> bounded_pairwise(const Communicator& comm, std::size_t element) {
  return make_pairwise(comm, element, pairwise_in_flight);
}

WireMaker wire_of(Way way) {
  switch (way) {
    case Way::alltoallv:
      return make_alltoallv;
    case Way::alltoall:
      return make_alltoall;
    default:
      return bounded_pairwise;
  }
}

/// Whether the counts and offsets of a collective call would exceed MPI's on some rank.
bool beyond_mpi_counts(const Communicator& comm, const Route& route, Way way) {
  std::int64_t largest = std::max(route.near_size, route.far_size);
  if (way == Way::alltoall) {
    for (const Patch& patch : route.near) largest = std::max(largest, patch.size());
  }
  return maximum(comm, largest) > count_limit();
}

}  // namespace

std::span<const Way> all_ways() { return ways; }

std::string_view name_of(Way way) {
  switch (way) {
    case Way::automatic:
      return "automatic";
    case Way::alltoallv:
      return "alltoallv";
    case Way::alltoall:
      return "alltoall";
    case Way::pairwise:
      return "pairwise";
    case Way::shared:
      return "shared";
  }
  return "unknown";
}

Way way_named(std::string_view name) {
  if (name == name_of(Way::automatic)) return Way::automatic;
  std::string known(name_of(Way::automatic));
  for (const Way way : ways) {
    if (name == name_of(way)) return way;
    known += fmt::format(", {}", name_of(way));
  }
  fail(Fault::bad_argument, "no way of moving is called '{}'; choose one of {}", name, known);
}

Way settled_way(const Communicator& comm, Way wanted) {
  if (wanted != Way::automatic && wanted != Way::shared) return wanted;
  const bool one_node = comm.node().size() == comm.size();
  if (wanted == Way::automatic) return one_node ? Way::shared : Way::alltoallv;
  require(one_node, Fault::bad_argument,
          "the way 'shared' needs all ranks on one node; choose automatic, alltoallv, alltoall or pairwise");
  return wanted;
}

std::unique_ptr<Exchange> make_exchange(const Communicator& comm, const Route& route, const ExchangeRequest& request) {
  const Way way = settled_way(comm, request.way);
  if (way == Way::shared) return make_shared_exchange(comm, route, request.element, request.far_end);
  const bool split = way != Way::pairwise && beyond_mpi_counts(comm, route, way);
  return make_message_exchange(comm, route, request.element, wire_of(split ? Way::pairwise : way));
}

}  // namespace seiche
