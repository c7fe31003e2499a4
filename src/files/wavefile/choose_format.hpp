// SPDX-License-Identifier: BSD-3-Clause
/// \file  Selects the format of an output by its name or by a word.
#pragma once

#include <string>

#include "files/wavefile/format.hpp"

namespace seiche {

/// A variant of writing, and its format.
struct FormatChoice {
  const Format* format = nullptr;
  const WaveWriting* writing = nullptr;
};

/// Returns the format by the word `said` or, if it is empty, by the path. \throws Error(bad_argument), with all
/// words
FormatChoice format_for(const std::string& path, const std::string& said);

}  // namespace seiche
