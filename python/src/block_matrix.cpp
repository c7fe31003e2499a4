// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices: their blocks as NumPy arrays.
#include "block_matrix.hpp"

#include <nanobind/stl/vector.h>

#include "nouns.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

const Words<Symmetry> symmetries{{"none", Symmetry::none},
                                 {"symmetric", Symmetry::symmetric},
                                 {"hermitian", Symmetry::hermitian},
                                 {"antisymmetric", Symmetry::antisymmetric}};

/// Owner of a NumPy array in the matrix's memory.
nb::capsule owner_of(const HeldMatrix& matrix) {
  auto* kept = new std::shared_ptr<HeldMatrix::Any>(matrix.memory());
  return nb::capsule(kept, [](void* held) noexcept { delete static_cast<std::shared_ptr<HeldMatrix::Any>*>(held); });
}

HeldMatrix make(const HeldLayout& layout, nb::handle dtype, const std::string& symmetry) {
  std::optional<HeldMatrix> made;
  collective(
      layout.shared->comm,
      [&] {
        const Symmetry kind = named("symmetry", symmetry, symmetries);
        with_kind(kind_of(dtype), [&](auto value) { made.emplace(BlockMatrix<decltype(value)>(layout.shared, kind)); });
      },
      [] {});
  return std::move(*made);
}

Array values(const HeldMatrix& self) {
  return std::visit(
      [&](auto& matrix) -> Array {
        const auto all = matrix.change_values();
        return array_on(all.data(), {static_cast<std::int64_t>(all.size())}, owner_of(self));
      },
      self.use());
}

/// rows, row_start, columns, offset
template <class Ask>
auto list_of(const HeldMatrix& self, const Ask& ask) {
  return std::visit(
      [&](const auto& matrix) {
        const auto& list = ask(matrix);
        return array_on(list.data(), {static_cast<std::int64_t>(list.size())}, owner_of(self));
      },
      self.use());
}

void reserve(HeldMatrix& self, const Array& places) {
  const auto all = span_of<const std::int32_t>(places, "places", {any_extent, 2});
  std::vector<BlockPlace> entries;
  for (std::size_t n = 0; n < all.size(); n += 2) entries.push_back({all[n], all[n + 1]});
  std::visit([&](auto& matrix) { matrix.reserve(std::move(entries)); }, self.change());
}

std::string text_of(const HeldMatrix& self) {
  return std::visit(
      [&](const auto& matrix) {
        const BlockLayout& layout = matrix.layout();
        return "<seiche.BlockMatrix of " + name_of(self.kind()) + ", " + std::to_string(layout.row_sizes.size()) +
               " x " + std::to_string(layout.column_sizes.size()) + " blocks on " + std::to_string(layout.grid_rows) +
               " x " + std::to_string(layout.grid_columns) + " ranks, here " + std::to_string(matrix.local_blocks()) +
               " blocks>";
      },
      self.use());
}

void bind_blocks(nb::class_<HeldMatrix>& matrix) {
  matrix
      .def(
          "block", &block_array, "i"_a, "j"_a,
          R"(Block (i, j) where this rank stores it, an array (rows, columns) in the matrix's own memory; else None. Local.

Write to it to change the matrix, until the matrix changes its blocks (reserve, a product into it, ...); from then on the
array is of what was.)",
          nb::sig("def block(self, i: int, j: int) -> numpy.ndarray | None"))
      .def("reserve", &reserve, "places"_a.none(),
           R"(Replaces all blocks by zeroes at `places`, an int32 array (n, 2), which this rank must own. Local.)")
      .def(
          "drop_below",
          [](HeldMatrix& self, double eps) {
            return std::visit([&](auto& held) { return held.drop_below(eps); }, self.change());
          },
          "eps"_a, "Drops blocks of norm below `eps`; returns the sum of their squared norms. Local.")
      .def_prop_ro("values", &values,
                   "All elements of this rank's blocks, one block after the other; may be written to. Local.");
}

/// A list of this rank's blocks: rows, row_start, columns, offset, norms.
template <class Ask>
void bind_list(nb::class_<HeldMatrix>& matrix, const char* name, const Ask& ask, const char* doc) {
  matrix.def_prop_ro(
      name, [ask](const HeldMatrix& self) { return list_of(self, ask); }, doc);
}

