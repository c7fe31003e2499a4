// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution and memory layout of the caller's own arrays of one or many dense grids. All functions are
/// local.
#pragma once

#include <cstdint>

#include "seiche/field_array.hpp"

namespace seiche {

/// Fields that are transformed together, in arrays of the caller.
struct DenseArrays {
  std::int64_t fields = 1;  ///< number of fields
  /// Grid values: whole planes of constant z. Each rank has any range of z, or nothing.
  FieldArray grid{};
  /// Spectrum: whole columns along z, of any range of y on each rank, or nothing. Alternatively, on all ranks, the same
  /// planes as `grid`.
  FieldArray spectrum{};
  /// Grid and spectrum share the same memory. Each field must use the same bytes in both. Interleaved real fields
  /// cannot do that; they are transformed as one bundle.
  bool in_place = false;
  bool plus = false;      ///< opposite sign: forward uses exp(+i G.r), backward exp(-i G.r); complex fields only
  bool unscaled = false;  ///< forward does not scale by 1/(nx ny nz)
};

}  // namespace seiche
