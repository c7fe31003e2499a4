// SPDX-License-Identifier: BSD-3-Clause
/// \file  C, or the part of one layer, while products are accumulated: first its structure, then its values after their
/// memory was announced.
#pragma once

#include <vector>

#include "blocksparse/matrix/storage.hpp"
#include "blocksparse/product/symbolic_product.hpp"

namespace seiche {

/// Rows and columns are positions in the share.
template <class Value>
struct Accumulator {
  CompressedRows blocks;
  std::vector<std::int64_t> offset;  ///< of each block in `values`
  std::int64_t elements = 0;         ///< size of `values` after allocation
  std::vector<char> filled;          ///< whether the block holds values
  std::vector<float> norms;          ///< of finished blocks, if requested
  RawVector<Value> values;
};

/// Returns the structure of C: the blocks of products and, if they are added to C, its existing blocks.
template <class Value>
Accumulator<Value> lay_out(const SymbolicProduct& symbolic, const Share& share, const BlockMatrix<Value>& c,
                           bool adds_to_old);

/// Allocates the values, or reuses the memory of C if `serves_again`: C is zero then.
template <class Value>
void take_memory(Accumulator<Value>& accumulator, BlockMatrix<Value>& c, bool serves_again);

/// Moves the accumulator to C.
template <class Value>
void hand_over(Accumulator<Value>&& accumulator, const Share& share, BlockMatrix<Value>& c);

}  // namespace seiche
