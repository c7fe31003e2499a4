// SPDX-License-Identifier: BSD-3-Clause
/// \file  Detection of compressed files, which are not supported.
#pragma once

#include <string>

namespace seiche {

/// Checks that a file is not compressed. \throws Error(unsupported) that names the program to unpack it
void require_unpacked(const std::string& path);

}  // namespace seiche
