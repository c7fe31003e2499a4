// SPDX-License-Identifier: BSD-3-Clause
/// \file  C interface: layouts of block-sparse matrices, and matrices from lists and files.
#include "c/c_blocksparse.hpp"

#include <array>

namespace seiche::c {

namespace {

/// Reads the options and checks their arrays.
seiche_block_owners read_owners(const seiche_block_owners* given, int ranks) {
  seiche_block_owners owners = read_options(given, seiche_block_owners{}, "block_owners");
  require_array(owners.row_owner, owners.row_count, "block_layout", "owners of block rows");
  require_array(owners.column_owner, owners.column_count, "block_layout", "owners of block columns");
  if (owners.grid_rows == 0 && owners.grid_columns == 0) {
    const auto squarest = square_grid(ranks);
    owners.grid_rows = squarest[0];
    owners.grid_columns = squarest[1];
  }
  require(owners.grid_rows > 0 && owners.grid_columns > 0, Fault::bad_argument,
          "block_layout: the process grid must be positive (got {} x {}): give 0 and 0 for the squarest grid",
          owners.grid_rows, owners.grid_columns);
  return owners;
}

std::vector<int> owners_of(const int* given, std::int64_t count, std::size_t blocks, int parts) {
  return given == nullptr ? distribute_cyclic(blocks, parts) : std::vector<int>(given, given + count);
}

template <class Value>
std::shared_ptr<MatrixObject> read_object(const Communicator& comm, const char* path,
                                          const MatrixFileOptions& options) {
  return make<MatrixObject>(read_blocks<Value>(comm, path, options));
}

}  // namespace

}  // namespace seiche::c

using namespace seiche;
using namespace seiche::c;

seiche_status seiche_block_owners_fill(seiche_block_owners* owners, std::size_t size) {
  return fill_options(owners, size, seiche_block_owners{}, "block_owners");
}

seiche_status seiche_block_layout_create(seiche_block_layout** layout, MPI_Comm comm, const std::int32_t* row_sizes,
                                         std::int64_t row_count, const std::int32_t* column_sizes,
                                         std::int64_t column_count, const seiche_block_owners* owners) {
  return create(layout, [&] {
    seiche_block_owners asked{};
    const auto ours = communicator(comm, "block_layout");
    together(ours, [&] {
      require_array(row_sizes, row_count, "block_layout", "sizes of block rows");
      require_array(column_sizes, column_count, "block_layout", "sizes of block columns");
      asked = read_owners(owners, ours.size());
    });
    const BlockSizes rows(row_sizes, row_sizes + row_count), columns(column_sizes, column_sizes + column_count);
    return make<LayoutObject>(
        make_layout(comm, rows, columns, {asked.grid_rows, asked.grid_columns},
                    owners_of(asked.row_owner, asked.row_count, rows.size(), asked.grid_rows),
                    owners_of(asked.column_owner, asked.column_count, columns.size(), asked.grid_columns)));
  });
}

seiche_status seiche_block_layout_owner(const seiche_block_layout* layout, std::int32_t row, std::int32_t column,
                                        int* rank) {
  return call([&] {
    const BlockLayout& of = *behind(layout).layout;
    require_place(rank, "block_layout", "the output argument for the rank");
    const auto rows = std::ssize(of.row_owner), columns = std::ssize(of.column_owner);
    require(row >= 0 && row < rows && column >= 0 && column < columns, Fault::bad_argument,
            "block_layout: block ({}, {}) is outside {} x {} blocks", row, column, rows, columns);
    *rank = of.owner(row, column);
  });
}

seiche_status seiche_block_matrix_reserve(seiche_block_matrix* matrix, const std::int32_t* rows,
                                          const std::int32_t* columns, std::int64_t count) {
  return call([&] {
    on_value(behind(matrix).matrix, [&](auto& typed, auto) {
      require_array(rows, count, "block_matrix", "block rows");
      require_array(columns, count, "block_matrix", "block columns");
      std::vector<BlockPlace> places;
      for (std::int64_t i = 0; i < count; ++i) places.push_back({rows[i], columns[i]});
      typed.reserve(std::move(places));
    });
  });
}

seiche_status seiche_block_matrix_read(seiche_block_matrix** matrix, MPI_Comm comm, const char* path,
                                       seiche_value value, const std::int32_t* block_sizes, std::int64_t block_count,
                                       const seiche_block_layout* layout) {
  return create(matrix, [&] {
    const auto ours = communicator(comm, "block_matrix");
    MatrixFileOptions options;
    together(ours, [&] {
      require_enumerator(value, SEICHE_COMPLEX_DOUBLE, "block_matrix: value");
      require_place(path, "block_matrix", "the path");
      require_array(block_sizes, block_count, "block_matrix", "block sizes");
      options.blocks.assign(block_sizes, block_sizes + block_count);
      if (layout != nullptr) options.layout = behind(layout).layout;
    });
    constexpr std::array readers{read_object<float>, read_object<double>, read_object<std::complex<float>>,
                                 read_object<std::complex<double>>};
    return readers[static_cast<std::size_t>(value)](ours, path, options);
  });
}
