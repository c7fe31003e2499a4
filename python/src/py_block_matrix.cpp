// SPDX-License-Identifier: BSD-3-Clause
/// \file  Layouts of blocks, and block-sparse matrices, whose blocks are NumPy arrays.
#include "py_block_matrix.hpp"

#include <numeric>

namespace seiche::python {

namespace {

using Owners = std::optional<std::vector<int>>;

HeldLayout make_layout_of_blocks(const BlockSizes& rows, const std::optional<BlockSizes>& columns, const Comm& comm,
                                 const std::optional<std::array<int, 2>>& grid, const Owners& row_owner,
                                 const Owners& column_owner) {
  const BlockSizes others = columns.value_or(rows);
  return on(comm, [&](const Communicator& own) -> HeldLayout {
    const std::array<int, 2> ranks = grid.value_or(square_grid(own.size()));
    return {make_layout(own, rows, others, ranks, row_owner.value_or(distribute_cyclic(rows.size(), ranks[0])),
                        column_owner.value_or(distribute_cyclic(others.size(), ranks[1])))};
  });
}

std::pair<std::int64_t, std::int64_t> elements_of(const HeldLayout& self) {
  const auto sum = [](const BlockSizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}); };
  return {sum(self.shared->row_sizes), sum(self.shared->column_sizes)};
}

std::pair<int, int> grid_of(const HeldLayout& self) { return {self.shared->grid_rows, self.shared->grid_columns}; }

int owner(const HeldLayout& self, std::int32_t i, std::int32_t j) {
  const BlockLayout& layout = *self.shared;
  if (i >= 0 && j >= 0 && i < std::ssize(layout.row_sizes) && j < std::ssize(layout.column_sizes)) {
    return layout.owner(i, j);
  }
  throw BadArgument("the layout has no block (" + std::to_string(i) + ", " + std::to_string(j) + ")");
}

nb::str layout_text(const HeldLayout& self) {
  const BlockLayout& layout = *self.shared;
  const auto [rows, columns] = elements_of(self);
  return text("<seiche.BlockLayout of {} x {} blocks, {} x {} elements, on {} x {} ranks>", layout.row_sizes.size(),
              layout.column_sizes.size(), rows, columns, layout.grid_rows, layout.grid_columns);
}

HeldLayout of_product(const HeldLayout& rows_of, const HeldLayout& columns_of) {
  return {product_layout(*rows_of.shared, *columns_of.shared)};
}

std::vector<int> along_curve(const std::vector<Vector3>& places, const BlockSizes& sizes, int parts) {
  return distribute_along_curve(places, sizes, parts);
}

constexpr const char* doc_of_layout =
    R"(Distribution of blocks over a grid of ranks. Collective.

Parameters
----------
row_sizes, column_sizes : sequence of int
    Sizes of block rows and block columns. Default: columns as rows.
comm : mpi4py.MPI.Comm or another handle of a communicator, optional
    Communicator (default: all processes). The call is collective.
grid : tuple of int, optional
    Rows and columns of the grid of ranks. Default: the squarest.
row_owner, column_owner : sequence of int, optional
    Grid row (column) of each block row (column). Default: cyclic.)";

