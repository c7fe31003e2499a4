// SPDX-License-Identifier: BSD-3-Clause
/// \file  Sums of block-sparse matrices, conversion from and to dense arrays, and files.
#include <seiche/block_file.hpp>

#include <algorithm>

#include "py_block_matrix.hpp"

namespace seiche::python {

namespace {

/// First element of each block, and the number of elements.
std::vector<std::int64_t> starts_of(const BlockSizes& sizes) {
  std::vector<std::int64_t> starts{0};
  for (const std::int32_t size : sizes) starts.push_back(starts.back() + size);
  return starts;
}

/// Converts a C-ordered array that every rank has in full.
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

HeldMatrix from_dense(const HeldLayout& layout, const Array& dense, const Dtype& dtype, double eps) {
  return agreed(layout.shared->comm, [&] {
    const Extents shape{starts_of(layout.shared->row_sizes).back(), starts_of(layout.shared->column_sizes).back()};
    const nb::object kind = dtype.is_none() ? nb::object(dense.attr("dtype")) : nb::borrow(dtype);
    return with_kind(kind_of(kind), [&](auto value) -> HeldMatrix {
      using Value = decltype(value);
      return matrix_of<Value>(layout.shared, span_of<const Value>(dense, "dense", shape), eps);
    });
  });
}

/// Calls use(i, j) for the blocks that this rank owns.
template <class Use>
void each_own_block(const BlockLayout& of, const Use& use) {
  for (std::int32_t i = 0; i < std::ssize(of.row_sizes); ++i) {
    for (std::int32_t j = 0; j < std::ssize(of.column_sizes); ++j) {
      if (of.owner(i, j) == of.comm.rank()) use(i, j);
    }
  }
}

/// Creates a matrix from function(i, j), which returns an array or None. It is called for the blocks of this rank.
using OfBlocks = Argument<"collections.abc.Callable[[int, int], numpy.ndarray | None]">;
HeldMatrix from_function(const HeldLayout& layout, const OfBlocks& function, const Dtype& dtype) {
  return agreed(layout.shared->comm, [&] {
    HeldMatrix made = of_kind<BlockMatrix>(kind_of(dtype), layout.shared);
    std::vector<BlockPlace> places;
    std::vector<nb::object> blocks;
    each_own_block(*layout.shared, [&](std::int32_t i, std::int32_t j) {
      const nb::object given = function(i, j);
      if (given.is_none()) return;
      places.push_back({i, j});
      blocks.push_back(given);
    });
    std::visit([&](auto& matrix) { matrix.reserve(places); }, made.change());
    for (std::size_t n = 0; n < places.size(); ++n)
      block_array(made, places[n].row, places[n].column)->attr("__setitem__")(nb::ellipsis(), blocks[n]);
    return made;
  });
}

Array to_dense_array(const HeldMatrix& self) {
  const BlockLayout& layout = self.layout();
  const std::int64_t rows = starts_of(layout.row_sizes).back(), columns = starts_of(layout.column_sizes).back();
  return std::visit(
      [&](const auto& matrix) {
        const Array transposed = array_from(collective(self.comm(), [&] { return to_dense(matrix); }), {columns, rows});
        return nb::borrow<Array>(nb::object(transposed.attr("T")));
      },
      self.get());
}

HeldMatrix sum(const Number& a, const HeldMatrix& x, const Number& b, const HeldMatrix& y) {
  return agreed(x.comm(), [&] {
    require_same_kind(x, y);
    return std::visit(
        [&]<class Value>(const BlockMatrix<Value>& one) -> HeldMatrix {
          const auto& other = std::get<BlockMatrix<Value>>(y.get());
          return add(number_of<Value>(a, "a"), one, number_of<Value>(b, "b"), other);
        },
        x.get());
  });
}

HeldMatrix redistributed(const HeldMatrix& self, const HeldLayout& layout, const std::string& op) {
  return collective(
      self.comm(), [&] { return transpose_named(op); },
      [&](Transpose how) {
        return std::visit([&](const auto& matrix) -> HeldMatrix { return redistribute(matrix, layout.shared, how); },
                          self.get());
      });
}

/// A function that computes a number collectively.
template <class Find>
auto found(const Find& find) {
  return
      [find](const HeldMatrix& self) { return collective(self.comm(), [&] { return std::visit(find, self.get()); }); };
}

double product_trace(const HeldMatrix& a, const HeldMatrix& b) {
  return collective(
      a.comm(), [&] { require_same_kind(a, b); },
      [&] {
        return std::visit(
            [&]<class Value>(const BlockMatrix<Value>& one) {
              return trace_of_product(one, std::get<BlockMatrix<Value>>(b.get()));
            },
            a.get());
      });
}

HeldMatrix read(const Path& path, const Dtype& dtype, const std::optional<BlockSizes>& blocks, bool complete_triangle,
                const std::optional<HeldLayout>& layout, const Comm& comm) {
  const MatrixFileOptions options{blocks.value_or(BlockSizes{}), complete_triangle, layout ? layout->shared : nullptr};
  const Communicator own = communicator(comm);
  return collective(
      own, [&] { return kind_of(dtype); },
      [&](Kind kind) {
        return with_kind(kind,
                         [&](auto value) -> HeldMatrix { return read_blocks<decltype(value)>(own, path, options); });
      });
}

void write(const HeldMatrix& self, const Path& path, const std::string& format) {
  collective(
      self.comm(), [&] { return named<MatrixFormat>("format", format); },
      [&](MatrixFormat kind) {
        std::visit([&](const auto& matrix) { write_blocks(matrix, path, kind); }, self.get());
      });
}

void scale_matrix(const HeldMatrix& self, const Number& factor) {
  std::visit([&]<class Value>(BlockMatrix<Value>& matrix) { scale(matrix, number_of<Value>(factor, "factor")); },
             self.any());
}
void add_diagonal(HeldMatrix& self, const Number& factor) {
  std::visit(
      [&]<class Value>(BlockMatrix<Value>& matrix) { add_to_diagonal(matrix, number_of<Value>(factor, "factor")); },
      self.change());
}

void bind_sums(nb::module_& module) {
  Calls(module).def("add", &sum, "a"_a, "x"_a, "b"_a, "y"_a,
                    "Returns a * x + b * y of two matrices with the same layout. Collective.");
  module.def("scale", &scale_matrix, "matrix"_a, "factor"_a, "Multiplies all elements by `factor`. Local.");
  module.def("add_to_diagonal", &add_diagonal, "matrix"_a, "factor"_a,
             "Adds `factor` to each element of the diagonal. Local.");
  Calls(module).def("trace", found([](const auto& matrix) { return trace(matrix); }), "matrix"_a,
                    "Returns the real part of the trace, bitwise identical on any number of ranks. Collective.");
  Calls(module).def("trace_of_product", &product_trace, "a"_a, "b"_a,
                    "Returns Re Tr(a^H b), bitwise identical on any number of ranks. Collective.");
  Calls(module).def("frobenius_norm", found([](const auto& matrix) { return frobenius_norm(matrix); }), "matrix"_a,
                    "Returns the Frobenius norm, bitwise identical on any number of ranks. Collective.");
}

}  // namespace

void bind_block_algebra(nb::module_& module) {
  bind_sums(module);
  Calls(module).def("from_dense", &from_dense, "layout"_a, "dense"_a, "dtype"_a = nb::none(), "eps"_a = 0.0,
                    R"(Creates a matrix from an array (rows, columns) that every rank has in full. Collective.

Blocks without an element whose absolute value exceeds `eps` are left out.)");
  Calls(module).def(
      "from_function", &from_function, "layout"_a, "function"_a, "dtype"_a = "float64",
      R"(Creates a matrix whose block (i, j) is function(i, j): an array (rows, columns), or None for no block. Collective.

The function is called for the blocks of this rank only.)");
  Calls(module).def(
      "to_dense", &to_dense_array, "matrix"_a,
      "Returns all elements on every rank as an array (rows, columns). Triangles are completed. For tests. "
      "Collective.");
  Calls(module).def(
      "redistribute", &redistributed, "matrix"_a, "layout"_a, "op"_a = "no",
      "Returns op(matrix) in another layout, with all blocks stored. `op`: no, transpose or conjugate. Collective.");
  Calls(module).def(
      "read_blocks", &read, "path"_a, "dtype"_a = "float64", "blocks"_a = nb::none(), "complete_triangle"_a = true,
      "layout"_a = nb::none(), "comm"_a = nb::none(),
      R"(Reads a file of CP2K (CSR), MatrixMarket or DBCSR. The format is detected from the content. Collective.

`blocks`: block sizes if the file has none (default: 16).)");
  Calls(module).def("holds_complex", by_path(&holds_complex), "path"_a, "comm"_a = nb::none(),
                    "Tells whether a file of a matrix contains complex numbers. Collective.");
  Calls(module).def(
      "expect_block_file", by_path(&expect_block_file), "path"_a, "comm"_a = nb::none(),
      "Checks that write_blocks() can create a file at `path`. Call it before a long computation. Collective.");
  Calls(module).def("write_blocks", &write, "matrix"_a, "path"_a, "format"_a,
                    "Writes a matrix. `format`: csr_binary, csr_text, matrix_market or dbcsr. Collective.");
}

}  // namespace seiche::python
