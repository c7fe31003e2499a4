// SPDX-License-Identifier: BSD-3-Clause
/// \file  The product without values: the small products above the filter, the resulting blocks of C, their cost, and
/// the error bound of C.
#pragma once

#include <vector>

#include "blocksparse/product/index_exchange.hpp"

namespace seiche {

/// The structure of this rank's products, from norms alone.
struct SymbolicProduct {
  CompressedRows blocks;  ///< blocks of C with at least one product above the filter, in rows and columns of the share
  std::vector<double> row_operations;  ///< floating-point operations of each row
  std::vector<float> row_eps;          ///< products below it are skipped
  std::int64_t products = 0, skipped = 0;
  std::int64_t most_products = 0;  ///< largest number of products of a row
  double squared_error = 0,
         squared_filter = 0;  ///< sums over blocks of C of (bound on its error)^2: total, and of the filter
};

struct SymbolicRequest {
  BlockChoice wanted;  ///< the blocks of C to compute; empty: all
  double eps = 0;
  double rounding = 0;  ///< unit roundoff of the values
  int layers = 1;
  int threads = 1;
};

/// Local. Marks the blocks in the index that products above the filter need.
template <class Value>
SymbolicProduct symbolic_product(IndexExchange<Value>& index, const SymbolicRequest& request);

}  // namespace seiche
