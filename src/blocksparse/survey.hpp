// SPDX-License-Identifier: BSD-3-Clause
/// \file  Before any block moves: who multiplies what, which blocks there are and how large their norms, and which
/// small products survive the filter.
#pragma once

#include <vector>

#include "blocksparse/parts.hpp"
#include "seiche/block_product.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// How the ranks of C's grid share a product. With one layer each rank works on its own blocks of C. With more, teams
/// of `across` x `along` neighbours on the grid work on the blocks of all of them, each member on a part of the inner
/// index; `across` divides the rows of the grid, `along` its columns.
struct Teams {
  int across = 1, along = 1;
  int layers() const { return across * along; }
  int layer_of(const BlockLayout& c, int rank) const {
    return rank / c.grid_columns % across * along + rank % c.grid_columns % along;
  }
  int rank_of(const BlockLayout& c, int team_row, int team_column, int layer) const {
    return (team_row * across + layer / along) * c.grid_columns + team_column * along + layer % along;
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

/// The blocks that this rank multiplies: rows and columns (global, ascending) of C, and inner blocks low <= k < high.
struct Share {
  std::vector<std::int32_t> rows, columns;
  std::vector<std::int32_t> row_at, column_at;  ///< where a global index stands in them, -1: elsewhere
  Range inner;
};
Share share_of(const BlockLayout& c, const Teams& teams, std::int64_t inner, int rank);

/// The blocks of one operand that this rank may need, in rows: of A by its rows of C, `index` the inner block; of B by
/// inner blocks, `index` the column's place in the share. Ascending within a row.
template <class Value>
struct Listing {
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> index;
  std::vector<float> norm;
  std::vector<std::int32_t> source, ordinal;  ///< who has it (-1: this rank), and where in what it told this rank
  std::vector<const Value*> data;             ///< set for blocks of this rank; for others when they have a place
  std::vector<char> needed;
};

/// What this rank told others of an operand: for each rank its own blocks, in the order told.
using Told = std::vector<std::vector<std::int64_t>>;

template <class Value>
struct Survey {
  Share share;
  Listing<Value> a, b;
  Told told_a, told_b;
  std::int64_t bytes_index = 0;
  double seconds_index = 0;  ///< spent on telling and hearing
};

/// Collective. Norms and places of blocks go to all ranks whose share they touch.
template <class Value>
Survey<Value> survey(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c, const Teams& teams,
                     bool norms);

/// The structure of this rank's products, from norms alone.
struct Forecast {
  std::vector<std::int64_t> start;     ///< of each row of the share in `columns`
  std::vector<std::int32_t> columns;   ///< places (in the share) of blocks of C that some product survives for
  std::vector<double> row_operations;  ///< floating-point operations of each row
  std::vector<float> row_eps;          ///< products below it are skipped
  std::int64_t products = 0, skipped = 0;
  std::int64_t most_products = 0;                ///< of any row
  double squared_error = 0, squared_filter = 0;  ///< sums over blocks of C of (bound on its error)^2: all, filter's
};

struct ForecastRequest {
  const std::vector<std::int32_t>*row_sizes, *column_sizes, *inner_sizes;
  double eps = 0;
  double rounding = 0;  ///< unit roundoff of the values; 0: norms are not known, bounds are not asked for
  int layers = 1;
  int threads = 1;
};

/// Local. Marks the blocks of `s` that surviving products need. \param nonzero blocks in each row of the share of A
template <class Value>
Forecast forecast(Survey<Value>& s, const std::vector<std::int64_t>& nonzero, const ForecastRequest& request);

}  // namespace seiche
