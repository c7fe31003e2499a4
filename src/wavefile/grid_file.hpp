// SPDX-License-Identifier: BSD-3-Clause
/// \file  The files that a density with several components is written to, in formats that hold one.
#pragma once

#include <string>
#include <vector>

namespace seiche {

/// silicon.cube; with two components also silicon_mz.cube; with four _mx, _my, _mz.
std::vector<std::string> component_paths(const std::string& path, std::size_t components);

}  // namespace seiche
