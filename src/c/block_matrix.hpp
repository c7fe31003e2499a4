// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is behind the handles of block-sparse matrices and their layouts.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "c/any_value.hpp"
#include "c/handles.hpp"
#include "seiche/blocksparse.hpp"
#include "seiche/c/blocksparse.h"
#include "support/require.hpp"

namespace seiche::c {

struct LayoutObject : Object {
  static constexpr const char* name = "block_layout";
  const char* noun() const override { return name; }
  explicit LayoutObject(SharedLayout of) : layout(std::move(of)) {}
  void close() {}
  SharedLayout layout;
};

struct MatrixObject : Object {
  static constexpr const char* name = "block_matrix";
  const char* noun() const override { return name; }
  explicit MatrixObject(AnyValue<BlockMatrix> of) : matrix(std::move(of)) {}
  void close() {}
  AnyValue<BlockMatrix> matrix;
};

template <>
struct BehindHandle<seiche_block_layout> {
  using type = LayoutObject;
};
template <>
struct BehindHandle<seiche_block_matrix> {
  using type = MatrixObject;
};

template <class Value>
std::shared_ptr<MatrixObject> object_of(BlockMatrix<Value> matrix) {
  return std::make_shared<MatrixObject>(AnyValue<BlockMatrix>(std::move(matrix)));
}

/// Runs `work` on the matrix: work(matrix, Value{}).
template <class Work>
void on_matrix(const seiche_block_matrix* matrix, const Work& work) {
  std::visit([&]<class Matrix>(Matrix& typed) { work(typed, typename ValueOf<Matrix>::type{}); },
             behind(matrix).matrix);
}

/// The matrix, which has to be of this kind of value.
template <class Value>
BlockMatrix<Value>& matrix_of(const seiche_block_matrix* matrix) {
  auto* typed = std::get_if<BlockMatrix<Value>>(&behind(matrix).matrix);
  require(typed != nullptr, Fault::bad_argument,
          "block_matrix: the matrices hold different kinds of values, or not doubles where only they will do; make "
          "them of one kind");
  return *typed;
}

/// A real and an imaginary part as a value. \throws Error for an imaginary part of a real matrix's factor
template <class Value>
Value factor_of(const double* factor) {
  require_place(factor, "block_matrix", "a factor");
  if constexpr (std::is_floating_point_v<Value>) {
    require(factor[1] == 0, Fault::bad_argument,
            "block_matrix: a matrix of real values has no complex factors; give the imaginary part 0");
    return static_cast<Value>(factor[0]);
  } else {
    using Real = typename Value::value_type;
    return {static_cast<Real>(factor[0]), static_cast<Real>(factor[1])};
  }
}

}  // namespace seiche::c
