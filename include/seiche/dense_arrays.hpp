// SPDX-License-Identifier: BSD-3-Clause
/// \file  Callers' own arrays of one or many dense grids: what of them each rank holds, and how it lies in memory.
#pragma once

#include <array>
#include <cstdint>

#include "seiche/layout.hpp"

namespace seiche {

/// Where this rank holds its part of each field. Strides count values of the array: reals, or complex numbers.
struct FieldArray {
  Box box{};                             ///< its part of each field; may be empty
  std::array<std::int64_t, 3> stride{};  ///< from point to point along x, y and z
  std::int64_t field_stride = 0;         ///< from field to field
};

/// All fields of a point side by side: [z][y][x][field].
FieldArray interleaved(const Box& box, std::int64_t fields);
/// One field after another: [field][z][y][x].
FieldArray consecutive(const Box& box);

/// Fields that are transformed together, each rank's part of them in arrays of the caller's.
struct DenseArrays {
  std::int64_t fields = 1;
  /// Whole planes of constant z: any range of z on each rank, or none.
  FieldArray grid{};
  /// Whole columns along z, on each rank any range of y or none; or, on all ranks, the planes that `grid` has.
  FieldArray spectrum{};
  /// Both are to lie in the same memory. Each field then keeps to its own bytes; but interleaved real fields, which
  /// cannot, travel all at once.
  bool in_place = false;
  bool plus = false;      ///< forward has exp(+i G.r), and backward exp(-i G.r); only for complex fields
  bool unscaled = false;  ///< forward does not carry the 1/(nx ny nz)
};

}  // namespace seiche
