// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices as Python holds them, for all kinds of numbers.
#pragma once

#include <seiche/block_product.hpp>
#include <seiche/blocksparse.hpp>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "bind.hpp"

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
  HeldMatrix(BlockMatrix<Value> matrix) : HeldMatrix(Any(std::move(matrix))) {}  // NOLINT: it is held as it is
  HeldMatrix(Any matrix) : any_(std::make_shared<Any>(std::move(matrix))) {}     // NOLINT: it is held as it is

  const std::shared_ptr<Any>& memory() const { return any_; }
  const Any& get() const { return *any_; }
  /// For local calls. \throws Error on this rank alone while another thread is in a call on its communicator
  Any& any() const {
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
std::optional<Array> block_array(const HeldMatrix& self, std::int32_t i, std::int32_t j);
/// \throws Error unless both hold the same kind of numbers
void require_same_kind(const HeldMatrix& a, const HeldMatrix& b);

/// What is done to operands, in words.
inline Transpose transpose_named(const std::string& word) {
  using enum Transpose;
  static constexpr std::array<std::pair<std::string_view, Transpose>, 3> words{
      {{"no", no}, {"transpose", yes}, {"conjugate", conjugate}}};
  return named<Transpose>("op", word, words);
}

/// A real number where the matrix is real.
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
