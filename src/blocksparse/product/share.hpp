// SPDX-License-Identifier: BSD-3-Clause
/// \file  How ranks share a product: each has its own blocks of C, or replication groups have theirs together and
/// divide the inner index (2.5D).
#pragma once

#include <vector>

#include "seiche/blocksparse.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// Replication groups of `across` x `along` neighbours on the grid of C's ranks work on the blocks of all of them, each
/// member on one part of the inner index: a layer. `across` divides the rows of the grid, `along` its columns. With one
/// layer each rank works on its own blocks of C.
struct ReplicationGroups {
  int across = 1, along = 1;
  int layers() const { return across * along; }
  int layer_of(const BlockLayout& c, int rank) const {
    return rank / c.grid_columns % across * along + rank % c.grid_columns % along;
  }
  int rank_of(const BlockLayout& c, int group_row, int group_column, int layer) const {
    return (group_row * across + layer / along) * c.grid_columns + group_column * along + layer % along;
  }
  /// First inner block of a layer.
  std::int64_t cut(std::int64_t inner, int layer) const { return inner * layer / layers(); }
  int layer_of_inner(std::int64_t inner, std::int64_t k) const {
    int layer = static_cast<int>(k * layers() / inner);
    while (cut(inner, layer + 1) <= k) ++layer;
    while (cut(inner, layer) > k) --layer;
    return layer;
  }
};

/// The blocks that a rank multiplies: rows and columns of C, and inner blocks. Everything about them is listed by their
/// places in the share.
struct Share {
  std::vector<std::int32_t> rows, columns;      ///< global, ascending
  std::vector<std::int32_t> row_at, column_at;  ///< place of each global row and column, -1: elsewhere
  Range inner;                                  ///< global; the place is counted from its low end
  BlockSizes row_sizes, column_sizes, inner_sizes;
};

/// \param inner sizes of all inner blocks
Share share_of(const BlockLayout& c, const ReplicationGroups& groups, const BlockSizes& inner);

/// What the cost model looks at: bytes of the whole matrices; and of A and B the share of blocks that are there.
struct MatrixBytes {
  double a = 0, b = 0, c = 0;
  double fill_a = 0, fill_b = 0;
};

/// Collective. How much there is of each operand; of C as if products fell on its blocks at random.
template <class Value>
MatrixBytes matrix_bytes(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c);

/// Rows and columns of the grid of ranks that have C.
struct RankGrid {
  int rows = 1, columns = 1;
};

/// Bytes that a rank receives for a product in these groups, if blocks are spread evenly and all are needed: of A and B
/// from those who have them, and of C from the other layers.
double bytes_received(const RankGrid& grid, const ReplicationGroups& groups, const MatrixBytes& whole);

/// The groups for `layers` layers, or for as many as cost least where it is 0. More than one layer must save a sixth.
/// \throws Error when the grid cannot be cut into so many
ReplicationGroups choose_groups(const RankGrid& grid, int layers, const MatrixBytes& whole);

}  // namespace seiche
