// SPDX-License-Identifier: BSD-3-Clause
/// \file  The case of wavefunction files without the other methods.
#pragma once

#include "bench_report.hpp"

namespace seiche::command {

/// Median seconds of one write and one cold read of the set.
struct FileSeconds {
  double write, read;
};
/// Collective.
FileSeconds files_alone(const Session& session, const WaveBenchRequest& request);

}  // namespace seiche::command
