// SPDX-License-Identifier: BSD-3-Clause
/// \file  Checks whether arrays of the caller overlap.
#pragma once

#include <cstddef>
#include <span>

#include "support/require.hpp"

namespace seiche {

/// Checks that an input and an output are apart. \throws Error if they overlap
inline void require_apart(std::span<const std::byte> in, std::span<const std::byte> out) {
  const bool apart =
      in.empty() || out.empty() || in.data() + in.size() <= out.data() || out.data() + out.size() <= in.data();
  require(apart, Fault::bad_argument, "fft: the input and output arrays overlap: pass separate arrays");
}

/// Checks that coefficients of a call that reads and writes bands are one array, or are apart. Bands are written while
/// later ones are read. \throws Error otherwise
template <class Complex>
void require_same_or_apart(std::span<const Complex> in, std::span<Complex> out) {
  if (in.data() == out.data() && in.size() == out.size()) return;
  require_apart(std::as_bytes(in), std::as_bytes(out));
}

}  // namespace seiche
