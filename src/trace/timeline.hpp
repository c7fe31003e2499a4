// SPDX-License-Identifier: BSD-3-Clause
/// \file  Recording of events by the pipeline.
#pragma once

#include <chrono>

#include "seiche/trace.hpp"

namespace seiche::timeline {

/// Local. Tells whether a recording is on. Any thread may call it.
bool recording() noexcept;
/// Local. Adds an entry. Has no effect if no recording is on, or if it is full. Any thread may call it.
void note(const Work& work);
void note(const Transfer& transfer);

/// Writes the recording that SEICHE_TRACE requests, at the end of the program.
void save_recording(int rank);

/// Returns the time of the steady clock in seconds.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace seiche::timeline
