// SPDX-License-Identifier: BSD-3-Clause
/// \file  Where the engine notes what happens while a recording is on.
#pragma once

#include <chrono>

#include "seiche/trace.hpp"

namespace seiche::timeline {

/// Local. Whether a recording is on. Any thread may ask, and note what it does.
bool recording() noexcept;
/// Local. Adds to the recording; does nothing while none is on, or when it is full.
void note(const Work& work);
void note(const Transfer& transfer);

/// Writes what SEICHE_TRACE asked to record, at the end of the program.
void save_recording(int rank);

/// In seconds, from when does not matter.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace seiche::timeline
