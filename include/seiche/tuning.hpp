// SPDX-License-Identifier: BSD-3-Clause
/// \file  Autotuning: request and result. Candidates are timed on the real operation. The fastest settings are stored
/// in the tuning file, from which later plans take them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "seiche/tuning_file.hpp"

namespace seiche {

/// Settings of the autotuning.
struct TuneRequest {
  double budget = 10;  ///< seconds for all trials; each candidate is timed at least three times
  /// Spread of the ranks' arrival times in the program, seconds. Trials delay ranks by random times up to this value.
  /// Not set: as measured by plans on this communicator.
  std::optional<double> skew{};
  std::int64_t bands = 8;                          ///< number of bands in a call; spheres only
  int band_groups = 0;                             ///< as in FftOptions (0: the default, then others); spheres only
  int threads = 1;                                 ///< OpenMP threads of each rank; transforms only
  std::function<void(double done)> on_progress{};  ///< called on every rank with the completed fraction, 0 to 1
};

/// Timing of one candidate.
struct Trial {
  std::string settings;  ///< algorithm, and settings that differ from the first candidate
  double seconds = 0;    ///< median, including delays by `skew`
  int rounds = 0;        ///< number of timings; slow candidates are dropped early
};

/// Result of the autotuning.
template <class Options>
struct TuneReport {
  std::string tuned_case;     ///< key in the tuning file
  double skew = 0;            ///< largest delay of ranks in trials, seconds
  Options options;            ///< fastest settings, also of other layouts; alltoallv unless another gains 2 %
  std::vector<Trial> trials;  ///< all candidates
};

}  // namespace seiche
