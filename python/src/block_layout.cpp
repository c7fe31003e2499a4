// SPDX-License-Identifier: BSD-3-Clause
/// \file  Who owns which block.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "block_matrix.hpp"
#include "communicators.hpp"

namespace seiche::python {

namespace {

using namespace nb::literals;
using Owners = std::optional<std::vector<int>>;

HeldLayout make(const BlockSizes& rows, const std::optional<BlockSizes>& columns, const Comm& comm,
                const std::optional<std::array<int, 2>>& grid, const Owners& row_owner, const Owners& column_owner) {
  const Communicator own = communicator(comm);
  const BlockSizes others = columns.value_or(rows);
  const std::array<int, 2> ranks = grid.value_or(square_grid(own.size()));
  SharedLayout made;
  collective(
      own, [] {},
      [&] {
        made = make_layout(own, rows, others, ranks, row_owner.value_or(distribute_cyclic(rows.size(), ranks[0])),
                           column_owner.value_or(distribute_cyclic(others.size(), ranks[1])));
      });
  return {made};
}

std::int64_t sum_of(const BlockSizes& sizes) {
  std::int64_t sum = 0;
  for (const std::int32_t size : sizes) sum += size;
  return sum;
}

int owner(const BlockLayout& layout, std::int32_t i, std::int32_t j) {
  if (i < 0 || j < 0 || i >= static_cast<std::int32_t>(layout.row_sizes.size()) ||
      j >= static_cast<std::int32_t>(layout.column_sizes.size())) {
    throw Error(Fault::bad_argument,
                "python: the layout has no block (" + std::to_string(i) + ", " + std::to_string(j) + ")");
  }
  return layout.owner(i, j);
}

std::string text_of(const HeldLayout& self) {
  const BlockLayout& layout = *self.shared;
  return "<seiche.BlockLayout of " + std::to_string(layout.row_sizes.size()) + " x " +
         std::to_string(layout.column_sizes.size()) + " blocks, " + std::to_string(sum_of(layout.row_sizes)) + " x " +
         std::to_string(sum_of(layout.column_sizes)) + " elements, on " + std::to_string(layout.grid_rows) + " x " +
         std::to_string(layout.grid_columns) + " ranks>";
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

void bind_owners(nb::module_& module) {
  module.def(
      "product_layout",
      [](const HeldLayout& rows_of, const HeldLayout& columns_of) {
        return HeldLayout{product_layout(*rows_of.shared, *columns_of.shared)};
      },
      "rows_of"_a, "columns_of"_a,
      "The layout of a product: rows as those of one, columns as those of the other. Local.");
  module.def("distribute_cyclic", &distribute_cyclic, "blocks"_a, "parts"_a, "Owners of blocks, in turn. Local.");
  module.def("distribute_random", &distribute_random, "sizes"_a, "parts"_a, "seed"_a = 1,
             "Owners of blocks, balanced by size in a shuffled order, the same on all ranks. Local.");
  module.def(
      "distribute_along_curve",
      [](const std::vector<std::array<double, 3>>& places, const BlockSizes& sizes, int parts) {
        return distribute_along_curve(places, sizes, parts);
      },
      "places"_a, "sizes"_a, "parts"_a, "Owners of blocks along a Hilbert curve through their places. Local.");
}

}  // namespace

void bind_block_layout(nb::module_& module) {
  nb::class_<HeldLayout>(module, "BlockLayout", doc)
      .def(
          "__init__",
          [](HeldLayout* self, const BlockSizes& rows, const std::optional<BlockSizes>& columns, const Comm& comm,
             const std::optional<std::array<int, 2>>& grid, const Owners& row_owner, const Owners& column_owner) {
            new (self) HeldLayout(make(rows, columns, comm, grid, row_owner, column_owner));
          },
          "row_sizes"_a, "column_sizes"_a = nb::none(), "comm"_a = nb::none(), "grid"_a = nb::none(),
          "row_owner"_a = nb::none(), "column_owner"_a = nb::none())
      .def_prop_ro(
          "row_sizes", [](const HeldLayout& self) { return self.shared->row_sizes; }, "Rows of each block row.")
      .def_prop_ro(
          "column_sizes", [](const HeldLayout& self) { return self.shared->column_sizes; },
          "Columns of each block column.")
      .def_prop_ro(
          "grid",
          [](const HeldLayout& self) { return nb::make_tuple(self.shared->grid_rows, self.shared->grid_columns); },
          "Rows and columns of ranks.", nb::sig("def grid(self) -> tuple[int, int]"))
      .def_prop_ro(
          "shape",
          [](const HeldLayout& self) {
            return nb::make_tuple(sum_of(self.shared->row_sizes), sum_of(self.shared->column_sizes));
          },
          "Rows and columns of elements.", nb::sig("def shape(self) -> tuple[int, int]"))
      .def(
          "owner", [](const HeldLayout& self, std::int32_t i, std::int32_t j) { return owner(*self.shared, i, j); },
          "i"_a, "j"_a, "The rank that owns block (i, j). Local.")
      .def("__repr__", [](const HeldLayout& self) { return text_of(self); });
  bind_owners(module);
}

}  // namespace seiche::python
