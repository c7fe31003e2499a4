// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a program that is told to end has to clear away.
#pragma once

namespace seiche {

/// Removes all files and folders that this process has begun to write and not yet given their names; what they were to
/// replace stays whole. From then on whoever begins or completes one waits for ever, so that the process must end. Not
/// for signal handlers, but for a thread that one wakes.
void remove_unfinished() noexcept;

}  // namespace seiche
