// SPDX-License-Identifier: BSD-3-Clause
/// \file  Cleanup of unfinished files when a program is terminated.
#pragma once

#include "seiche/cxx20.hpp"

namespace seiche {

/// Local. Removes all temporary files and folders of unfinished outputs of this process. Existing files with the final
/// names stay unchanged. Afterwards any thread that starts or completes an output blocks forever, so the process must
/// exit. Do not call it in a signal handler. Call it in a thread that the handler notifies.
void remove_unfinished() noexcept;

}  // namespace seiche
