// SPDX-License-Identifier: BSD-3-Clause
/// \file  The case of wavefunction files without what others do beside it.
#pragma once

#include "bench_report.hpp"

namespace seiche::command {

/// Seconds of one write and of one cold read of the set, medians.
struct FileSeconds {
  double write, read;
};
/// Collective.
FileSeconds files_alone(const Session& session, const WaveBenchRequest& request);

}  // namespace seiche::command
