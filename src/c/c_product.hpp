// SPDX-License-Identifier: BSD-3-Clause
/// \file  The object behind the handle of a multiplier, and the options of products.
#pragma once

#include "c/c_blocksparse.hpp"
#include "seiche/block_product.hpp"
#include "seiche/c/product.h"

namespace seiche::c {

struct MultiplierObject : Object {
  explicit MultiplierObject(const ProductOptions& options) : multiply(options) {}
  void close() { multiply.close(); }
  Multiplier multiply;
};

ProductOptions product_options_of(const seiche_product_options* given, const char* where);
void also_read(const seiche_purify_options& asked, PurifyOptions& options, const char* where);

/// Reads a product. \throws Error(misuse) for NULL
seiche_product read_product(const seiche_product* given);
template <class Value>
Product<Value> product_of(const seiche_product& read) {
  const auto op = [](seiche_transpose given, const char* what) {
    return enumerator<Transpose>(given, SEICHE_TRANSPOSE_CONJUGATE, what);
  };
  return {matrix_of<Value>(read.a),    matrix_of<Value>(read.b),       factor_of<Value>(read.alpha),
          factor_of<Value>(read.beta), op(read.op_a, "product: op_a"), op(read.op_b, "product: op_b")};
}

}  // namespace seiche::c
