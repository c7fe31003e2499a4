// SPDX-License-Identifier: BSD-3-Clause
#include "predict/links.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "support/require.hpp"

namespace seiche::predict {

namespace {

/// Returns the link of a machine. \throws Error if it is needed but was not measured
Link link_of(const std::optional<Link>& link, bool needed, const char* where) {
  require(link.has_value() || !needed, Fault::bad_argument,
          "the machine file has no rates of messages {}: measure the machine again with seiche tune --machine, on "
          "processes that exchange such messages",
          where);
  return link.value_or(Link{});
}

}  // namespace

double rounds_of(int ranks) {
  const int whole = std::bit_width(static_cast<unsigned>(ranks)) - 1;
  return whole + (std::has_single_bit(static_cast<unsigned>(ranks)) ? 0 : 2);
}

Links links_of(const Machine& machine, const Where& where) {
  const bool neighbours = where.ranks_of_node() > 1;
  return {link_of(machine.inside, neighbours, "inside a node"),
          link_of(machine.between, where.nodes > 1, "between nodes")};
}

std::string longest_of(const Parts& parts, bool network_hides_work) {
  const std::array<std::pair<double, const char*>, 6> all{{{parts.lines, "lines"},
                                                           {parts.memory, "memory"},
                                                           {parts.cpu, "cpu"},
                                                           {parts.network, "network"},
                                                           {parts.latency, "latency"},
                                                           {parts.disk, "disk"}}};
  if (network_hides_work) return "network";
  return std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

}  // namespace seiche::predict
