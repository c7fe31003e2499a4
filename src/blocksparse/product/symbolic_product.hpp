// SPDX-License-Identifier: BSD-3-Clause
/// \file  The product without values: which small products survive the filter, which blocks of C they make, what they
/// cost, and how far C may be off.
#pragma once

#include <vector>

#include "blocksparse/product/index_exchange.hpp"

namespace seiche {

/// The structure of this rank's products, from norms alone.
struct SymbolicProduct {
  CompressedRows blocks;               ///< of C, in rows and columns of the share, that some product survives for
  std::vector<double> row_operations;  ///< floating-point operations of each row
  std::vector<float> row_eps;          ///< products below it are skipped
  std::int64_t products = 0, skipped = 0;
  std::int64_t most_products = 0;                ///< of any row
  double squared_error = 0, squared_filter = 0;  ///< sums over blocks of C of (bound on its error)^2: all, filter's
};

struct SymbolicRequest {
  double eps = 0;
  double rounding = 0;  ///< unit roundoff of the values
  int layers = 1;
  int threads = 1;
};

/// Local. Marks the blocks listed in the index that surviving products need.
template <class Value>
SymbolicProduct symbolic_product(IndexExchange<Value>& index, const SymbolicRequest& request);

}  // namespace seiche
