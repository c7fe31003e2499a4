// SPDX-License-Identifier: BSD-3-Clause
/// \file  Modules of the library, which it loads at run time.
#pragma once

#include <string>

#include "support/shared_library.hpp"

namespace seiche {

/// Loads a module: next to this code (Python package), in a subfolder (library), relative to a command, or in the
/// folders of the loader. The RUNPATH of programs in the build tree, and of programs linked to an installed static
/// library, contains the folder of the modules. `folder`: the only folder to search, unless empty.
SharedLibrary load_module(const std::string& file, const std::string& folder);

}  // namespace seiche