void bind_lists(nb::class_<HeldMatrix>& matrix) {
  bind_list(
      matrix, "rows", [](const auto& m) -> auto& { return m.rows(); }, "Block rows of this rank. Local.");
  bind_list(
      matrix, "row_start", [](const auto& m) -> auto& { return m.row_start(); },
      "row_start[r] : row_start[r + 1] are the blocks of row rows[r]. Local.");
  bind_list(
      matrix, "columns", [](const auto& m) -> auto& { return m.columns(); }, "Block column of each block. Local.");
  bind_list(
      matrix, "offset", [](const auto& m) -> auto& { return m.offset(); },
      "Where each block begins in `values`. Local.");
  bind_list(
      matrix, "norms", [](const auto& m) -> auto& { return m.norms(); },
      "Frobenius norm of each block of this rank, rounded up. Local.");
}

void bind_facts(nb::class_<HeldMatrix>& matrix) {
  matrix
      .def_prop_ro(
          "layout",
          [](const HeldMatrix& self) {
            return std::visit([](const auto& held) { return HeldLayout{held.shared_layout()}; }, self.use());
          },
          "Its BlockLayout. Local.")
      .def_prop_ro(
          "dtype", [](const HeldMatrix& self) { return name_of(self.kind()); }, "Of elements. Local.")
      .def_prop_ro(
          "symmetry",
          [](const HeldMatrix& self) {
            return std::visit([](const auto& held) { return word_of(held.symmetry(), symmetries); }, self.use());
          },
          "none, symmetric, hermitian or antisymmetric: of the latter blocks i <= j are stored. Local.")
      .def_prop_ro(
          "local_blocks",
          [](const HeldMatrix& self) {
            return std::visit([](const auto& held) { return held.local_blocks(); }, self.use());
          },
          "How many blocks this rank stores. Local.")
      .def_prop_ro(
          "memory",
          [](const HeldMatrix& self) { return std::visit([](const auto& held) { return held.memory(); }, self.use()); },
          "Bytes held by this rank. Local.")
      .def_prop_ro(
          "error_bound",
          [](const HeldMatrix& self) {
            return std::visit([](const auto& held) { return held.error_bound(); }, self.use());
          },
          "Bound on the Frobenius norm of the difference from what it should be. The same on all ranks.")
      .def(
          "copy",
          [](const HeldMatrix& self) {
            return std::visit([](const auto& held) { return HeldMatrix(held); }, self.use());
          },
          "Local.")
      .def("__repr__", &text_of);
}

}  // namespace

nb::object block_array(const HeldMatrix& self, std::int32_t i, std::int32_t j) {
  return std::visit(
      [&](auto& matrix) -> nb::object {
        const auto view = matrix.change_block(i, j);
        if (!view) return nb::none();
        return array_on(view.data, {view.rows, view.columns}, owner_of(self), {1, view.rows});
      },
      self.use());
}

void require_same_kind(const HeldMatrix& a, const HeldMatrix& b) {
  if (a.kind() != b.kind()) {
    throw Error(Fault::bad_argument,
                "python: one matrix is of " + name_of(a.kind()) + ", the other of " + name_of(b.kind()));
  }
}

Transpose transpose_named(const std::string& word) {
  using enum Transpose;
  return named<Transpose>("op", word, {{"no", no}, {"transpose", yes}, {"conjugate", conjugate}});
}

void bind_block_matrix(nb::module_& module) {
  bind_block_layout(module);
  nb::class_<HeldMatrix> matrix(module, "BlockMatrix", R"(A block-sparse matrix spread over ranks.

Parameters
----------
layout : BlockLayout
dtype : dtype
    float64, float32, complex128 or complex64.
symmetry : str
    none, symmetric, hermitian or antisymmetric: of the latter blocks i <= j are stored.

It begins as zero; reserve() its blocks and write to them, or make it by from_dense(). Collective over the layout's ranks.
While a call on its communicator runs, other threads may not use it.)");
  matrix.def(
      "__init__",
      [](HeldMatrix* self, const HeldLayout& layout, nb::handle dtype, const std::string& symmetry) {
        new (self) HeldMatrix(make(layout, dtype, symmetry));
      },
      "layout"_a, "dtype"_a = "float64", "symmetry"_a = "none",
      nb::sig("def __init__(self, layout: BlockLayout, dtype: numpy.typing.DTypeLike = 'float64', symmetry: str = "
              "'none') -> None"));
  bind_blocks(matrix);
  bind_lists(matrix);
  bind_facts(matrix);
  bind_block_algebra(module);
}

}  // namespace seiche::python
