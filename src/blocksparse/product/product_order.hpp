// SPDX-License-Identifier: BSD-3-Clause
/// \file  The order of the products in a panel. Groups of rows of C and parts of the inner index are chosen so that
/// their blocks of A stay in a core's cache while blocks of B pass (K. Goto, R. van de Geijn, ACM Trans. Math. Softw.
/// 34, 12, 2008). The terms of each block of C keep their order.
#pragma once

#include <algorithm>

#include "blocksparse/product/index_exchange.hpp"
#include "support/aligned_memory.hpp"

namespace seiche {

struct ProductOrder {
  std::int64_t rows = 1;   ///< rows of C in a group
  std::int64_t inner = 1;  ///< inner blocks in a part
};

/// Returns the bytes of the blocks of an operand, with these sizes of its rows and columns.
template <class Value>
double bytes_of_values(const CompressedRows& blocks, const BlockSizes& rows, const BlockSizes& columns) {
  double elements = 0;
  for (std::int64_t r = 0; r < blocks.rows(); ++r) {
    for (std::int64_t x = blocks.start[r]; x < blocks.start[r + 1]; ++x) {
      elements += static_cast<double>(rows[r]) * columns[blocks.index[x]];
    }
  }
  return elements * sizeof(Value);
}

/// Returns single rows and the whole inner index if the rows of a group would share few blocks of B, or if B fits into
/// a core's part of the shared cache: then lists of products and blocks of A would displace each other.
template <class Value>
ProductOrder order_of(const IndexExchange<Value>& index) {
  constexpr std::int64_t group = 8, fewest_inner = 8;
  constexpr double shared_cache = 16;  // in caches of a core
  const CompressedRows &a = index.a.blocks, &b = index.b.blocks;
  const Share& share = index.share;
  const auto cache = static_cast<double>(core_cache());
  const auto inner = std::max<std::int64_t>(1, std::ssize(share.inner_sizes));
  const bool few_shared = group * a.entries() < 2 * inner * a.rows();
  if (a.entries() == 0 || few_shared) return {1, inner};
  if (bytes_of_values<Value>(b, share.inner_sizes, share.column_sizes) <= shared_cache * cache) return {1, inner};
  const double of_a = bytes_of_values<Value>(a, share.row_sizes, share.inner_sizes);
  const double parts = std::max(1.0, group * of_a / static_cast<double>(a.rows()) / (cache / 2));
  return {group, std::clamp(static_cast<std::int64_t>(static_cast<double>(inner) / parts), fewest_inner,
                            std::max(inner, fewest_inner))};
}

}  // namespace seiche
