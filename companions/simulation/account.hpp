// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a simulated process took and did, from its beginning to its end.
#pragma once

#include <cstdint>

namespace seiche::simulation {

struct Account {
  std::int64_t messages = 0;  ///< that it sent, itself and in MPI_Alltoallv; those to itself and empty ones are none
  std::int64_t bytes = 0;     ///< in these messages
  std::int64_t read = 0, written = 0;  ///< bytes of the disk
};
/// Of this process.
Account& account();

/// The most bytes that this process had allocated at once in C++. Windows and MPI's own memory are not among them.
std::int64_t most_allocated();

/// Collective. One line of JSON to stderr, on process 0: of each number the largest of any process, and the sum of all.
void print_account();

}  // namespace seiche::simulation
