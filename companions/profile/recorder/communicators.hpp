// SPDX-License-Identifier: BSD-3-Clause
/// \file  Communicators as the record knows them: by a number that all their ranks agree on without talking, from the
/// members and how many with the same members came before.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace seiche::profile {

struct Members {
  std::uint64_t id = 0, group = 0;
  int size = 1, rank = 0;
  bool between = false;           ///< an intercommunicator: collectives are not followed
  std::uint32_t index = 0;        ///< in the record
  std::uint64_t collectives = 0;  ///< so far
  std::vector<int> world;         ///< world rank of each partner
};

/// A handle of C's or Fortran's, as one number.
inline std::uint64_t key_of(MPI_Comm comm) {
  std::uint64_t key = 0;
  __builtin_memcpy(&key, &comm, sizeof comm);
  return key;
}

Members& members_of(MPI_Comm comm, std::uint64_t key);
void forget(std::uint64_t key);

}  // namespace seiche::profile
