// SPDX-License-Identifier: BSD-3-Clause
/// \file  What was served and what was forwarded, told at the end where SEICHE_FFTW_MPI_REPORT is set.
#pragma once

#include <cstdint>

namespace seiche::fftw_mpi {

struct Account {
  std::int64_t plans_served = 0, plans_forwarded = 0, executions_served = 0, executions_forwarded = 0;
  int rank = 0;  ///< in MPI_COMM_WORLD; rank 0 tells
};
Account& account();

/// Why this library did not take a problem that it could have.
void tell_refusal(const char* why);

}  // namespace seiche::fftw_mpi
