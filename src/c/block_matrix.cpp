// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices for C.
#include "c/block_matrix.hpp"

#include <algorithm>
#include <numeric>

#include "comm/agree.hpp"
#include "seiche/block_file.hpp"

using namespace seiche::c;
using seiche::Fault;

namespace {

constexpr const char* in_block_matrix = "block_matrix";

static_assert(static_cast<int>(seiche::Symmetry::antisymmetric) == SEICHE_ANTISYMMETRIC);
static_assert(static_cast<int>(seiche::Transpose::conjugate) == SEICHE_TRANSPOSE_CONJUGATE);
static_assert(static_cast<int>(seiche::MatrixFormat::dbcsr) == SEICHE_DBCSR);

std::size_t sum_of(const seiche::BlockSizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

std::size_t element_count(const seiche::BlockLayout& layout) {
  return sum_of(layout.row_sizes) * sum_of(layout.column_sizes);
}

}  // namespace

seiche_status seiche_block_matrix_create(seiche_block_matrix** matrix, const seiche_block_layout* layout,
                                         seiche_value value, seiche_symmetry symmetry) {
  return create(matrix, [&] {
    const seiche::SharedLayout& of = behind(layout).layout;
    require_enumerator(value, SEICHE_COMPLEX_DOUBLE, "block_matrix: value");
    const auto kind = enumerator(symmetry, seiche::Symmetry::antisymmetric, "block_matrix: symmetry");
    return std::make_shared<MatrixObject>(any_value<seiche::BlockMatrix>(value, of, kind));
  });
}

seiche_status seiche_block_matrix_create_copy(seiche_block_matrix** matrix, const seiche_block_matrix* of) {
  return create(matrix, [&] { return std::make_shared<MatrixObject>(behind(of).matrix); });
}

seiche_status seiche_block_matrix_create_redistributed(seiche_block_matrix** matrix, const seiche_block_matrix* of,
                                                       const seiche_block_layout* layout, seiche_transpose op) {
  return create(matrix, [&] {
    const seiche::SharedLayout& into = behind(layout).layout;
    return std::visit(
        [&](const auto& typed) {
          seiche::Transpose how{};
          seiche::together(typed.layout().comm,
                           [&] { how = enumerator(op, seiche::Transpose::conjugate, "block_matrix: op"); });
          return object_of(seiche::redistribute(typed, into, how));
        },
        behind(of).matrix);
  });
}

seiche_status seiche_block_matrix_destroy(seiche_block_matrix** matrix) { return destroy(matrix); }

seiche_status seiche_block_matrix_reserve(seiche_block_matrix* matrix, const std::int32_t* rows,
                                          const std::int32_t* columns, std::int64_t count) {
  return call([&] {
    on_matrix(matrix, [&](auto& typed, auto) {
      require_array(rows, count, in_block_matrix, "block rows");
      require_array(columns, count, in_block_matrix, "block columns");
      std::vector<seiche::BlockPlace> places;
      places.reserve(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) places.push_back({rows[i], columns[i]});
      typed.reserve(std::move(places));
    });
  });
}

seiche_status seiche_block_matrix_block(seiche_block_matrix* matrix, std::int32_t row, std::int32_t column,
                                        seiche_block* block) {
  return call([&] {
    on_matrix(matrix, [&](auto& typed, auto) {
      require_place(block, in_block_matrix, "the place for the block");
      const auto view = typed.change_block(row, column);
      *block = {view.data, view.rows, view.columns};
    });
  });
}

seiche_status seiche_block_matrix_local(const seiche_block_matrix* matrix, seiche_local_blocks* blocks) {
  return call([&] {
    on_matrix(matrix, [&](const auto& typed, auto) {
      require_place(blocks, in_block_matrix, "the place for the blocks");
      *blocks = {typed.rows().data(),
                 typed.row_start().data(),
                 static_cast<std::int64_t>(typed.rows().size()),
                 typed.columns().data(),
                 typed.offset().data(),
                 typed.local_blocks(),
                 typed.values().data(),
                 static_cast<std::int64_t>(typed.values().size())};
    });
  });
}

seiche_status seiche_block_matrix_value(const seiche_block_matrix* matrix, seiche_value* value) {
  return call([&] {
    const auto kind = behind(matrix).matrix.index();
    require_place(value, in_block_matrix, "the place for the kind of value");
    *value = static_cast<seiche_value>(kind);
  });
}

seiche_status seiche_block_matrix_drop_below(seiche_block_matrix* matrix, double eps, double* dropped) {
  return call([&] {
    on_matrix(matrix, [&](auto& typed, auto) {
      require_place(dropped, in_block_matrix, "the place for the result");
      *dropped = typed.drop_below(eps);
    });
  });
}

seiche_status seiche_block_matrix_to_dense(const seiche_block_matrix* matrix, void* elements, std::int64_t count) {
  return call([&] {
    on_matrix(matrix, [&]<class Value>(const auto& typed, Value) {
      const auto into = values_at<Value>(elements, count);
      seiche::together(typed.layout().comm, [&] {
        const std::size_t elements_of_all = element_count(typed.layout());
        seiche::require(into.size() == elements_of_all, Fault::bad_argument,
                        "block_matrix: the matrix has {} elements; there is room for {}", elements_of_all, into.size());
      });
      const auto all = seiche::to_dense(typed);
      std::copy(all.begin(), all.end(), into.begin());
    });
  });
}

seiche_status seiche_block_matrix_refuse(const seiche_block_matrix* matrix, seiche_status status,
                                         const char* sentence) {
  return call([&] {
    on_matrix(matrix, [&](const auto& typed, auto) {
      seiche::together(typed.layout().comm, [&] { refuse(status, sentence); });
    });
  });
}

seiche_status seiche_block_matrix_read(seiche_block_matrix** matrix, MPI_Comm comm, const char* path,
                                       seiche_value value, const std::int32_t* block_sizes, std::int64_t block_count,
                                       const seiche_block_layout* layout) {
  return create(matrix, [&] {
    seiche::MatrixFileOptions options;
    seiche::together(communicator(comm, in_block_matrix), [&] {
      require_enumerator(value, SEICHE_COMPLEX_DOUBLE, "block_matrix: value");
      require_place(path, in_block_matrix, "the path");
      require_array(block_sizes, block_count, in_block_matrix, "block sizes");
      options.blocks.assign(block_sizes, block_sizes + block_count);
      if (layout != nullptr) options.layout = behind(layout).layout;
    });
    switch (value) {
      case SEICHE_FLOAT:
        return object_of(seiche::read_blocks<float>(comm, path, options));
      case SEICHE_DOUBLE:
        return object_of(seiche::read_blocks<double>(comm, path, options));
      case SEICHE_COMPLEX_FLOAT:
        return object_of(seiche::read_blocks<std::complex<float>>(comm, path, options));
      default:
        return object_of(seiche::read_blocks<std::complex<double>>(comm, path, options));
    }
  });
}

seiche_status seiche_block_matrix_write(const seiche_block_matrix* matrix, const char* path,
                                        seiche_matrix_format format) {
  return call([&] {
    on_matrix(matrix, [&](const auto& typed, auto) {
      seiche::MatrixFormat as{};
      seiche::together(typed.layout().comm, [&] {
        require_place(path, in_block_matrix, "the path");
        as = enumerator(format, seiche::MatrixFormat::dbcsr, "block_matrix: format");
      });
      seiche::write_blocks(typed, path, as);
    });
  });
}
