// SPDX-License-Identifier: BSD-3-Clause
#include "seiche/presence.hpp"

#include "support/require.hpp"

namespace seiche {

MpiState mpi_state() noexcept {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return ended ? MpiState::ended : started ? MpiState::running : MpiState::not_started;
}

void require_mpi(Fault fault) {
  const MpiState state = mpi_state();
  require(state != MpiState::not_started, fault, "MPI is not initialized: call MPI_Init first");
  require(state != MpiState::ended, fault, "MPI is already finalized: make this call before MPI_Finalize");
}

}  // namespace seiche
