// SPDX-License-Identifier: BSD-3-Clause
/// \file  Recording of the computation, waiting and exchanges of plans on this process.
///
/// With the environment variable SEICHE_TRACE=NAME the whole run is recorded without a change of the program. `seiche
/// trace NAME` reads the recording. All functions are local. Any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "seiche/cxx20.hpp"

namespace seiche::timeline {

/// An interval of computation, including polls. Times are seconds of the steady clock of this process.
struct Work {
  std::int32_t stage = 0;     ///< stage of the plan's pipeline
  std::int64_t item = 0;      ///< item, e.g. the band
  double begin = 0, end = 0;  ///< start and end time
};

/// An exchange. All ranks of a communicator record the same exchanges in the same order.
struct Transfer {
  double started = 0;  ///< time at which this rank started to send
  double needed = 0;   ///< time from which this rank had nothing else to do
  double arrived = 0;  ///< time at which all values had arrived, but not before `needed`
};

/// Recording of a process, in order of time.
struct Timeline {
  std::vector<Work> work;           ///< intervals of computation
  std::vector<Transfer> transfers;  ///< exchanges
};

/// Maximum number of entries of either kind. A recording stops when it reaches this number.
inline constexpr std::size_t longest_recording = 1'000'000;

/// Starts a recording of all threads of this process. A running recording is discarded.
void start_recording();
/// Stops the recording and returns it. Returns an empty timeline if there was no recording.
Timeline stop_recording();

}  // namespace seiche::timeline
