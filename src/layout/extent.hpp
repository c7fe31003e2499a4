// SPDX-License-Identifier: BSD-3-Clause
/// \file  Length of arrays that contain boxes of grids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "seiche/field_array.hpp"

namespace seiche {

/// Returns the number of elements that an array must have for a box of some fields.
inline std::size_t extent(const FieldArray& array, std::int64_t fields) {
  if (array.box.empty() || fields == 0) return 0;
  std::int64_t last = array.offset + (fields - 1) * array.field_stride;
  for (int a = 0; a < 3; ++a) last += (array.box.size(a) - 1) * array.stride[static_cast<std::size_t>(a)];
  return static_cast<std::size_t>(last) + 1;
}

/// Returns the number of elements that an array must have for all boxes of some fields.
inline std::size_t extent(std::span<const FieldArray> arrays, std::int64_t fields) {
  std::size_t most = 0;
  for (const FieldArray& array : arrays) most = std::max(most, extent(array, fields));
  return most;
}

}  // namespace seiche
