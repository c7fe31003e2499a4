// SPDX-License-Identifier: BSD-3-Clause
/// \file  Where the engine notes what happens while a recording is on.
#pragma once

#include <chrono>

#include "seiche/trace.hpp"

namespace seiche::timeline {

/// Null while no recording is on, or when it is full. Written by the thread that computes.
Timeline* recording() noexcept;

/// Writes what SEICHE_TRACE asked to record, at the end of the program.
void save_recording(int rank);

/// In seconds, from when does not matter.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace seiche::timeline
