// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums of block-sparse matrices, dense forms, files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <seiche/block_file.hpp>

#include <algorithm>

#include "block_matrix.hpp"
#include "communicators.hpp"
#include "wavefile.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;

template <class Held>
struct ElementOf;
template <class Value>
struct ElementOf<BlockMatrix<Value>> {
  using type = Value;
};
template <class Matrix>
using Element = typename ElementOf<std::remove_cvref_t<Matrix>>::type;

/// First element of each block, and one after the last.
std::vector<std::int64_t> starts_of(const BlockSizes& sizes) {
  std::vector<std::int64_t> starts{0};
  for (const std::int32_t size : sizes) starts.push_back(starts.back() + size);
  return starts;
}

/// A C-ordered array that every rank has whole.
template <class Value>
BlockMatrix<Value> matrix_of(const SharedLayout& layout, std::span<const Value> all, double eps) {
  const auto rows = starts_of(layout->row_sizes), columns = starts_of(layout->column_sizes);
  const std::int64_t width = columns.back();
  const auto element = [&](std::int64_t row, std::int64_t column) {
    return all[static_cast<std::size_t>(row * width + column)];
  };
  const auto present = [&](std::int32_t i, std::int32_t j) {
    for (std::int64_t row = rows[static_cast<std::size_t>(i)]; row < rows[static_cast<std::size_t>(i) + 1]; ++row) {
      for (std::int64_t column = columns[static_cast<std::size_t>(j)];
           column < columns[static_cast<std::size_t>(j) + 1]; ++column) {
        if (static_cast<double>(std::abs(element(row, column))) > eps) return true;
      }
    }
    return false;
  };
  return from_function<Value>(layout, present, element);
}

HeldMatrix from_dense(const HeldLayout& layout, const Array& dense, nb::handle dtype, double eps) {
  std::optional<HeldMatrix> made;
  collective(
      layout.shared->comm,
      [&] {
        const Extents shape{starts_of(layout.shared->row_sizes).back(), starts_of(layout.shared->column_sizes).back()};
        with_kind(kind_of(dtype.is_none() ? nb::object(dense.attr("dtype")) : nb::borrow(dtype)), [&](auto value) {
          using Value = decltype(value);
          made.emplace(matrix_of<Value>(layout.shared, span_of<const Value>(dense, "dense", shape), eps));
        });
      },
      [] {});
  return std::move(*made);
}

/// Of what function(i, j) gives for the blocks that this rank owns: an array, or None for none.
HeldMatrix from_function(const HeldLayout& layout, const nb::callable& function, nb::handle dtype) {
  const BlockLayout& of = *layout.shared;
  std::optional<HeldMatrix> made;
  collective(
      of.comm,
      [&] {
        with_kind(kind_of(dtype), [&](auto value) { made.emplace(BlockMatrix<decltype(value)>(layout.shared)); });
        std::vector<BlockPlace> places;
        std::vector<nb::object> blocks;
        for (std::int32_t i = 0; i < std::ssize(of.row_sizes); ++i) {
          for (std::int32_t j = 0; j < std::ssize(of.column_sizes); ++j) {
            if (of.owner(i, j) != of.comm.rank()) continue;
            const nb::object given = function(i, j);
            if (given.is_none()) continue;
            places.push_back({i, j});
            blocks.push_back(given);
          }
        }
        std::visit([&](auto& matrix) { matrix.reserve(places); }, made->change());
        for (std::size_t n = 0; n < places.size(); ++n)
          block_array(*made, places[n].row, places[n].column).attr("__setitem__")(nb::ellipsis(), blocks[n]);
      },
      [] {});
  return std::move(*made);
}

Array to_dense_array(const HeldMatrix& self) {
  return std::visit(
      [&](const auto& matrix) -> Array {
        std::vector<Element<decltype(matrix)>> all;
        collective(
            self.comm(), [] {}, [&] { all = to_dense(matrix); });
        const std::int64_t rows = starts_of(matrix.layout().row_sizes).back(),
                           columns = starts_of(matrix.layout().column_sizes).back();
        const Array transposed = array_from(std::move(all), {columns, rows});
        const nb::object dense = transposed.attr("T");
        return nb::borrow<Array>(dense);
      },
      self.get());
}