void bind_layout_of_blocks(nb::module_& module) {
  nb::class_<HeldLayout> layout(module, "BlockLayout", doc_of_layout);
  Calls(layout).def("__init__", init(&make_layout_of_blocks), "row_sizes"_a, "column_sizes"_a = nb::none(),
                    "comm"_a = nb::none(), "grid"_a = nb::none(), "row_owner"_a = nb::none(),
                    "column_owner"_a = nb::none());
  layout
      .def_prop_ro(
          "row_sizes", [](const HeldLayout& self) { return self.shared->row_sizes; }, "Size of each block row.")
      .def_prop_ro(
          "column_sizes", [](const HeldLayout& self) { return self.shared->column_sizes; },
          "Size of each block column.")
      .def_prop_ro("grid", &grid_of, "Rows and columns of the grid of ranks.")
      .def_prop_ro("shape", &elements_of, "Number of rows and columns of the matrix.")
      .def("owner", &owner, "i"_a, "j"_a, "Returns the rank that owns block (i, j). Local.")
      .def("__repr__", &layout_text);
  module.def("product_layout", &of_product, "rows_of"_a, "columns_of"_a,
             "Returns the layout of a product: rows of the first layout, columns of the second. Local.");
  module.def("distribute_cyclic", &distribute_cyclic, "blocks"_a, "parts"_a, "Returns cyclic owners of blocks. Local.");
  module.def("distribute_random", &distribute_random, "sizes"_a, "parts"_a, "seed"_a = 1,
             "Returns owners of blocks in a random order with balanced sizes, equal on all ranks. Local.");
  module.def("distribute_along_curve", &along_curve, "places"_a, "sizes"_a, "parts"_a,
             "Returns owners of blocks along a Hilbert curve through their positions. Local.");
}

/// Creates the owner of a NumPy array in the matrix's memory.
nb::capsule memory_of(const HeldMatrix& matrix) { return owner_of(new auto(matrix.memory())); }

HeldMatrix make(const HeldLayout& layout, const Dtype& dtype, const std::string& symmetry) {
  return agreed(layout.shared->comm, [&] {
    return HeldMatrix(of_kind<BlockMatrix>(kind_of(dtype), layout.shared, named<Symmetry>("symmetry", symmetry)));
  });
}

/// Creates an array in the memory of list(matrix).
template <class List>
Array array_on_list(const HeldMatrix& self, const List& list) {
  return std::visit(
      [&](auto& matrix) {
        const auto& all = list(matrix);
        return array_on(all.data(), {std::ssize(all)}, memory_of(self));
      },
      self.any());
}

Array values(const HeldMatrix& self) {
  return array_on_list(self, [](auto& matrix) { return matrix.change_values(); });
}

void reserve(HeldMatrix& self, const Array& places) {
  const auto all = span_of<const std::int32_t>(places, "places", {any_extent, 2});
  std::vector<BlockPlace> entries;
  for (std::size_t n = 0; n < all.size(); n += 2) entries.push_back({all[n], all[n + 1]});
  std::visit([&](auto& matrix) { matrix.reserve(std::move(entries)); }, self.change());
}

double drop_below(HeldMatrix& self, double eps) {
  return std::visit([&](auto& matrix) { return matrix.drop_below(eps); }, self.change());
}

nb::str repr_of(const HeldMatrix& self) {
  const BlockLayout& layout = self.layout();
  const auto blocks = std::visit([](const auto& matrix) { return matrix.local_blocks(); }, self.any());
  return text("<seiche.BlockMatrix of {}, {} x {} blocks on {} x {} ranks, here {} blocks>", name_of(self.kind()),
              layout.row_sizes.size(), layout.column_sizes.size(), layout.grid_rows, layout.grid_columns, blocks);
}

void bind_blocks(nb::class_<HeldMatrix>& matrix) {
  matrix
      .def("block", &block_array, "i"_a, "j"_a,
           R"(Returns block (i, j) as an array (rows, columns) in the matrix's memory, or None. Local.

It is None if this rank does not store the block. Writing to the array changes the matrix, until its set of blocks changes
(e.g. by reserve(), or a product into it). Afterwards the array has the old values.)")
      .def("reserve", &reserve, "places"_a.none(),
           "Replaces all blocks by zero blocks at `places`, an int32 array (n, 2), which this rank must own. Local.")
      .def("drop_below", &drop_below, "eps"_a,
           "Removes blocks whose norm is below `eps`. Returns the sum of their squared norms. Local.")
      .def_prop_ro("values", &values, "All elements of this rank's blocks, one block after another; writable. Local.");
}

