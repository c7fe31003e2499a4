// SPDX-License-Identifier: BSD-3-Clause
/// \file  Resources and operations of a simulated process, from its start to its end.
#pragma once

#include <cstdint>

namespace seiche::simulation {

struct Account {
  std::int64_t messages =
      0;  ///< sent by this process, also in MPI_Alltoallv; without empty messages and messages to itself
  std::int64_t bytes = 0;              ///< in these messages
  std::int64_t read = 0, written = 0;  ///< bytes of the disk
};
/// Returns the account of this process.
Account& account();

/// Returns the largest number of bytes allocated in C++ at once, without windows and MPI's own memory.
std::int64_t most_allocated();

/// Collective. Prints one line of JSON to stderr on process 0: the largest of any process and the sum of each number.
void print_account();

}  // namespace seiche::simulation
