// SPDX-License-Identifier: BSD-3-Clause
/// \file  Runs a program and terminates it if this process receives a signal.
#pragma once

#include <string>
#include <vector>

namespace seiche::profile {

/// While an object exists, the first SIGTERM, SIGHUP or SIGINT terminates the program of run_child() instead of this
/// process. The second one ends this process. An interrupt from the keyboard applies to the program alone. Ignored
/// signals stay ignored. At most one object at a time.
class EndOnSignals {
 public:
  EndOnSignals();
  ~EndOnSignals();
  EndOnSignals(const EndOnSignals&) = delete;
  EndOnSignals& operator=(const EndOnSignals&) = delete;

  /// Returns the received signal, or 0.
  static int signal() noexcept;
};

/// Runs a command. On a signal, terminates it and all processes that it started on this machine. \return its exit
/// status, or 128 + the signal that ended it
int run_child(const std::vector<std::string>& command);

}  // namespace seiche::profile
