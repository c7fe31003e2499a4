// SPDX-License-Identifier: BSD-3-Clause
/// \file  Communicators in the record: identified by a number that all their ranks compute without communication, from
/// the members and the number of earlier communicators with the same members.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace seiche::profile {

struct Members {
  std::uint64_t id = 0, group = 0;
  int size = 1, rank = 0;
  bool between = false;           ///< an intercommunicator: collectives are not recorded
  std::uint32_t index = 0;        ///< index in the record
  std::uint64_t collectives = 0;  ///< number of collectives so far
  std::vector<int> world;         ///< world rank of each partner
};

/// Returns a handle of C or Fortran as a number.
inline std::uint64_t key_of(MPI_Comm comm) {
  std::uint64_t key = 0;
  __builtin_memcpy(&key, &comm, sizeof comm);
  return key;
}

Members& members_of(MPI_Comm comm, std::uint64_t key);
void forget(std::uint64_t key);

}  // namespace seiche::profile
