// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of requests and reports of tuning; recordings.
#pragma once

#include "c/c_boxes.hpp"
#include "c/handle_types.hpp"
#include "seiche/c/tuning.h"
#include "seiche/trace.hpp"
#include "seiche/tuning.hpp"

namespace seiche::c {

struct TimelineObject : Object {
  explicit TimelineObject(timeline::Timeline of) : recorded(std::move(of)) {}
  timeline::Timeline recorded;
};

TuneRequest tune_request_of(const seiche_tune_request* given, const char* where);
void also_read(const seiche_tune_request& asked, TuneRequest& request, const char* where);
/// \throws Error(misuse) unless there is an output argument with the size of this library's report
void require_report(const seiche_tune_report* report);

/// Converts the common part of all reports; the caller adds the members for its options.
template <class Options>
seiche_tune_report tuned(const TuneReport<Options>& found) {
  seiche_tune_report report{};
  report.skew = found.skew;
  report.trials = std::ssize(found.trials);
  for (const Trial& trial : found.trials) {
    if (report.seconds == 0 || trial.seconds < report.seconds) report.seconds = trial.seconds;
  }
  const Policy& policy = found.options.policy;
  report.algorithm = static_cast<seiche_algorithm>(policy.algorithm);
  report.progress = static_cast<seiche_progress>(policy.progress);
  report.window = policy.window;
  report.memory = policy.memory;
  return report;
}

}  // namespace seiche::c
