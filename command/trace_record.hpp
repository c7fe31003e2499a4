// SPDX-License-Identifier: BSD-3-Clause
/// \file  Runs recorded with SEICHE_TRACE, and their page.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "seiche/trace.hpp"

namespace seiche::command {

/// The record of one process, in wall-clock time.
struct Process {
  timeline::Timeline timeline;
  double begin = 1e300, end = 0, worked = 0, waited = 0;

  void see(double from, double until) {
    begin = std::min(begin, from);
    end = std::max(end, until);
  }
};

/// Returns the page of a recorded run: the page of `seiche profile` with stages of pipelines in place of MPI calls.
/// `name`: the value of SEICHE_TRACE.
std::string page_of_trace(const std::vector<Process>& all, const std::string& name);

}  // namespace seiche::command
