// SPDX-License-Identifier: BSD-3-Clause
/// \file  Reads matrices from files: from elements to blocks.
#include <optional>

#include "blocksparse/matrix/block_file/element_file.hpp"
#include "blocksparse/matrix/block_messages.hpp"
#include "blocksparse/matrix/scalar.hpp"
#include "comm/equal_arguments.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

BlockSizes uniform_blocks(std::int64_t n) {
  constexpr std::int32_t usual = 16;
  BlockSizes sizes;
  for (; n > 0; n -= usual) sizes.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(n, usual)));
  return sizes;
}

/// Maps a row (column) to its block and to the position in the block.
class BlockOfIndex {
 public:
  explicit BlockOfIndex(const BlockSizes& sizes) : starts_(starts_of(sizes)), block_(starts_.back()) {
    for (std::size_t b = 0; b < sizes.size(); ++b)
      std::fill(block_.begin() + starts_[b], block_.begin() + starts_[b + 1], static_cast<std::int32_t>(b));
  }
  std::int32_t block(std::int32_t i) const { return block_[i]; }
  std::int64_t within(std::int32_t i) const { return i - starts_[block_[i]]; }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> block_;
};

/// Collective. Returns the symmetry declared in the file, or derived from an empty triangle.
Symmetry symmetry_of(const Communicator& comm, const ElementFile& file, bool guess,
                     const std::vector<Element>& elements) {
  if (file.symmetry != Symmetry::none || !guess || file.format == MatrixFormat::matrix_market) return file.symmetry;
  std::int64_t above = 0, below = 0;
  for (const Element& e : elements) (e.row < e.column ? above : below) += e.row == e.column ? 0 : 1;
  above = sum(comm, above);
  below = sum(comm, below);
  if ((above == 0) == (below == 0)) return Symmetry::none;
  return file.complex ? Symmetry::hermitian : Symmetry::symmetric;
}

/// Adds the other triangle if the file has only one.
void complete(const ElementFile& file, Symmetry symmetry, std::vector<Element>& elements) {
  if (symmetry == Symmetry::none) return;
  const bool whole_diagonal_blocks = file.format == MatrixFormat::dbcsr;
  const BlockOfIndex blocks(file.row_sizes);
  const auto on_diagonal = [&](const Element& e) {
    return whole_diagonal_blocks ? blocks.block(e.row) == blocks.block(e.column) : e.row == e.column;
  };
  const std::size_t n = elements.size();
  for (std::size_t k = 0; k < n; ++k) {
    Element e = elements[k];
    if (on_diagonal(e)) continue;
    std::swap(e.row, e.column);
    if (symmetry == Symmetry::hermitian) e.imaginary = -e.imaginary;
    if (symmetry == Symmetry::antisymmetric) e.real = -e.real, e.imaginary = -e.imaginary;
    elements.push_back(e);
  }
}

struct Shape {
  std::int64_t rows = 0, columns = 0;
};

/// Collective. Returns the dimensions declared in the file, else a square of the largest index.
Shape shape_of(const Communicator& comm, const ElementFile& file, const std::vector<Element>& elements) {
  if (file.rows != 0) return {file.rows, file.columns};
  std::int64_t rows = 0;
  for (const Element& e : elements) rows = std::max({rows, std::int64_t{e.row} + 1, std::int64_t{e.column} + 1});
  rows = maximum(comm, rows);
  return {rows, rows};
}

/// Collective.
SharedLayout layout_for(const Communicator& comm, const ElementFile& file, const MatrixFileOptions& options,
                        const Shape& shape) {
  if (options.layout) return options.layout;
  const auto sizes = [&](const BlockSizes& of_file, std::int64_t n) {
    return !of_file.empty() ? of_file : !options.blocks.empty() ? options.blocks : uniform_blocks(n);
  };
  return make_layout(comm, sizes(file.row_sizes, shape.rows), sizes(file.column_sizes, shape.columns));
}

void require_fit(const BlockLayout& layout, const Shape& shape, const std::string& path) {
  const std::int64_t rows = starts_of(layout.row_sizes).back(), columns = starts_of(layout.column_sizes).back();
  require(shape.rows == rows && shape.columns == columns, Fault::bad_argument,
          "the block sizes sum to {} x {}, but the matrix in {} is {} x {}: give sizes that sum to its dimensions",
          rows, columns, path, shape.rows, shape.columns);
}

/// Checks the elements of the file, before blocks are looked up by their indices.
void require_inside(const ElementFile& file, const Shape& shape, const std::vector<Element>& elements) {
  for (const Element& e : elements) {
    require(e.row >= 0 && e.column >= 0 && e.row < shape.rows && e.column < shape.columns, Fault::bad_file,
            "{} has an element ({}, {}) outside its {} x {} matrix: rerun the code that wrote the file", file.path,
            std::int64_t{e.row} + 1, std::int64_t{e.column} + 1, shape.rows, shape.columns);
    require(std::isfinite(e.real) && std::isfinite(e.imaginary), Fault::bad_file,
            "element ({}, {}) of {} is not finite: rerun the code that wrote the file", e.row + 1, e.column + 1,
            file.path);
  }
}

