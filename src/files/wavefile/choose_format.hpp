// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which format an output is to have, by its name or by what people call it.
#pragma once

#include <string>

#include "files/wavefile/format.hpp"

namespace seiche {

/// What to write: a way of writing, and the format that it belongs to.
struct FormatChoice {
  const Format* format = nullptr;
  const WaveWriting* writing = nullptr;
};

/// By the word after --to, or, where it is empty, by the path. \throws Error(bad_argument), with all words
FormatChoice format_for(const std::string& path, const std::string& said);

}  // namespace seiche
