// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files that people have and that cannot be read: what they are, and what to do.
#pragma once

#include <string>

namespace seiche {

/// \throws Error(unsupported), saying what a file or folder is and what to do, for known kinds that cannot be read
void refuse_other_kinds(const std::string& path);

/// What a file of no known kind is, as the rest of a sentence: "; it is an HDF5 file that holds a, b". "" where nothing
/// is known of it.
std::string said_of_unknown(const std::string& path);

}  // namespace seiche
