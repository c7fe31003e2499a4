// SPDX-License-Identifier: BSD-3-Clause
/// \file  The objects behind the handles of block-sparse matrices and their layouts.
#pragma once

#include <memory>

#include "c/c_any_value.hpp"
#include "c/handle_types.hpp"
#include "seiche/block_file.hpp"
#include "seiche/blocksparse.hpp"
#include "seiche/c/blocksparse.h"
#include "seiche/purify.hpp"
#include "support/require.hpp"

namespace seiche::c {

struct LayoutObject : Object {
  explicit LayoutObject(SharedLayout of) : layout(std::move(of)) {}
  SharedLayout layout;
};

struct MatrixObject : Object {
  explicit MatrixObject(AnyValue<BlockMatrix> of) : matrix(std::move(of)) {}
  AnyValue<BlockMatrix> matrix;
};

/// Returns the matrix. \throws Error unless it has this value type
template <class Value>
BlockMatrix<Value>& matrix_of(const seiche_block_matrix* matrix) {
  auto* typed = std::get_if<BlockMatrix<Value>>(&behind(matrix).matrix);
  require(typed != nullptr, Fault::bad_argument,
          "block_matrix: the matrices hold different types of values, or a type that this call does not support: use "
          "one supported type");
  return *typed;
}

/// Returns a factor from its real and imaginary part. \throws Error for an imaginary part with a real matrix
template <class Value>
Value factor_of(const double* factor) {
  require_place(factor, "block_matrix", "a factor");
  if constexpr (std::is_floating_point_v<Value>) {
    require(factor[1] == 0, Fault::bad_argument,
            "block_matrix: factors of a real matrix must be real: pass an imaginary part of 0");
    return static_cast<Value>(factor[0]);
  } else {
    using Real = typename Value::value_type;
    return {static_cast<Real>(factor[0]), static_cast<Real>(factor[1])};
  }
}

template <class Value>
seiche_local_blocks local_blocks_of(const BlockMatrix<Value>& matrix) {
  return {matrix.rows().data(),   matrix.row_start().data(), std::ssize(matrix.rows()), matrix.columns().data(),
          matrix.offset().data(), matrix.local_blocks(),     matrix.values().data(),    std::ssize(matrix.values())};
}

}  // namespace seiche::c
