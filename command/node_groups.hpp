// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche tune --topology FILE`: measures which nodes are in one group, for SEICHE_TOPOLOGY.
#pragma once

#include <string>
#include <vector>

#include "session.hpp"

namespace seiche::command {

/// Returns the group of each node. `seconds`[a][b]: time of messages between two nodes. Groups have fast links inside
/// and slow links between them. Without such groups all nodes are in group 0.
std::vector<int> groups_by_time(const std::vector<std::vector<double>>& seconds);

/// Collective. Measures all pairs of nodes and writes the topology file.
void tune_topology(const Session& session, const std::string& path);

}  // namespace seiche::command
