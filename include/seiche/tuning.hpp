// SPDX-License-Identifier: BSD-3-Clause
/// \file  Finds the fastest settings of a plan by running it, and keeps them in a file from which later plans take
/// them.
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seiche/fft.hpp"
#include "seiche/tuning_file.hpp"

namespace seiche {

struct TuneRequest {
  double budget = 10;  ///< seconds for all trials; each candidate has three rounds at least
  /// Seconds by which the program's ranks arrive apart, at most: trials delay ranks so much. Without it, what plans on
  /// this communicator have seen while they ran.
  std::optional<double> skew{};
  std::int64_t bands = 8;  ///< in one call; for spheres
  int band_groups = 1;     ///< as in FftOptions; 0 tries several
  int threads = 1;         ///< OpenMP threads of each rank
};

struct Trial {
  std::string settings;  ///< in words
  double seconds = 0;    ///< median, delays by skew included
  int rounds = 0;        ///< fewer for those that were soon out of the race
};

struct TuneReport {
  std::string tuned_case;  ///< the key in the file: what the settings depend on
  double skew = 0;         ///< seconds by which trials delayed ranks, at most
  FftOptions options;      ///< the fastest; plain blocking alltoallv unless something gains 2 %
  std::vector<Trial> trials;
};

/// Collective. Runs forward and backward pairs of a dense grid in all ways that these ranks can use, and writes what
/// won to the file (docs/tuning.md). Plans of the same case whose way is `automatic` use it from then on.
/// \throws Error(unwritable) when the file cannot be written
template <class Value>
TuneReport tune_dense(const Communicator& comm, GridShape shape, const TuneRequest& request = {});

/// Collective. The same for round trips of bands of the waves `mine`.
template <class Value>
TuneReport tune_sphere(const Communicator& comm, GridShape shape, std::span<const Miller> mine,
                       const TuneRequest& request = {});

extern template TuneReport tune_dense<double>(const Communicator&, GridShape, const TuneRequest&);
extern template TuneReport tune_dense<std::complex<double>>(const Communicator&, GridShape, const TuneRequest&);
extern template TuneReport tune_sphere<double>(const Communicator&, GridShape, std::span<const Miller>,
                                               const TuneRequest&);
extern template TuneReport tune_sphere<std::complex<double>>(const Communicator&, GridShape, std::span<const Miller>,
                                                             const TuneRequest&);

}  // namespace seiche
