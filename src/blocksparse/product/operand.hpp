// SPDX-License-Identifier: BSD-3-Clause
/// \file  Operands of a product, converted to the required form.
#pragma once

#include <memory>
#include <optional>

#include "blocksparse/matrix/redistribute_blocks.hpp"
#include "comm/agree.hpp"
#include "seiche/block_product.hpp"
#include "support/require.hpp"

namespace seiche {

/// Checks that the operands and C fit. \throws Error otherwise
template <class Value>
void require_fit(const Product<Value>& product, const BlockLayout& c) {
  const auto rows = [](const BlockLayout& of, Transpose op) -> const BlockSizes& {
    return op == Transpose::no ? of.row_sizes : of.column_sizes;
  };
  const auto columns = [](const BlockLayout& of, Transpose op) -> const BlockSizes& {
    return op == Transpose::no ? of.column_sizes : of.row_sizes;
  };
  const BlockLayout &a = product.a.layout(), &b = product.b.layout();
  require(rows(a, product.op_a) == c.row_sizes, Fault::bad_argument,
          "the block rows of op(A) and C differ in number or size: check the order of the operands");
  require(columns(b, product.op_b) == c.column_sizes, Fault::bad_argument,
          "the block columns of op(B) and C differ in number or size: check the order of the operands");
  require(columns(a, product.op_a) == rows(b, product.op_b), Fault::bad_argument,
          "the block columns of op(A) and the block rows of op(B) differ in number or size: check the operands");
  require(a.comm.get() == c.comm.get() && b.comm.get() == c.comm.get(), Fault::bad_argument,
          "the operands and C have different communicators: create their layouts from the same communicator");
}

/// Collective. An operand in the form of the product: all blocks stored, and distributed like C along the common index.
/// `announce` is called with the memory of a conversion.
template <class Value>
class Operand {
 public:
  Operand(const BlockMatrix<Value>& given, Transpose op, const BlockLayout& c, bool is_a, const Announce& announce)
      : used_(&given) {
    const BlockLayout& of = given.layout();
    const bool swaps = op != Transpose::no;
    const BlockSizes &rows = swaps ? of.column_sizes : of.row_sizes, &columns = swaps ? of.row_sizes : of.column_sizes;
    const bool in_place = op == Transpose::no && given.symmetry() == Symmetry::none && of.grid_rows == c.grid_rows &&
                          (is_a ? of.row_owner == c.row_owner : of.column_owner == c.column_owner);
    if (in_place) return;
    std::shared_ptr<BlockLayout> layout;
    together(c.comm, [&] {
      layout = std::make_shared<BlockLayout>(c);
      layout->row_sizes = rows;
      layout->column_sizes = columns;
      layout->row_owner = is_a ? c.row_owner : distribute_cyclic(rows.size(), c.grid_rows);
      layout->column_owner = is_a ? distribute_cyclic(columns.size(), c.grid_columns) : c.column_owner;
    });
    made_.emplace(redistribute_within(given, std::move(layout), op, announce));
    used_ = &*made_;
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  const BlockMatrix<Value>& operator*() const { return *used_; }
  const BlockMatrix<Value>* operator->() const { return used_; }
  /// Returns the bytes of the converted operand, including the norms for the index exchange.
  std::int64_t held() const { return made_ ? made_->memory() + 4 * made_->local_blocks() : 0; }

 private:
  const BlockMatrix<Value>* used_;
  std::optional<BlockMatrix<Value>> made_;
};

/// Both operands of a product for C. \pre they fit
template <class Value>
struct Operands {
  Operand<Value> a, b;

  Operands(const Product<Value>& product, const BlockLayout& c, const Announce& announce)
      : a(product.a, product.op_a, c, true, announce),
        b(product.b, product.op_b, c, false, [&](std::int64_t bytes) { announce(a.held() + bytes); }) {}
  std::int64_t held() const { return a.held() + b.held(); }
};

}  // namespace seiche
