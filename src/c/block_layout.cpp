// SPDX-License-Identifier: BSD-3-Clause
/// \file  Layouts of block-sparse matrices for C.
#include <array>

#include "c/block_matrix.hpp"
#include "comm/agree.hpp"

using namespace seiche::c;
using seiche::Fault;

namespace {

constexpr const char* in_block_layout = "block_layout";

seiche_block_owners owner_defaults() {
  seiche_block_owners owners{};
  owners.size = sizeof owners;
  return owners;
}

/// What was asked for, its arrays looked through.
seiche_block_owners read_owners(const seiche_block_owners* given, int ranks) {
  seiche_block_owners owners = read_options(given, owner_defaults(), "block_owners");
  require_array(owners.row_owner, owners.row_count, in_block_layout, "owners of block rows");
  require_array(owners.column_owner, owners.column_count, in_block_layout, "owners of block columns");
  if (owners.grid_rows == 0 && owners.grid_columns == 0) {
    const auto squarest = seiche::square_grid(ranks);
    owners.grid_rows = squarest[0];
    owners.grid_columns = squarest[1];
  }
  seiche::require(owners.grid_rows > 0 && owners.grid_columns > 0, Fault::bad_argument,
                  "block_layout: a grid of {} x {} has no ranks; give 0 and 0 for the squarest", owners.grid_rows,
                  owners.grid_columns);
  return owners;
}

std::vector<int> owners_of(const int* given, std::int64_t count, std::size_t blocks, int parts) {
  return given == nullptr ? seiche::distribute_cyclic(blocks, parts) : std::vector<int>(given, given + count);
}

}  // namespace

seiche_status seiche_block_owners_fill(seiche_block_owners* owners, std::size_t size) {
  return fill_options(owners, size, owner_defaults(), "block_owners");
}

seiche_status seiche_block_layout_create(seiche_block_layout** layout, MPI_Comm comm, const std::int32_t* row_sizes,
                                         std::int64_t row_count, const std::int32_t* column_sizes,
                                         std::int64_t column_count, const seiche_block_owners* owners) {
  return create(layout, [&] {
    seiche_block_owners asked{};
    const auto ours = communicator(comm, in_block_layout);
    seiche::together(ours, [&] {
      require_array(row_sizes, row_count, in_block_layout, "sizes of block rows");
      require_array(column_sizes, column_count, in_block_layout, "sizes of block columns");
      asked = read_owners(owners, ours.size());
    });
    const seiche::BlockSizes rows(row_sizes, row_sizes + row_count), columns(column_sizes, column_sizes + column_count);
    return std::make_shared<LayoutObject>(
        seiche::make_layout(comm, rows, columns, {asked.grid_rows, asked.grid_columns},
                            owners_of(asked.row_owner, asked.row_count, rows.size(), asked.grid_rows),
                            owners_of(asked.column_owner, asked.column_count, columns.size(), asked.grid_columns)));
  });
}

seiche_status seiche_block_layout_create_product(seiche_block_layout** layout, const seiche_block_layout* rows_of,
                                                 const seiche_block_layout* columns_of) {
  return create(layout, [&] {
    return std::make_shared<LayoutObject>(seiche::product_layout(*behind(rows_of).layout, *behind(columns_of).layout));
  });
}

seiche_status seiche_block_layout_destroy(seiche_block_layout** layout) { return destroy(layout); }

seiche_status seiche_block_layout_owner(const seiche_block_layout* layout, std::int32_t row, std::int32_t column,
                                        int* rank) {
  return call([&] {
    const seiche::BlockLayout& of = *behind(layout).layout;
    require_place(rank, in_block_layout, "the place for the rank");
    const auto rows = static_cast<std::int64_t>(of.row_owner.size());
    const auto columns = static_cast<std::int64_t>(of.column_owner.size());
    seiche::require(row >= 0 && row < rows && column >= 0 && column < columns, Fault::bad_argument,
                    "block_layout: block ({}, {}) is outside of {} x {} blocks", row, column, rows, columns);
    *rank = of.owner(row, column);
  });
}
