// SPDX-License-Identifier: BSD-3-Clause
/// \file  Before any block moves: ranks tell each other which blocks there are, and how large their norms.
#pragma once

#include <vector>

#include "blocksparse/matrix/compressed_rows.hpp"
#include "blocksparse/product/share.hpp"

namespace seiche {

/// The blocks of one operand that this rank may need: of A in rows of the share, by inner block; of B in rows of inner
/// blocks, by column of the share.
template <class Value>
struct OperandIndex {
  CompressedRows blocks;
  std::vector<float> norm;
  std::vector<std::int32_t> source, ordinal;  ///< who has it (-1: this rank), and where in what it told this rank
  std::vector<const Value*> data;             ///< set for blocks of this rank; for others when they have a place
  std::vector<char> needed;
  /// What this rank told each other rank of the operand: its own blocks, in the order told.
  std::vector<std::vector<std::int64_t>> told;
};

template <class Value>
struct IndexExchange {
  Share share;
  OperandIndex<Value> a, b;
  std::vector<std::int64_t> row_blocks;  ///< of A in each row of the share, those of other layers included
  std::int64_t bytes = 0;                ///< received
  double seconds = 0;                    ///< spent on telling and hearing
};

/// Collective. Norms and places of blocks go to all ranks whose share they touch.
template <class Value>
IndexExchange<Value> exchange_index(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c,
                                    const ReplicationGroups& groups);

}  // namespace seiche
