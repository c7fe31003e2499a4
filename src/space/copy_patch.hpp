// SPDX-License-Identifier: BSD-3-Clause
/// \file  Copies of patches.
#pragma once

#include <cstddef>
#include <cstring>

#include "layout/route.hpp"

namespace seiche {

/// Copies the elements of a patch to another patch with the same counts. Offsets are not used: `from` and `into` point
/// to the first elements.
inline void copy_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
                       std::size_t element) {
  if (source.size() == 0) return;
  const auto bytes = [element](std::int64_t elements) { return static_cast<std::ptrdiff_t>(element) * elements; };
  const bool rows = source.stride[0] == 1 && target.stride[0] == 1;
  for (std::int64_t k = 0; k < source.count[2]; ++k) {
    for (std::int64_t j = 0; j < source.count[1]; ++j) {
      const std::byte* read = from + bytes(k * source.stride[2] + j * source.stride[1]);
      std::byte* write = into + bytes(k * target.stride[2] + j * target.stride[1]);
      if (rows) {
        std::memcpy(write, read, static_cast<std::size_t>(bytes(source.count[0])));
        continue;
      }
      for (std::int64_t i = 0; i < source.count[0]; ++i) {
        std::memcpy(write + bytes(i * target.stride[0]), read + bytes(i * source.stride[0]), element);
      }
    }
  }
}

/// Returns a contiguous patch with the same counts.
inline Patch packed(const Patch& patch) {
  return {0, patch.count, {1, patch.count[0], patch.count[0] * patch.count[1]}};
}

}  // namespace seiche
