// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is asked of tuning, and what it found: the fastest settings of a transform, a product or a move, by
/// doing it. They are kept in a file from which later ones take them (docs/tuning.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "seiche/tuning_file.hpp"

namespace seiche {

/// How long to try, and for what ranks.
struct TuneRequest {
  double budget = 10;  ///< seconds for all trials; each candidate has three rounds at least
  /// Seconds by which the program's ranks arrive apart, at most: trials delay ranks so much. Without it, what plans on
  /// this communicator have seen while they ran.
  std::optional<double> skew{};
  std::int64_t bands = 8;                          ///< in one call; of transforms of spheres
  int band_groups = 0;                             ///< of spheres, as in FftOptions; 0 tries several
  int threads = 1;                                 ///< OpenMP threads of each rank; of transforms
  std::function<void(double done)> on_progress{};  ///< called on every rank with the fraction done, 0 to 1
};

/// One setting that was timed.
struct Trial {
  std::string settings;  ///< in words: the algorithm, and what is not as in the plain one
  double seconds = 0;    ///< median, delays by skew included
  int rounds = 0;        ///< fewer for those that were soon out of the race
};

/// Options: of what was tuned.
template <class Options>
struct TuneReport {
  std::string tuned_case;  ///< the key in the file: what the settings depend on
  double skew = 0;         ///< seconds by which trials delayed ranks, at most
  Options options;         ///< the fastest; plain blocking alltoallv unless something gains 2 %
  std::vector<Trial> trials;
};

}  // namespace seiche
