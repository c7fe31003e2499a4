// SPDX-License-Identifier: BSD-3-Clause
/// \file  A program that this process runs and, when it is told to end itself, ends.
#pragma once

#include <string>
#include <vector>

namespace seiche::profile {

/// While an object exists, a first SIGTERM, SIGHUP or SIGINT does not end this process, but the program that
/// run_child() runs. A second one ends this process. An interrupt from the keyboard is for the program alone. Ignored
/// signals stay ignored. At most one object at a time.
class EndOnSignals {
 public:
  EndOnSignals();
  ~EndOnSignals();
  EndOnSignals(const EndOnSignals&) = delete;
  EndOnSignals& operator=(const EndOnSignals&) = delete;

  /// Returns the signal that came, or 0.
  static int signal() noexcept;
};

/// Runs a command. When a signal comes, ends it and all processes that it started here.
/// \return its exit status, 128 + the signal where one ended it
int run_child(const std::vector<std::string>& command);

}  // namespace seiche::profile
