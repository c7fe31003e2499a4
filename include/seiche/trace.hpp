// SPDX-License-Identifier: BSD-3-Clause
/// \file  What happened when on this process: plans' work, waiting and exchanges, while a recording is on. Without a
/// line of code, SEICHE_TRACE=NAME records the whole run; `seiche trace NAME` reads it (docs/pipeline.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace seiche::timeline {

/// Computing, polls among it included. Seconds are those of this process's steady clock, here and below.
struct Work {
  std::int32_t stage = 0;  ///< of the plan's pipeline
  std::int64_t item = 0;   ///< e.g. the band
  double begin = 0, end = 0;
};

/// An exchange of values. Ranks of one communicator see the same exchanges in the same order.
struct Transfer {
  double started = 0;  ///< this rank sent its part off
  double needed = 0;   ///< it had nothing else to do from here on
  double arrived = 0;  ///< it had all values; `needed` where they were there already
};

/// What a process recorded, in the order of time.
struct Timeline {
  std::vector<Work> work;
  std::vector<Transfer> transfers;
};

/// A recording holds so many entries of either kind; what comes later is left out.
inline constexpr std::size_t longest_recording = 1'000'000;

/// For this process alone; a recording that is on starts anew. Any thread may start and stop it; it holds what all
/// threads do.
void start_recording();
/// What was recorded; empty when no recording was on.
Timeline stop_recording();

}  // namespace seiche::timeline
