// SPDX-License-Identifier: BSD-3-Clause
/// \file  Operands of a product, brought into the form that it needs, and block sizes by kind.
#pragma once

#include <memory>
#include <optional>

#include "blocksparse/stacks.hpp"
#include "support/require.hpp"

namespace seiche {

/// Bound on the relative error of one multiplication and addition.
template <class Value>
constexpr double roundoff = (is_complex<Value> ? 4.0 : 1.0) * std::numeric_limits<Real<Value>>::epsilon() / 2;

/// An operand as the product needs it: all blocks stored, dealt out like C along the index they share. `announce` hears
/// of the memory that this takes where it is not so already.
template <class Value>
class Operand {
 public:
  Operand(const BlockMatrix<Value>& given, Transpose op, const BlockLayout& c, bool is_a, const Announce& announce)
      : used_(&given) {
    const BlockLayout& of = given.layout();
    const bool swaps = op != Transpose::no;
    const BlockSizes &rows = swaps ? of.column_sizes : of.row_sizes, &columns = swaps ? of.row_sizes : of.column_sizes;
    require(is_a ? rows == c.row_sizes : columns == c.column_sizes, Fault::bad_argument,
            "the block {} of op({}) and those of C differ in number or size; check the order of the operands",
            is_a ? "rows" : "columns", is_a ? "A" : "B");
    require(of.comm.get() == c.comm.get(), Fault::bad_argument,
            "operands and C lie on different communicators; make their layouts from the same one");
    const bool in_place = op == Transpose::no && given.symmetry() == Symmetry::none && of.grid_rows == c.grid_rows &&
                          (is_a ? of.row_owner == c.row_owner : of.column_owner == c.column_owner);
    if (in_place) return;
    auto layout = std::make_shared<BlockLayout>(c);
    layout->row_sizes = rows;
    layout->column_sizes = columns;
    layout->row_owner = is_a ? c.row_owner : deal_cyclic(rows.size(), c.grid_rows);
    layout->column_owner = is_a ? deal_cyclic(columns.size(), c.grid_columns) : c.column_owner;
    made_.emplace(redistribute_within(given, std::move(layout), op, announce));
    used_ = &*made_;
  }
  const BlockMatrix<Value>& operator*() const { return *used_; }
  /// Bytes of its own, the norms included that the survey will ask for.
  std::int64_t held() const { return made_ ? made_->memory() + 4 * made_->local_blocks() : 0; }

 private:
  const BlockMatrix<Value>* used_;
  std::optional<BlockMatrix<Value>> made_;
};

inline Kinds kinds_of(const std::vector<std::int32_t>& sizes) {
  Kinds kinds;
  for (const std::int32_t size : sizes) {
    auto found = std::find(kinds.sizes.begin(), kinds.sizes.end(), size);
    if (found == kinds.sizes.end()) found = kinds.sizes.insert(found, size);
    kinds.kind.push_back(static_cast<std::int32_t>(found - kinds.sizes.begin()));
  }
  return kinds;
}

/// The sizes of some of the blocks.
inline BlockSizes pick(const BlockSizes& sizes, const std::vector<std::int32_t>& which) {
  BlockSizes picked;
  for (const std::int32_t i : which) picked.push_back(sizes[static_cast<std::size_t>(i)]);
  return picked;
}

}  // namespace seiche
