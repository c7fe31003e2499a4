// SPDX-License-Identifier: BSD-3-Clause
/// \file  What transforms can be made of on this machine.
#pragma once

#include <array>

#include "seiche/error.hpp"
#include "seiche/fft.hpp"

namespace seiche::testing {

inline constexpr std::array all_decompositions{Decomposition::slab, Decomposition::pencil, Decomposition::pencil_yz};

inline bool is_here(LineLibrary library) {
  try {
    line_library(library);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace seiche::testing
