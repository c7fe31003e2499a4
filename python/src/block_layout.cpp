// SPDX-License-Identifier: BSD-3-Clause
/// \file  Who owns which block.
#include <numeric>

#include "block_matrix.hpp"

namespace seiche::python {

namespace {

using Owners = std::optional<std::vector<int>>;

HeldLayout make(const BlockSizes& rows, const std::optional<BlockSizes>& columns, const Comm& comm,
                const std::optional<std::array<int, 2>>& grid, const Owners& row_owner, const Owners& column_owner) {
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

nb::str repr_of(const HeldLayout& self) {
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

constexpr const char* doc =
    R"(Who owns which block: ranks form a grid, block rows go to its rows, block columns to its columns.

Parameters
----------
row_sizes, column_sizes : sequence of int
    Rows (columns) of each block row (column). Default: columns as rows.
comm : mpi4py.MPI.Comm, optional
    Collective over it. Default: all processes.
grid : tuple of int, optional
    Rows and columns of ranks. Default: nearest to a square.
row_owner, column_owner : sequence of int, optional
    Row (column) of the grid to which each block row (column) belongs. Default: in turn.)";

}  // namespace

void bind_block_layout(nb::module_& module) {
  nb::class_<HeldLayout>(module, "BlockLayout", doc)
      .def("__init__", init(&make), "row_sizes"_a, "column_sizes"_a = nb::none(), "comm"_a = nb::none(),
           "grid"_a = nb::none(), "row_owner"_a = nb::none(), "column_owner"_a = nb::none())
      .def_prop_ro(
          "row_sizes", [](const HeldLayout& self) { return self.shared->row_sizes; }, "Rows of each block row.")
      .def_prop_ro(
          "column_sizes", [](const HeldLayout& self) { return self.shared->column_sizes; },
          "Columns of each block column.")
      .def_prop_ro("grid", &grid_of, "Rows and columns of ranks.")
      .def_prop_ro("shape", &elements_of, "Rows and columns of elements.")
      .def("owner", &owner, "i"_a, "j"_a, "The rank that owns block (i, j). Local.")
      .def("__repr__", &repr_of);
  module.def("product_layout", &of_product, "rows_of"_a, "columns_of"_a,
             "The layout of a product: rows as those of one, columns as those of the other. Local.");
  module.def("distribute_cyclic", &distribute_cyclic, "blocks"_a, "parts"_a, "Owners of blocks, in turn. Local.");
  module.def("distribute_random", &distribute_random, "sizes"_a, "parts"_a, "seed"_a = 1,
             "Owners of blocks, balanced by size in a shuffled order, the same on all ranks. Local.");
  module.def("distribute_along_curve", &along_curve, "places"_a, "sizes"_a, "parts"_a,
             "Owners of blocks along a Hilbert curve through their places. Local.");
}

}  // namespace seiche::python
