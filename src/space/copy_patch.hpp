// SPDX-License-Identifier: BSD-3-Clause
/// \file  Copies of patches.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "layout/route.hpp"
#include "support/stream_copy.hpp"

namespace seiche {

/// Copies elements of `size` bytes that are `step` and `step_into` bytes apart.
template <std::size_t size>
void copy_apart(const std::byte* from, std::ptrdiff_t step, std::byte* into, std::ptrdiff_t step_into,
                std::int64_t count) {
  for (; count > 0; --count, from += step, into += step_into) std::memcpy(into, from, size);
}

/// Same for elements of any size.
inline void copy_line(const std::byte* from, std::ptrdiff_t step, std::byte* into, std::ptrdiff_t step_into,
                      std::int64_t count, std::size_t size) {
  switch (size) {
    case 4:
      return copy_apart<4>(from, step, into, step_into, count);
    case 8:
      return copy_apart<8>(from, step, into, step_into, count);
    case 16:
      return copy_apart<16>(from, step, into, step_into, count);
    default:
      for (; count > 0; --count, from += step, into += step_into) std::memcpy(into, from, size);
  }
}

/// How a copy writes to memory. Streams are faster for results that do not fit in the cache (see stream_copy.hpp).
enum class Write { cached, streamed };

/// Copies the elements of a patch to another patch with the same counts. Offsets are not used: `from` and `into` point
/// to the first elements. Rows and planes without gaps at both ends are copied at once.
inline void copy_patch(const std::byte* from, const Patch& source, std::byte* into, const Patch& target,
                       std::size_t element, Write mode = Write::cached) {
  if (source.size() == 0) return;
  const auto bytes = [element](std::int64_t elements) { return static_cast<std::ptrdiff_t>(element) * elements; };
  const bool rows = source.stride[0] == 1 && target.stride[0] == 1;
  std::array<std::int64_t, 3> count = source.count;
  const auto continues = [&count](const Patch& patch, std::size_t axis) {
    return count[axis] == 1 || patch.stride[axis] == count[0];
  };
  for (std::size_t axis = 1; rows && axis < 3 && continues(source, axis) && continues(target, axis); ++axis) {
    count[0] *= std::exchange(count[axis], 1);
  }
  for (std::int64_t k = 0; k < count[2]; ++k) {
    for (std::int64_t j = 0; j < count[1]; ++j) {
      const std::byte* read = from + bytes(k * source.stride[2] + j * source.stride[1]);
      std::byte* write = into + bytes(k * target.stride[2] + j * target.stride[1]);
      if (rows) {
        const auto length = static_cast<std::size_t>(bytes(count[0]));
        mode == Write::streamed ? stream_copy(write, read, length) : void(std::memcpy(write, read, length));
      } else {
        copy_line(read, bytes(source.stride[0]), write, bytes(target.stride[0]), count[0], element);
      }
    }
  }
}

/// Returns a contiguous patch with the same counts.
inline Patch packed(const Patch& patch) {
  return {0, patch.count, {1, patch.count[0], patch.count[0] * patch.count[1]}};
}

}  // namespace seiche
