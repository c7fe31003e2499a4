// SPDX-License-Identifier: BSD-3-Clause
#include "dbcsr_matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

using seiche::BlockLayout;
using seiche::BlockPlace;
using seiche::BlockSizes;
using seiche::BlockView;
using Matrix = seiche::BlockMatrix<double>;

namespace {

/// Where a block of DBCSR is in the Seiche matrix.
struct Placed {
  BlockPlace at;
  bool transposed;  ///< whether DBCSR stores the transposed block
  double sign;      ///< -1: DBCSR stores the block with the other sign
};

Placed placed(const LocalBlocks& x, int n) {
  const BlockPlace at{x.rows[n] - 1, x.columns[n] - 1};
  const bool transposed = x.first[n] < 0;
  const double sign = transposed && x.symmetry < 0 ? -1 : 1;
  if (x.symmetry == 0 || (at.row + at.column) % 2 == 0) return {at, transposed, sign};
  return {{at.column, at.row}, !transposed, sign * x.symmetry};
}

double* elements(const LocalBlocks& x, int n) { return x.values + std::abs(x.first[n]) - 1; }

/// Copies a block of `into.rows` x `into.columns` elements.
void copy(const double* from, bool transposed, double factor, const BlockView<double>& into) {
  double* next = into.data;
  for (std::int64_t j = 0; j < into.columns; ++j) {
    if (transposed) {
      for (std::int64_t i = 0; i < into.rows; ++i) *next++ = factor * from[j + i * into.columns];
    } else {
      for (std::int64_t i = 0; i < into.rows; ++i) *next++ = factor * *from++;
    }
  }
}

/// First element, from 1, of each block row (column), and one past the last.
std::vector<std::int64_t> starts(const BlockSizes& sizes) {
  std::vector<std::int64_t> start{1};
  for (const std::int32_t size : sizes) start.push_back(start.back() + size);
  return start;
}

/// Compares blocks with a window.
class Inside {
 public:
  Inside(const BlockLayout& layout, const Window& window)
      : window_(window), rows_(starts(layout.row_sizes)), columns_(starts(layout.column_sizes)) {}
  /// Tells whether the window contains all elements of the matrix.
  bool all() const {
    return window_.rows.first == 1 && window_.rows.last == rows_.back() - 1 && window_.columns.first == 1 &&
           window_.columns.last == columns_.back() - 1;
  }
  /// Tells whether the window contains an element of a block.
  bool touches(const BlockPlace& at) const {
    return touches(rows_, at.row, window_.rows) && touches(columns_, at.column, window_.columns);
  }
  /// Tells whether the window contains an element of a block, counted from 0 in the block.
  bool has(const BlockPlace& at, std::int64_t row, std::int64_t column) const {
    return has(window_.rows, rows_[at.row] + row) && has(window_.columns, columns_[at.column] + column);
  }

 private:
  static bool touches(const std::vector<std::int64_t>& start, std::int32_t i, const Limits& limits) {
    return start[i] <= limits.last && start[i + 1] > limits.first;
  }
  static bool has(const Limits& limits, std::int64_t element) {
    return element >= limits.first && element <= limits.last;
  }
  Window window_;
  std::vector<std::int64_t> rows_, columns_;
};

/// Calls visit(place, elements) for each block of this rank.
template <class Visit>
void each_block(const Matrix& matrix, const Visit& visit) {
  for (std::size_t r = 0; r < matrix.rows().size(); ++r) {
    for (std::int64_t b = matrix.row_start()[r]; b < matrix.row_start()[r + 1]; ++b) {
      visit(BlockPlace{matrix.rows()[r], matrix.columns()[b]}, matrix.values().data() + matrix.offset()[b]);
    }
  }
}

/// Calls change(element, whether it is inside the window) for each element.
template <class Change>
void each_element(Matrix& matrix, const Inside& inside, const Change& change) {
  std::vector<BlockPlace> places;
  each_block(matrix, [&](const BlockPlace& at, const double*) { places.push_back(at); });
  for (const BlockPlace& at : places) {
    const BlockView<double> block = matrix.change_block(at.row, at.column);
    for (std::int64_t j = 0; j < block.columns; ++j) {
      for (std::int64_t i = 0; i < block.rows; ++i) change(block(i, j), inside.has(at, i, j));
    }
  }
}

void clear_outside(Matrix& matrix, const Inside& inside) {
  if (inside.all()) return;
  each_element(matrix, inside, [](double& element, bool in) {
    if (!in) element = 0;
  });
}

template <class Wanted>
Matrix filled(const LocalBlocks& x, double factor, const Wanted& wanted) {
  Matrix matrix(layout_of(x));
  std::vector<BlockPlace> places;
  for (int n = 0; n < x.count; ++n) {
    if (const BlockPlace at = placed(x, n).at; wanted(at)) places.push_back(at);
  }
  matrix.reserve(std::move(places));
  for (int n = 0; n < x.count; ++n) {
    const auto [at, transposed, sign] = placed(x, n);
    if (wanted(at)) copy(elements(x, n), transposed, sign * factor, matrix.change_block(at.row, at.column));
  }
  return matrix;
}

/// Returns the blocks in the memory of DBCSR.
Matrix in_place(const LocalBlocks& x, const seiche::SharedLayout& layout) {
  std::vector<BlockPlace> places;
  std::vector<std::int64_t> offset;
  std::int64_t elements = 0;
  for (int n = 0; n < x.count; ++n) {
    places.push_back({x.rows[n] - 1, x.columns[n] - 1});
    offset.push_back(x.first[n] - 1);
    const std::int64_t size = std::int64_t{x.row_sizes[x.rows[n] - 1]} * x.column_sizes[x.columns[n] - 1];
    elements = std::max(elements, offset.back() + size);
  }
  return seiche::refer_to_blocks<double>(layout, places, offset, {x.values, static_cast<std::size_t>(elements)});
}

}  // namespace

