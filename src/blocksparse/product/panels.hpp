// SPDX-License-Identifier: BSD-3-Clause
/// \file  Panels: the parts into which a rank cuts its share of a product.
#pragma once

#include <vector>

#include "blocksparse/product/index_exchange.hpp"

namespace seiche {

/// Along what a rank cuts its share. Where only A or only B travels, by rows or columns of C, so that each block of C
/// is worked on once; else by the inner index. In each case the terms of a block of C are added in the same order.
enum class Axis { rows, columns, inner };

/// Something for each axis of the share.
template <class Thing>
struct PerAxis {
  Thing rows{}, columns{}, inner{};
  Thing& operator[](Axis axis) { return axis == Axis::rows ? rows : axis == Axis::columns ? columns : inner; }
  const Thing& operator[](Axis axis) const { return const_cast<PerAxis&>(*this)[axis]; }
};

/// Where a block of A or B stands in the share; -1: it spans the axis.
using Place = PerAxis<std::int32_t>;

/// Ranges of places in the share.
using Panel = PerAxis<Range>;

/// A block listed in the index of an operand, 0: A, 1: B.
struct ListedBlock {
  int operand;
  std::int64_t entry;
  Place place;
  std::int64_t bytes;
};

/// Calls work(block) for all blocks of A, then of B, that are listed here.
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

/// The panels of a share, and which of them each block of A and B is for.
struct Panels {
  Axis axis = Axis::inner;
  std::vector<Panel> all;
  std::vector<std::int32_t> panel_at;  ///< of each place along the axis

  std::int64_t count() const { return std::ssize(all); }
  /// A block that spans the axis is for the first.
  std::int32_t of(const Place& place) const { return place[axis] < 0 ? 0 : panel_at[place[axis]]; }
  /// Whether blocks of C are finished after panel p.
  bool finishes(std::int64_t p) const { return axis != Axis::inner || p + 1 == count(); }
};

struct PanelCount {
  int wanted = 0;       ///< 0: by size
  bool coarse = false;  ///< half as many as that
};

/// Collective. Cuts the share; the number of panels is the same on all ranks.
template <class Value>
Panels cut_into_panels(const IndexExchange<Value>& index, const Communicator& comm, const PanelCount& count);

}  // namespace seiche