void bind_lists(nb::class_<HeldMatrix>& matrix) {
  const auto bind = [&](const char* name, const auto& list, const char* doc) {
    matrix.def_prop_ro(
        name, [list](const HeldMatrix& self) { return array_on_list(self, list); }, doc);
  };
  bind(
      "rows", [](const auto& m) -> auto& { return m.rows(); }, "Block rows with blocks on this rank. Local.");
  bind(
      "row_start", [](const auto& m) -> auto& { return m.row_start(); },
      "Row rows[r] has blocks row_start[r] to row_start[r + 1] - 1. Local.");
  bind(
      "columns", [](const auto& m) -> auto& { return m.columns(); }, "Block column of each block. Local.");
  bind(
      "offset", [](const auto& m) -> auto& { return m.offset(); }, "First element of each block in `values`. Local.");
  bind(
      "norms", [](const auto& m) -> auto& { return m.norms(); },
      "Frobenius norm of each block of this rank, rounded up. Local.");
}

void bind_facts(nb::class_<HeldMatrix>& matrix) {
  using Matrix = HeldMatrix;
  matrix
      .def_prop_ro("layout", asks<Matrix>([](const auto& held) { return HeldLayout{held.shared_layout()}; }),
                   "BlockLayout of the matrix. Local.")
      .def_prop_ro(
          "dtype", [](const Matrix& self) { return name_of(self.kind()); }, "Type of the elements. Local.")
      .def_prop_ro(
          "symmetry", asks<Matrix>([](const auto& held) { return word_of(held.symmetry()); }),
          "none, symmetric, hermitian or antisymmetric; except for none, only blocks i <= j are stored. Local.")
      .def_prop_ro("local_blocks", asks<Matrix>([](const auto& held) { return held.local_blocks(); }),
                   "Number of blocks on this rank. Local.")
      .def_prop_ro("memory", asks<Matrix>([](const auto& held) { return held.memory(); }),
                   "Bytes of memory on this rank. Local.")
      .def_prop_ro("error_bound", asks<Matrix>([](const auto& held) { return held.error_bound(); }),
                   "Bound on the Frobenius norm of the error, equal on all ranks. Local.")
      .def("copy", asks<Matrix>([](const auto& held) { return HeldMatrix(held); }), "Returns a copy. Local.")
      .def("__repr__", &repr_of);
}

}  // namespace

std::optional<Array> block_array(const HeldMatrix& self, std::int32_t i, std::int32_t j) {
  return std::visit(
      [&](auto& matrix) -> std::optional<Array> {
        const auto view = matrix.change_block(i, j);
        if (!view) return std::nullopt;
        return array_on(view.data, {view.rows, view.columns}, memory_of(self), {1, view.rows});
      },
      self.any());
}

void require_same_kind(const HeldMatrix& a, const HeldMatrix& b) {
  if (a.kind() == b.kind()) return;
  throw BadArgument("the matrices have different dtypes: " + name_of(a.kind()) + " and " + name_of(b.kind()));
}

void bind_block_matrix(nb::module_& module) {
  bind_layout_of_blocks(module);
  nb::class_<HeldMatrix> matrix(
      module, "BlockMatrix", R"(A block-sparse matrix distributed over ranks. Collective over the ranks of the layout.

Parameters
----------
layout : BlockLayout
dtype : dtype
    float64, float32, complex128 or complex64.
symmetry : str
    none, symmetric, hermitian or antisymmetric. Except for none, only blocks i <= j are stored.

A new matrix is zero. Call reserve() and write to the blocks, or use from_dense(). Other threads may not use the matrix while
a call on its communicator is running.)");
  Calls(matrix).def("__init__", init(&make), "layout"_a, "dtype"_a = "float64", "symmetry"_a = "none");
  bind_blocks(matrix);
  bind_lists(matrix);
  bind_facts(matrix);
  bind_block_algebra(module);
}

}  // namespace seiche::python
