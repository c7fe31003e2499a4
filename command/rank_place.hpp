// SPDX-License-Identifier: BSD-3-Clause
/// \file  The position of a rank on its machine. Hosts made of network namespaces share one kernel and its cores.
#pragma once

#include <string>
#include <vector>

#include "kernel.hpp"
#include "session.hpp"

namespace seiche::command {

struct RankPlace {
  /// Collective.
  explicit RankPlace(const Session& session);
  SameKernel kernel;
  int in_node = 0, ranks_of_node = 1, nodes = 1, leader = 0, working_at_most = 1;
  double hosts_of_kernel = 1, cores = 1;
};

/// Collective. Returns the name of the host of each rank.
std::vector<std::string> names_of_hosts(MPI_Comm comm);

}  // namespace seiche::command
