// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices as Python holds them, for all kinds of numbers.
#pragma once

#include <seiche/block_product.hpp>
#include <seiche/blocksparse.hpp>

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "options.hpp"
#include "plans.hpp"
#include "reserved.hpp"

namespace seiche::python {

/// A layout, which matrices share.
struct HeldLayout {
  SharedLayout shared;
};

/// A matrix in memory in which NumPy arrays may lie. What would move its blocks leaves that memory to such arrays, and
/// goes on in a copy.
class HeldMatrix {
 public:
  using Any = OfAnyKind<BlockMatrix>;
  template <class Value>
  explicit HeldMatrix(BlockMatrix<Value> matrix) : any_(std::make_shared<Any>(std::move(matrix))) {}

  const std::shared_ptr<Any>& memory() const { return any_; }
  const Any& get() const { return *any_; }
  /// For local calls. \throws Error on this rank alone while another thread is in a call on its communicator
  Any& use() const {
    require_free(comm());
    return *any_;
  }
  /// The same, to change its blocks' number or places.
  Any& change() {
    require_free(comm());
    if (any_.use_count() > 1) any_ = std::make_shared<Any>(*any_);
    return *any_;
  }
  const BlockLayout& layout() const {
    return std::visit([](const auto& matrix) -> const BlockLayout& { return matrix.layout(); }, *any_);
  }
  const Communicator& comm() const { return layout().comm; }
  Kind kind() const { return static_cast<Kind>(any_->index()); }

 private:
  std::shared_ptr<Any> any_;
};

/// The block (rows, columns) in the matrix's memory, column-major, or None where this rank has none.
nb::object block_array(const HeldMatrix& self, std::int32_t i, std::int32_t j);
/// \throws Error unless both hold the same kind of numbers
void require_same_kind(const HeldMatrix& a, const HeldMatrix& b);
Transpose transpose_named(const std::string& word);
ProductOptions product_options(const nb::kwargs& given, const ProductOptions& otherwise = {});
nb::sig product_signature(const std::string& before, const std::string& after, const ProductOptions& defaults = {});

void bind_block_layout(nb::module_& module);
void bind_block_algebra(nb::module_& module);

}  // namespace seiche::python
