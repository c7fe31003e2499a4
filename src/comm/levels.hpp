// SPDX-License-Identifier: BSD-3-Clause
/// \file  Levels of a machine: nodes, and groups of nodes.
#pragma once

#include <string>
#include <vector>

#include "seiche/topology.hpp"

namespace seiche {

/// A table of the hosts of a machine.
struct HostTable {
  std::vector<std::string> levels;  ///< names, from the smallest groups to the largest
  std::vector<std::string> hosts;
  std::vector<std::vector<std::string>> groups;  ///< [host][level]
  std::string path;                              ///< for errors
};
/// Returns the table in a text. The first line is "host" and the names of the levels. Other lines have a host and its
/// groups. '#' begins a comment. \throws Error(bad_file) that names the line
HostTable host_table(const std::string& text, const std::string& path);

/// Groups of ranks in a level. A group has the number of its lowest rank before order_ranks().
struct Level {
  std::string name;
  std::vector<int> given;    ///< group of each rank before order_ranks()
  std::vector<int> ordered;  ///< group of each rank after it
};
/// Returns the levels of some ranks. `groups`: [rank][level], the names of groups. Groups with equal names are
/// different if groups of a higher level contain them.
std::vector<Level> nested_levels(const std::vector<std::string>& names,
                                 const std::vector<std::vector<std::string>>& groups);
/// Sets Level::ordered. Returns the ranks in their order: by groups of the highest level, then of lower levels, then by
/// rank. Groups are in the order of their lowest ranks.
std::vector<int> put_in_order(std::vector<Level>& levels);

/// Local. Returns the levels of a result of order_ranks(), from nodes to the largest groups. Empty: unknown.
const std::vector<Level>& levels_of(const Communicator& comm);

/// Collective. Returns a communicator of the same ranks that order_ranks() does not change.
Communicator in_given_order(const Communicator& comm);

}  // namespace seiche
