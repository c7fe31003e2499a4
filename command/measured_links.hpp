// SPDX-License-Identifier: BSD-3-Clause
/// \file  The cost of messages between the ranks of a communicator.
#pragma once

#include "predict/machine.hpp"
#include "session.hpp"

namespace seiche::command {

/// Collective over `comm`, whose ranks all exchange with each other. `copy`: bytes per second that a core copies, for
/// copies within an exchange. CPU seconds cover the whole machine, so that no other program should run.
predict::Link measured_link(MPI_Comm comm, double copy, double budget);

/// Local. Returns the seconds after which a thread that waits as in exchanges gets a core released by another thread.
double measured_wake();

}  // namespace seiche::command
