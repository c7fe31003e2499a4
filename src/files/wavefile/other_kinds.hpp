// SPDX-License-Identifier: BSD-3-Clause
/// \file  Common files that are not supported: what they are, and what to do.
#pragma once

#include <string>

namespace seiche {

/// \throws Error(unsupported) with the kind of a file or folder and the remedy, for known kinds that are not supported
void refuse_other_kinds(const std::string& path);

/// Returns the kind of a file of an unknown format, to be appended to a message: " (an HDF5 file with a, b)"; "" if
/// unknown.
std::string said_of_unknown(const std::string& path);

}  // namespace seiche
