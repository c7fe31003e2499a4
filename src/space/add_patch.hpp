// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums of patches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/route.hpp"

namespace seiche {

/// Adds `count` real numbers to others.
template <class Real>
void add_reals(const std::byte* values, std::byte* sums, std::int64_t count) {
  const Real* from = reinterpret_cast<const Real*>(values);
  Real* into = reinterpret_cast<Real*>(sums);
  for (std::int64_t i = 0; i < count; ++i) into[i] += from[i];
}

/// Adds the elements of a patch to another patch with the same counts. Elements have `element` bytes and consist of
/// numbers of type Real. Offsets are not used: `from` and `into` point to the first elements.
template <class Real>
void add_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target, std::size_t element) {
  const auto bytes = [element](std::int64_t elements) { return static_cast<std::ptrdiff_t>(element) * elements; };
  const auto reals = static_cast<std::int64_t>(element / sizeof(Real));
  for (std::int64_t k = 0; k < source.count[2]; ++k) {
    for (std::int64_t j = 0; j < source.count[1]; ++j) {
      const std::byte* read = from + bytes(k * source.stride[2] + j * source.stride[1]);
      std::byte* write = into + bytes(k * target.stride[2] + j * target.stride[1]);
      if (source.stride[0] == 1 && target.stride[0] == 1) {
        add_reals<Real>(read, write, source.count[0] * reals);
        continue;
      }
      for (std::int64_t i = 0; i < source.count[0]; ++i) {
        add_reals<Real>(read + bytes(i * source.stride[0]), write + bytes(i * target.stride[0]), reals);
      }
    }
  }
}

}  // namespace seiche
