// SPDX-License-Identifier: BSD-3-Clause
/// \file  Handling of signals that end the command.
#pragma once

#include <atomic>

namespace seiche::command {

/// The state of a command, read by the signal handler.
struct Course {
  std::atomic<bool> speaks{true};  ///< whether this process prints messages
  std::atomic<int> code{0};  ///< nonzero: the command ended with this code and its message; launchers then end the
                             ///< other processes by a signal
};

/// From now on SIGINT, SIGTERM and SIGHUP remove unfinished files, print one line, and end the process with 128 plus
/// the number of the signal. A second signal ends it immediately. Ignored signals stay ignored (nohup).
void clear_away_on_signals(const Course& course);

}  // namespace seiche::command
