// SPDX-License-Identifier: BSD-3-Clause
/// \file  Changes the division of a matrix into blocks: small blocks are merged by the strength of their coupling,
/// large ones are cut. Products of small blocks have a large overhead, and large blocks contain zeros.
#pragma once

#include <span>
#include <vector>

#include "seiche/blocksparse.hpp"

namespace seiche {

/// Rows of one block that are rows of another block.
struct BlockSegment {
  std::int32_t block;        ///< the other block
  std::int32_t here, there;  ///< first of the rows in this block and in the other block
  std::int32_t size;
};

/// The correspondence of rows between two divisions of a basis into blocks.
class Regrouping {
 public:
  /// \param segments of each block, in the order of its rows; together they fill the blocks of the other division
  explicit Regrouping(std::vector<std::vector<BlockSegment>> segments);

  const BlockSizes& sizes() const { return sizes_; }  ///< block sizes of the other division
  std::span<const BlockSegment> of(std::int32_t block) const { return segments_[static_cast<std::size_t>(block)]; }
  bool changes() const;  ///< whether the other division differs
  Regrouping inverse() const;

 private:
  std::vector<std::vector<BlockSegment>> segments_;
  BlockSizes sizes_;
};

/// Collective. Returns a division with efficient block sizes for a square matrix whose rows and columns have the same
/// division. Blocks below 16 rows are merged up to 24 rows, and blocks above 48 rows are cut. Either neighbours in the
/// user's list or the most strongly coupled blocks are merged, whichever leaves fewer zeros in the nonzero blocks. The
/// result is independent of the number of ranks.
template <class Value>
Regrouping efficient_blocks(const BlockMatrix<Value>& matrix);

/// Collective. Returns the matrix on a layout of the other division, with all blocks stored. Zero parts of cut blocks
/// are dropped.
template <class Value>
BlockMatrix<Value> regroup(const BlockMatrix<Value>& matrix, const Regrouping& rows, const Regrouping& columns,
                           SharedLayout into);

}  // namespace seiche
