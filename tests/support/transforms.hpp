// SPDX-License-Identifier: BSD-3-Clause
/// \file  What transforms can be made of on this machine.
#pragma once

#include "fft/decomposition.hpp"
#include "seiche/error.hpp"
#include "seiche/fft.hpp"

namespace seiche::testing {

/// Whether a library of lines is installed.
inline bool is_here(LineLibrary library) {
  try {
    line_library(library);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace seiche::testing
