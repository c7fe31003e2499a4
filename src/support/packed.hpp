// SPDX-License-Identifier: BSD-3-Clause
/// \file  Compressed files, which nothing here reads.
#pragma once

#include <string>

namespace seiche {

/// \throws Error(unsupported), with the program that unpacks it, where a file is compressed or an archive
void require_unpacked(const std::string& path);

}  // namespace seiche
