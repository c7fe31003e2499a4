// SPDX-License-Identifier: BSD-3-Clause
/// \file  Python objects of block-sparse matrices of all kinds of values.
#pragma once

#include <seiche/block_product.hpp>
#include <seiche/blocksparse.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "py_bind.hpp"

namespace seiche::python {

/// A layout that matrices share.
struct HeldLayout {
  SharedLayout shared;
};

/// A matrix whose memory NumPy arrays may use. An operation that moves blocks leaves that memory to the arrays and
/// works on a copy.
class HeldMatrix {
 public:
  using Any = OfAnyKind<BlockMatrix>;
  template <class Value>
  HeldMatrix(BlockMatrix<Value> matrix) : HeldMatrix(Any(std::move(matrix))) {}  // NOLINT: implicit on purpose
  HeldMatrix(Any matrix) : any_(std::make_shared<Any>(std::move(matrix))) {}     // NOLINT: implicit on purpose

  const std::shared_ptr<Any>& memory() const { return any_; }
  const Any& get() const { return *any_; }
  /// Returns the matrix for local calls. \throws Error on this rank if another thread is in a call on the communicator
  Any& any() const {
    require_free(comm());
    return *any_;
  }
  /// Same, for changes of the set of blocks.
  Any& change() {
    require_free(comm());
    if (any_.use_count() > 1) any_ = std::make_shared<Any>(*any_);
    return *any_;
  }
  /// Takes the blocks out of the matrix, and leaves none in it.
  std::shared_ptr<Any> take() {
    change();
    auto empty = std::make_shared<Any>(std::visit(
        []<class Value>(const BlockMatrix<Value>& matrix) {
          return Any(BlockMatrix<Value>(std::make_shared<BlockLayout>(matrix.layout()), matrix.symmetry()));
        },
        *any_));
    return std::exchange(any_, std::move(empty));
  }
  void give_back(std::shared_ptr<Any> taken) { any_ = std::move(taken); }
  const BlockLayout& layout() const {
    return std::visit([](const auto& matrix) -> const BlockLayout& { return matrix.layout(); }, *any_);
  }
  const Communicator& comm() const { return layout().comm; }
  Kind kind() const { return static_cast<Kind>(any_->index()); }

 private:
  std::shared_ptr<Any> any_;
};

/// Returns a block (rows, columns) in the matrix's memory, column-major, or None if this rank has none.
std::optional<Array> block_array(const HeldMatrix& self, std::int32_t i, std::int32_t j);
/// \throws Error unless both have the same kind of value
void require_same_kind(const HeldMatrix& a, const HeldMatrix& b);

/// Converts the name of an operation on operands.
inline Transpose transpose_named(const std::string& word) {
  using enum Transpose;
  static constexpr std::array<std::pair<std::string_view, Transpose>, 3> words{
      {{"no", no}, {"transpose", yes}, {"conjugate", conjugate}}};
  return named<Transpose>("op", word, words);
}

/// Converts a factor. It must be real if the matrix is real.
template <class Value>
Value number_of(nb::handle given, const char* name) {
  const Py_complex number = PyComplex_AsCComplex(given.ptr());
  if (PyErr_Occurred()) throw nb::python_error();
  if constexpr (std::is_floating_point_v<Value>) {
    if (number.imag != 0) throw BadArgument(std::string(name) + ": factors of real matrices must be real");
    return static_cast<Value>(number.real);
  } else {
    using Real = typename Value::value_type;
    return {static_cast<Real>(number.real), static_cast<Real>(number.imag)};
  }
}

void bind_block_algebra(nb::module_& module);

}  // namespace seiche::python