/// A real number where the matrix is real.
template <class Value>
Value number_of(nb::handle given, const char* name) {
  if constexpr (std::is_floating_point_v<Value>) {
    return static_cast<Value>(value_of<double>(name, given));
  } else {
    if (!PyNumber_Check(given.ptr())) throw TypeError(std::string("python: ") + name + " must be a number");
    const Py_complex number = PyComplex_AsCComplex(given.ptr());
    return {static_cast<typename Value::value_type>(number.real), static_cast<typename Value::value_type>(number.imag)};
  }
}

HeldMatrix sum(nb::handle a, const HeldMatrix& x, nb::handle b, const HeldMatrix& y) {
  return std::visit(
      [&](const auto& one) {
        using Value = Element<decltype(one)>;
        std::optional<HeldMatrix> made;
        collective(
            x.comm(),
            [&] {
              require_same_kind(x, y);
              made.emplace(
                  add(number_of<Value>(a, "a"), one, number_of<Value>(b, "b"), std::get<BlockMatrix<Value>>(y.get())));
            },
            [] {});
        return std::move(*made);
      },
      x.get());
}

HeldMatrix redistributed(const HeldMatrix& self, const HeldLayout& layout, const std::string& op) {
  return std::visit(
      [&](const auto& matrix) {
        Transpose how{};
        std::optional<HeldMatrix> made;
        collective(
            self.comm(), [&] { how = transpose_named(op); },
            [&] { made.emplace(redistribute(matrix, layout.shared, how)); });
        return std::move(*made);
      },
      self.get());
}

/// A number that all ranks find together.
template <class Find>
double found(const HeldMatrix& self, const Find& find) {
  double number = 0;
  collective(
      self.comm(), [] {}, [&] { number = std::visit(find, self.get()); });
  return number;
}

double product_trace(const HeldMatrix& a, const HeldMatrix& b) {
  double number = 0;
  collective(
      a.comm(), [&] { require_same_kind(a, b); },
      [&] {
        std::visit(
            [&](const auto& one) {
              number = trace_of_product(one, std::get<std::remove_cvref_t<decltype(one)>>(b.get()));
            },
            a.get());
      });
  return number;
}

MatrixFormat format_named(const std::string& word) {
  using enum MatrixFormat;
  return named<MatrixFormat>(
      "format", word,
      {{"csr_binary", csr_binary}, {"csr_text", csr_text}, {"matrix_market", matrix_market}, {"dbcsr", dbcsr}});
}

HeldMatrix read(nb::handle path, nb::handle dtype, const std::optional<BlockSizes>& blocks, bool complete_triangle,
                const std::optional<HeldLayout>& layout, const Comm& comm) {
  const std::string name = path_of(path);
  std::optional<HeldMatrix> made;
  Kind kind{};
  const MatrixFileOptions options{blocks.value_or(BlockSizes{}), complete_triangle, layout ? layout->shared : nullptr};
  const Communicator own = communicator(comm);
  collective(
      own, [&] { kind = kind_of(dtype); },
      [&] { with_kind(kind, [&](auto value) { made.emplace(read_blocks<decltype(value)>(own, name, options)); }); });
  return std::move(*made);
}

void write(const HeldMatrix& self, nb::handle path, const std::string& format) {
  const std::string name = path_of(path);
  MatrixFormat kind{};
  collective(
      self.comm(), [&] { kind = format_named(format); },
      [&] { std::visit([&](const auto& matrix) { write_blocks(matrix, name, kind); }, self.get()); });
}

