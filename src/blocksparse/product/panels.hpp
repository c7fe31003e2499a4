// SPDX-License-Identifier: BSD-3-Clause
/// \file  Panels: the parts of a rank's share of a product.
#pragma once

#include <vector>

#include "blocksparse/product/index_exchange.hpp"

namespace seiche {

/// The axis along which a rank cuts its share. If only A or only B is sent, the axis is rows or columns of C, so that
/// each block of C is computed once; otherwise it is the inner index. The terms of a block of C are added in the same
/// order in all cases.
enum class Axis { rows, columns, inner };

/// A value for each axis of the share.
template <class Thing>
struct PerAxis {
  Thing rows{}, columns{}, inner{};
  Thing& operator[](Axis axis) { return axis == Axis::rows ? rows : axis == Axis::columns ? columns : inner; }
  const Thing& operator[](Axis axis) const { return const_cast<PerAxis&>(*this)[axis]; }
};

/// Position of a block of A or B in the share; -1: it spans the axis.
using Place = PerAxis<std::int32_t>;

/// Ranges of positions in the share.
using Panel = PerAxis<Range>;

/// A block in the index of an operand, 0: A, 1: B.
struct ListedBlock {
  int operand;
  std::int64_t entry;
  Place place;
  std::int64_t bytes;
};

/// Calls work(block) for all listed blocks of A, then of B.
template <class Value, class Work>
void each_listed(const IndexExchange<Value>& index, const Work& work) {
  const Share& share = index.share;
  const CompressedRows &a = index.a.blocks, &b = index.b.blocks;
  for (std::int32_t r = 0; r < a.rows(); ++r) {
    for (std::int64_t n = a.start[r]; n < a.start[r + 1]; ++n) {
      const std::int32_t k = a.index[n];
      work(ListedBlock{0, n, {r, -1, k}, std::int64_t{sizeof(Value)} * share.row_sizes[r] * share.inner_sizes[k]});
    }
  }
  for (std::int32_t k = 0; k < b.rows(); ++k) {
    for (std::int64_t n = b.start[k]; n < b.start[k + 1]; ++n) {
      const std::int32_t j = b.index[n];
      work(ListedBlock{1, n, {-1, j, k}, std::int64_t{sizeof(Value)} * share.inner_sizes[k] * share.column_sizes[j]});
    }
  }
}

/// The panels of a share, and the panel of each block of A and B.
struct Panels {
  Axis axis = Axis::inner;
  std::vector<Panel> all;
  std::vector<std::int32_t> panel_at;  ///< of each position along the axis

  std::int64_t count() const { return std::ssize(all); }
  /// Returns the panel of a block; blocks that span the axis belong to the first one.
  std::int32_t of(const Place& place) const { return place[axis] < 0 ? 0 : panel_at[place[axis]]; }
  /// Returns whether blocks of C are finished after panel p.
  bool finishes(std::int64_t p) const { return axis != Axis::inner || p + 1 == count(); }
};

struct PanelCount {
  int wanted = 0;       ///< 0: by size
  bool coarse = false;  ///< half as many panels
};

/// The axis of this rank, and the number of panels of all ranks.
struct PanelCut {
  Axis axis = Axis::inner;
  int panels = 1;
};

/// Collective. \param fault of this rank in the steps before. \throws the error of any rank
template <class Value>
PanelCut agreed_cut(const IndexExchange<Value>& index, const Communicator& comm, const PanelCount& count,
                    const std::optional<Error>& fault);

/// Local. Cuts the share.
template <class Value>
Panels cut_into_panels(const IndexExchange<Value>& index, const PanelCut& agreed);

}  // namespace seiche