/// Elements by owner.
using ByOwner = std::vector<std::vector<Element>>;

ByOwner by_owner(const std::vector<Element>& elements, const BlockLayout& layout) {
  ByOwner to(layout.comm.size());
  const BlockOfIndex rows(layout.row_sizes), columns(layout.column_sizes);
  for (const Element& e : elements) {
    to[layout.owner(rows.block(e.row), columns.block(e.column))].push_back(e);
  }
  return to;
}

/// Converts the elements of this rank to blocks.
template <class Value>
BlockMatrix<Value> blocks_of(const std::string& path, SharedLayout layout, const ByOwner& arrived) {
  const BlockOfIndex rows(layout->row_sizes), columns(layout->column_sizes);
  BlockMatrix<Value> matrix(std::move(layout));
  std::vector<BlockPlace> entries;
  for (const auto& list : arrived) {
    for (const Element& e : list) {
      const BlockPlace at{rows.block(e.row), columns.block(e.column)};
      if (entries.empty() || entries.back().row != at.row || entries.back().column != at.column) entries.push_back(at);
    }
  }
  matrix.reserve(std::move(entries));
  const auto values = matrix.change_values();
  const BlockFinder<Value> find(matrix);
  std::vector<char> set(values.size(), 0);
  for (const auto& list : arrived) {
    for (const Element& e : list) {
      const BlockPlace block{rows.block(e.row), columns.block(e.column)};
      const std::int64_t at =
          find(block) + columns.within(e.column) * matrix.layout().row_sizes[block.row] + rows.within(e.row);
      require(!set[at], Fault::bad_file, "{} has a duplicate element ({}, {}): rerun the code that wrote the file",
              path, e.row + 1, e.column + 1);
      set[at] = 1;
      values[at] = value_of<Value>(e.real, e.imaginary);
    }
  }
  return matrix;
}

/// Collective. Opens the file and reads this rank's part.
std::vector<Element> read_part(const Communicator& comm, const std::string& path, bool complex, ElementFile& file) {
  std::vector<Element> elements;
  together(comm, [&] {
    file = open_elements(path);
    require(!file.complex || complex, Fault::bad_file, "{} holds complex numbers: read it as a complex matrix", path);
    elements = read_elements(file, comm.rank(), comm.size());
  });
  const std::int64_t found = sum(comm, std::ssize(elements));
  require(file.announced < 0 || found == file.announced, Fault::bad_file,
          "{} is truncated ({} elements instead of {}): copy it again", path, found, file.announced);
  return elements;
}

}  // namespace

template <class Value>
BlockMatrix<Value> read_blocks(const Communicator& comm, const std::string& path, const MatrixFileOptions& options) {
  together(comm, "read_blocks", [&](EqualArguments& same) {
    same.add("path", path).add("bytes of a value", sizeof(Value)).add("complete_triangle", options.complete_triangle);
    same.add("block sizes", options.blocks).add("layout", options.layout != nullptr);
    if (options.layout) add_layout(same, *options.layout);
  });
  ElementFile file;
  auto elements = read_part(comm, path, is_complex<Value>, file);
  const Shape shape = shape_of(comm, file, elements);
  const Symmetry symmetry = symmetry_of(comm, file, options.complete_triangle, elements);
  together(comm, [&] {
    require_inside(file, shape, elements);
    require(symmetry == Symmetry::none || shape.rows == shape.columns, Fault::bad_file,
            "{} declares a symmetric matrix of {} x {}: rerun the code that wrote the file", path, shape.rows,
            shape.columns);
    complete(file, symmetry, elements);
  });
  const SharedLayout layout = layout_for(comm, file, options, shape);
  require_fit(*layout, shape, path);
  std::optional<BlockMatrix<Value>> matrix;
  const auto leaving = [&] {
    ByOwner lists = by_owner(elements, *layout);
    elements = {};
    return lists;
  };
  pass_lists(comm, leaving, [&](const ByOwner& arrived) { matrix.emplace(blocks_of<Value>(path, layout, arrived)); });
  return std::move(*matrix);
}

bool holds_complex(const Communicator& comm, const std::string& path) {
  bool complex = false;
  together(comm, "holds_complex", [&](EqualArguments& same) {
    same.add("path", path);
    complex = open_elements(path).complex;
  });
  return complex;
}

#define SEICHE_READ_BLOCKS(Value) \
  template BlockMatrix<Value> read_blocks(const Communicator&, const std::string&, const MatrixFileOptions&)
SEICHE_READ_BLOCKS(float);
SEICHE_READ_BLOCKS(double);
SEICHE_READ_BLOCKS(std::complex<float>);
SEICHE_READ_BLOCKS(std::complex<double>);

}  // namespace seiche
