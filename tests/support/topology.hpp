// SPDX-License-Identifier: BSD-3-Clause
/// \file  Emulated nodes, and a topology of them.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "comm/node.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

/// Emulates nodes during its lifetime, see set_ranks_per_node().
class EmulatedNodes {
 public:
  explicit EmulatedNodes(int ranks) { set_ranks_per_node(ranks); }
  ~EmulatedNodes() { set_ranks_per_node(before_); }
  EmulatedNodes(const EmulatedNodes&) = delete;
  EmulatedNodes& operator=(const EmulatedNodes&) = delete;

 private:
  const int before_ = ranks_per_node();
};

/// Sets SEICHE_TOPOLOGY during its lifetime.
class TopologySetting {
 public:
  explicit TopologySetting(const std::string& value) { setenv("SEICHE_TOPOLOGY", value.c_str(), 1); }
  ~TopologySetting() { unsetenv("SEICHE_TOPOLOGY"); }
  TopologySetting(const TopologySetting&) = delete;
  TopologySetting& operator=(const TopologySetting&) = delete;
};

/// Collective. Writes a topology file. Returns its path.
inline std::string topology_file(const ScratchDirectory& scratch, const std::string& text) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) std::ofstream(scratch.file("hosts")) << text;
  MPI_Barrier(MPI_COMM_WORLD);
  return scratch.file("hosts");
}

}  // namespace seiche::testing
