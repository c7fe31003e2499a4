// SPDX-License-Identifier: BSD-3-Clause
/// \file  The distribution of a product over ranks: each rank computes its own blocks of C, or the ranks of a
/// replication group divide the inner index for their common blocks (2.5D).
#pragma once

#include <vector>

#include "seiche/blocksparse.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// Replication groups of `across` x `along` neighbours in the process grid of C compute the blocks of all their
/// members. Each member computes one part of the inner index, a layer. `across` divides the rows of the grid, `along`
/// its columns. With one layer each rank computes its own blocks of C.
struct ReplicationGroups {
  int across = 1, along = 1;
  int layers() const { return across * along; }
  int layer_of(const BlockLayout& c, int rank) const {
    return rank / c.grid_columns % across * along + rank % c.grid_columns % along;
  }
  int rank_of(const BlockLayout& c, int group_row, int group_column, int layer) const {
    return (group_row * across + layer / along) * c.grid_columns + group_column * along + layer % along;
  }
};

/// The blocks that a rank multiplies: rows and columns of C, and inner blocks. All data about them is indexed by
/// positions in the share.
struct Share {
  std::vector<std::int32_t> rows, columns;      ///< global, ascending
  std::vector<std::int32_t> row_at, column_at;  ///< position of each global row and column, -1: not in the share
  Range inner;                                  ///< global; positions count from its lower end
  BlockSizes row_sizes, column_sizes, inner_sizes;
};

/// Returns 0 if there are no blocks.
double mean_size(const BlockSizes& sizes);

/// Returns the first inner block of each layer, and the number of inner blocks. The products of all layers take nearly
/// the same time if all blocks exist. \param inner sizes of all inner blocks
std::vector<std::int64_t> cut_inner(const BlockLayout& c, const BlockSizes& inner, int layers);

/// \param inner sizes of all inner blocks \param cuts of cut_inner()
Share share_of(const BlockLayout& c, const ReplicationGroups& groups, const BlockSizes& inner,
               const std::vector<std::int64_t>& cuts);

/// Input of the cost model: bytes of the whole matrices, and the fractions of nonzero blocks of A and B.
struct MatrixBytes {
  double a = 0, b = 0, c = 0;
  double fill_a = 0, fill_b = 0;
  bool limited = false;  ///< whether the memory of a rank is limited
};

/// Collective. Returns the sizes of the operands, and an estimate for C with randomly distributed products. \param
/// limited whether the memory of this rank is
template <class Value>
MatrixBytes matrix_bytes(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c, bool limited);

/// Rows and columns of the process grid of C.
struct RankGrid {
  int rows = 1, columns = 1;
};

/// Returns the bytes that a rank receives for a product in these groups, for evenly distributed blocks that are all
/// needed: of A and B from their owners, and of C from the other layers.
double bytes_received(const RankGrid& grid, const ReplicationGroups& groups, const MatrixBytes& whole);

/// Returns the groups for `layers` layers, or for the cheapest number if it is 0. More than one layer must save a
/// sixth. \throws Error if the grid cannot be divided into so many
ReplicationGroups choose_groups(const RankGrid& grid, int layers, const MatrixBytes& whole);

}  // namespace seiche