void bind_sums(nb::module_& module) {
  module.def("add", &sum, "a"_a, "x"_a, "b"_a, "y"_a, "a * x + b * y of two matrices on the same layout. Collective.",
             nb::sig("def add(a: complex, x: BlockMatrix, b: complex, y: BlockMatrix) -> BlockMatrix"));
  module.def(
      "scale",
      [](const HeldMatrix& self, nb::handle factor) {
        std::visit([&](auto& matrix) { scale(matrix, number_of<Element<decltype(matrix)>>(factor, "factor")); },
                   self.use());
      },
      "matrix"_a, "factor"_a, "matrix *= factor. Local.",
      nb::sig("def scale(matrix: BlockMatrix, factor: complex) -> None"));
  module.def(
      "add_to_diagonal",
      [](HeldMatrix& self, nb::handle factor) {
        std::visit(
            [&](auto& matrix) { add_to_diagonal(matrix, number_of<Element<decltype(matrix)>>(factor, "factor")); },
            self.change());
      },
      "matrix"_a, "factor"_a, "matrix += factor on the diagonal. Local.",
      nb::sig("def add_to_diagonal(matrix: BlockMatrix, factor: complex) -> None"));
  module.def(
      "trace", [](const HeldMatrix& self) { return found(self, [](const auto& matrix) { return trace(matrix); }); },
      "matrix"_a, "Real part of the trace. Collective, the same to the last bit on any number of ranks.");
  module.def("trace_of_product", &product_trace, "a"_a, "b"_a, "Re Tr(a^H b). Collective, likewise.");
  module.def(
      "frobenius_norm",
      [](const HeldMatrix& self) { return found(self, [](const auto& matrix) { return frobenius_norm(matrix); }); },
      "matrix"_a, "Collective, likewise.");
}

}  // namespace

void bind_block_algebra(nb::module_& module) {
  bind_sums(module);
  module.def(
      "from_dense", &from_dense, "layout"_a, "dense"_a, "dtype"_a = nb::none(), "eps"_a = 0.0,
      R"(The matrix of an array (rows, columns) that every rank has whole: blocks with an element above `eps`. Collective.)",
      nb::sig("def from_dense(layout: BlockLayout, dense: numpy.ndarray, dtype: numpy.typing.DTypeLike | None = None, "
              "eps: float = 0.0) -> BlockMatrix"));
  module.def(
      "from_function", &from_function, "layout"_a, "function"_a, "dtype"_a = "float64",
      R"(The matrix whose block (i, j) is what function(i, j) returns, an array (rows, columns), or None for no block. Collective.

It is called for the blocks that this rank owns.)",
      nb::sig("def from_function(layout: BlockLayout, function: collections.abc.Callable[[int, int], numpy.ndarray | "
              "None], dtype: numpy.typing.DTypeLike = 'float64') -> BlockMatrix"));
  module.def(
      "to_dense", &to_dense_array, "matrix"_a,
      "All elements on every rank, an array (rows, columns), symmetric matrices expanded. Collective. For tests.");
  module.def("redistribute", &redistributed, "matrix"_a, "layout"_a, "op"_a = "no",
             "The matrix, or its transpose or conjugate (op), with all blocks stored, in another layout. Collective.");
  module.def("read_blocks", &read, "path"_a, "dtype"_a = "float64", "blocks"_a = nb::none(),
             "complete_triangle"_a = true, "layout"_a = nb::none(), "comm"_a = nb::none(),
             R"(Reads CP2K's CSR prints, MatrixMarket or DBCSR's dump; the format is found from content. Collective.

`blocks` are block sizes where the file has none; default: 16.)",
             nb::sig("def read_blocks(path: str | os.PathLike[str], dtype: numpy.typing.DTypeLike = 'float64', blocks: "
                     "collections.abc.Sequence[int] | None = None, complete_triangle: bool = True, layout: BlockLayout "
                     "| None = None, comm: mpi4py.MPI.Comm | None = None) -> BlockMatrix"));
  module.def(
      "expect_block_file",
      [](nb::handle path, const Comm& comm) {
        const Communicator own = communicator(comm);
        const std::string name = path_of(path);
        collective(
            own, [] {}, [&] { expect_block_file(own, name); });
      },
      "path"_a, "comm"_a = nb::none(),
      "Raises at once what write_blocks would raise after a long computation. Collective.",
      nb::sig("def expect_block_file(path: str | os.PathLike[str], comm: mpi4py.MPI.Comm | None = None) -> None"));
  module.def("write_blocks", &write, "matrix"_a, "path"_a, "format"_a,
             "Writes csr_binary, csr_text, matrix_market or dbcsr. Collective.",
             nb::sig("def write_blocks(matrix: BlockMatrix, path: str | os.PathLike[str], format: str) -> None"));
}

}  // namespace seiche::python
