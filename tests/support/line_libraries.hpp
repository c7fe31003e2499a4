// SPDX-License-Identifier: BSD-3-Clause
/// \file  Which libraries of lines this machine has.
#pragma once

#include "seiche/error.hpp"
#include "seiche/fft.hpp"

namespace seiche::testing {

inline bool is_here(LineLibrary library) {
  try {
    line_library(library);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace seiche::testing
