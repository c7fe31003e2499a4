// SPDX-License-Identifier: BSD-3-Clause
/// \file  The same matrix in other blocks: small ones put together by how strongly they are coupled, large ones cut.
/// Products of small blocks cost lists rather than arithmetic, those of large ones multiply zeroes.
#pragma once

#include <span>
#include <vector>

#include "seiche/blocksparse.hpp"

namespace seiche {

/// Rows of one block that are rows of another.
struct BlockSegment {
  std::int32_t block;        ///< the other
  std::int32_t here, there;  ///< the first of the rows in the one and in the other
  std::int32_t size;
};

/// Which rows of the blocks of one division of a basis are which of another division.
class Regrouping {
 public:
  /// \param segments of each block, in the order of its rows; together they fill the blocks of the other division
  explicit Regrouping(std::vector<std::vector<BlockSegment>> segments);

  const BlockSizes& sizes() const { return sizes_; }  ///< of the other division's blocks
  std::span<const BlockSegment> of(std::int32_t block) const { return segments_[static_cast<std::size_t>(block)]; }
  bool changes() const;  ///< whether the other division differs
  Regrouping inverse() const;

 private:
  std::vector<std::vector<BlockSegment>> segments_;
  BlockSizes sizes_;
};

/// Collective. Blocks of a size that products are fast with, from those of a square matrix whose rows and columns are
/// divided alike: those below 16 rows are put together, up to 24, and those above 48 are cut. Together come neighbours
/// in the user's list, or those that share the largest elements, whichever leaves fewer zeroes in the blocks that the
/// matrix fills. The same on any number of ranks.
template <class Value>
Regrouping efficient_blocks(const BlockMatrix<Value>& matrix);

/// Collective. The matrix on a layout of the other division; what is zero in a block that is cut is left out. Blocks
/// of all of it are stored.
template <class Value>
BlockMatrix<Value> regroup(const BlockMatrix<Value>& matrix, const Regrouping& rows, const Regrouping& columns,
                           SharedLayout into);

}  // namespace seiche