seiche::SharedLayout layout_of(const LocalBlocks& x) {
  const auto list = [](const int* first, int count) { return std::vector<int>(first, first + count); };
  return std::make_shared<const BlockLayout>(BlockLayout{
      MPI_Comm_f2c(x.comm), x.grid_rows, x.grid_columns, list(x.row_sizes, x.block_rows),
      list(x.column_sizes, x.block_columns), list(x.row_owner, x.block_rows), list(x.column_owner, x.block_columns)});
}

Matrix half_of(const LocalBlocks& x, double factor) {
  return filled(x, factor, [](const BlockPlace&) { return true; });
}

Matrix blocks_inside(const LocalBlocks& x, const Window& window, double factor) {
  const seiche::SharedLayout layout = layout_of(x);
  const Inside inside(*layout, window);
  const bool as_stored = std::all_of(x.first, x.first + x.count, [](int first) { return first > 0; });
  if (as_stored && factor == 1 && inside.all()) return in_place(x, layout);
  Matrix matrix = filled(x, factor, [&](const BlockPlace& at) { return inside.touches(at); });
  clear_outside(matrix, inside);
  return matrix;
}

Matrix completed(const LocalBlocks& x, const Window& window, double factor) {
  const seiche::SharedLayout layout = layout_of(x);
  const Inside inside(*layout, window);
  const auto mirrored = [](const BlockPlace& at) { return BlockPlace{at.column, at.row}; };
  const auto here = [&](const BlockPlace& at) { return layout->owner(at.row, at.column) == layout->comm.rank(); };
  const Matrix sent = filled(x, x.symmetry * factor, [&](const BlockPlace& at) { return !here(mirrored(at)); });
  const Matrix received = redistribute(sent, sent.shared_layout(), seiche::Transpose::yes);
  const auto each_wanted = [&](const auto& visit) {
    const auto visit_inside = [&](const BlockPlace& at, const double* from, bool transposed, double by) {
      if (inside.touches(at)) visit(at, from, transposed, by);
    };
    for (int n = 0; n < x.count; ++n) {
      const auto [at, transposed, sign] = placed(x, n);
      visit_inside(at, elements(x, n), transposed, sign * factor);
      if (at.row == at.column || !here(mirrored(at))) continue;
      visit_inside(mirrored(at), elements(x, n), !transposed, sign * factor * x.symmetry);
    }
    each_block(received, [&](const BlockPlace& at, const double* from) { visit_inside(at, from, false, 1); });
  };
  std::vector<BlockPlace> places;
  each_wanted([&](const BlockPlace& at, const double*, bool, double) { places.push_back(at); });
  Matrix matrix(layout);
  matrix.reserve(std::move(places));
  each_wanted([&](const BlockPlace& at, const double* from, bool transposed, double by) {
    copy(from, transposed, by, matrix.change_block(at.row, at.column));
  });
  clear_outside(matrix, inside);
  return matrix;
}

void scale_inside(Matrix& matrix, const Window& window, double factor) {
  each_element(matrix, Inside(matrix.layout(), window), [&](double& element, bool in) {
    if (in) element *= factor;
  });
}

bool in_stored_half(const BlockPlace& at) {
  const bool even = (at.row + at.column) % 2 == 0;
  return at.row == at.column || (at.row < at.column) == even;
}

std::vector<BlockPlace> stored_places(const Matrix& matrix, int symmetry) {
  std::vector<BlockPlace> places;
  each_block(matrix, [&](const BlockPlace& at, const double*) {
    const bool mirrored = symmetry != 0 && at.row > at.column;
    places.push_back(mirrored ? BlockPlace{at.column, at.row} : at);
  });
  std::sort(places.begin(), places.end(), [](const BlockPlace& x, const BlockPlace& y) {
    return x.row != y.row ? x.row < y.row : x.column < y.column;
  });
  return places;
}

void write_blocks(const Matrix& matrix, const LocalBlocks& x) {
  for (int n = 0; n < x.count; ++n) {
    const auto [at, transposed, sign] = placed(x, n);
    const BlockView<const double> block = matrix.block(at.row, at.column);
    const bool turned = transposed;
    copy(block.data, turned, sign,
         {elements(x, n), turned ? block.columns : block.rows, turned ? block.rows : block.columns});
  }
}
