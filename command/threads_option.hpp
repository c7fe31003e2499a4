// SPDX-License-Identifier: BSD-3-Clause
/// \file  Threads of each process: --threads.
#pragma once

#include "session.hpp"

namespace seiche::command {

/// Collective. Prints a warning if the processes of a node have several threads each, and together more than its cores,
/// unless OMP_WAIT_POLICY is passive. All processes need the same number of threads.
void warn_of_threads(const Session& session, int threads);

}  // namespace seiche::command
