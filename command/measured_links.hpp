// SPDX-License-Identifier: BSD-3-Clause
/// \file  What messages cost between the ranks of a communicator.
#pragma once

#include "predict/machine.hpp"
#include "session.hpp"

namespace seiche::command {

/// Collective over `comm`, whose ranks all exchange with each other. `copy`: bytes per second that a core copies, for
/// what an exchange copies beside its messages. CPU seconds are those of the whole machine: nobody else should compute.
predict::Link measured_link(MPI_Comm comm, double copy, double budget);

/// Local. Seconds until a thread that waits as exchanges do has the core from another one that gives it up.
double measured_wake();

}  // namespace seiche::command
