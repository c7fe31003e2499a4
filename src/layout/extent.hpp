// SPDX-License-Identifier: BSD-3-Clause
/// \file  Length of arrays that contain boxes of grids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "seiche/field_array.hpp"

namespace seiche {

/// Returns the number of elements that an array must have for a box of some fields. Returns the largest number if that
/// is beyond 2^53, so that any array is too short.
inline std::size_t extent(const FieldArray& array, std::int64_t fields) {
  if (array.box.empty() || fields == 0) return 0;
  const auto last_in = [&](auto zero) {
    using Number = decltype(zero);
    Number last = Number(array.offset) + Number(fields - 1) * Number(array.field_stride);
    for (int a = 0; a < 3; ++a)
      last += Number(array.box.size(a) - 1) * Number(array.stride[static_cast<std::size_t>(a)]);
    return last;
  };
  if (last_in(0.0) >= 0x1p53) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(last_in(std::int64_t{0})) + 1;
}

/// Returns the number of elements that an array must have for all boxes of some fields.
inline std::size_t extent(std::span<const FieldArray> arrays, std::int64_t fields) {
  std::size_t most = 0;
  for (const FieldArray& array : arrays) most = std::max(most, extent(array, fields));
  return most;
}

}  // namespace seiche
