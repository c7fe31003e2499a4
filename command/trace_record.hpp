// SPDX-License-Identifier: BSD-3-Clause
/// \file  Runs that SEICHE_TRACE recorded, and their page.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "seiche/trace.hpp"

namespace seiche::command {

/// What one process recorded, on the clock of the day.
struct Process {
  timeline::Timeline timeline;
  double begin = 1e300, end = 0, worked = 0, waited = 0;

  void see(double from, double until) {
    begin = std::min(begin, from);
    end = std::max(end, until);
  }
};

/// The page of a recorded run: that of `seiche profile`, with the stages of Seiche's pipelines for calls of MPI.
/// `name`: as SEICHE_TRACE had it.
std::string page_of_trace(const std::vector<Process>& all, const std::string& name);

}  // namespace seiche::command
