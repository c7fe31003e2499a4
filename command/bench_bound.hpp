// SPDX-License-Identifier: BSD-3-Clause
/// \file  `seiche bench CASE --of-bound`: the least time of a case at the rates of this machine.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>

#include "bench_report.hpp"
#include "predict/bound.hpp"

namespace seiche::command {

/// The work of one unit of a case.
struct BoundedWork {
  std::function<predict::NodeWork(const predict::Where&)> on;
  double share = 1;  ///< the part of it that the case does
  predict::LeastBytes bytes;
};

/// \throws Error unless the case has double precision, one thread per process, and arrays of the host
void require_bound(const BenchRequest& request);

/// Collective. Measures the rates with all ranks at work, which takes about a second, and several seconds between
/// hosts.
predict::Bound measured_bound(const Session& session, const BoundedWork& work, LineLibrary library);

/// Returns the fields of a report: the parts, and the share of the bound in `seconds`.
nlohmann::ordered_json fields_of(const predict::Bound& bound, double seconds);

}  // namespace seiche::command
