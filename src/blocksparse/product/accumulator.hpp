// SPDX-License-Identifier: BSD-3-Clause
/// \file  C, or one layer's part of it, as products are added up: its structure first, its values when their memory has
/// been announced.
#pragma once

#include <vector>

#include "blocksparse/matrix/storage.hpp"
#include "blocksparse/product/symbolic_product.hpp"

namespace seiche {

/// Rows and columns are places in the share.
template <class Value>
struct Accumulator {
  CompressedRows blocks;
  std::vector<std::int64_t> offset;  ///< of each block in `values`
  std::int64_t elements = 0;         ///< that `values` will have
  std::vector<char> filled;          ///< block holds values already
  std::vector<float> norms;          ///< of finished blocks, where asked for
  RawVector<Value> values;
};

/// The structure of C: what products make and, where they are added to it, what is there already.
template <class Value>
Accumulator<Value> lay_out(const SymbolicProduct& symbolic, const Share& share, const BlockMatrix<Value>& c,
                           bool adds_to_old);

/// Takes memory for the values, that of C where it `serves_again`: C is zero then.
template <class Value>
void take_memory(Accumulator<Value>& accumulator, BlockMatrix<Value>& c, bool serves_again);

/// The accumulator becomes C.
template <class Value>
void hand_over(Accumulator<Value>&& accumulator, const Share& share, BlockMatrix<Value>& c);

}  // namespace seiche
