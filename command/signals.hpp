// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the command does when it is told to end.
#pragma once

#include <atomic>

namespace seiche::command {

/// How far a command is. A signal is answered by it.
struct Course {
  std::atomic<bool> speaks{true};  ///< whether this process is the one that speaks
  std::atomic<int> code{0};        ///< not 0: it has ended so, and said why; launchers then end the others by a signal
};

/// From now on SIGINT, SIGTERM and SIGHUP remove what is being written, say so in one line, and end the process with
/// 128 and the signal's number; a second signal ends it at once. Those that are ignored stay so (nohup).
void clear_away_on_signals(const Course& course);

}  // namespace seiche::command
