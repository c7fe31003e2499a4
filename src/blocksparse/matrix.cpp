// SPDX-License-Identifier: BSD-3-Clause
/// \file  Block-sparse matrices: building, filtering, adding, sums over their elements.
#include "blocksparse/parts.hpp"
#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
BlockMatrix<Value>::BlockMatrix(SharedLayout layout, Symmetry symmetry)
    : layout_(std::move(layout)), symmetry_(symmetry) {
  require(symmetry == Symmetry::none || layout_->row_sizes == layout_->column_sizes, Fault::bad_argument,
          "a matrix that stores one triangle has equal block sizes along rows and columns; store all blocks instead");
  for (std::size_t i = 0; i < layout_->row_sizes.size(); ++i) {
    if (layout_->row_owner[i] == layout_->grid_row()) rows_.push_back(static_cast<std::int32_t>(i));
  }
  row_start_.assign(rows_.size() + 1, 0);
}

template <class Value>
std::span<Value> BlockMatrix<Value>::change_values() {
  norms_.clear();
  return values_;
}

template <class Value>
const std::vector<float>& BlockMatrix<Value>::norms() const {
  if (norms_.size() == columns_.size()) return norms_;
  norms_.resize(columns_.size());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::int64_t b = row_start_[r]; b < row_start_[r + 1]; ++b) {
      const auto n = static_cast<std::size_t>(b);
      norms_[n] = norm_above(sum_of_squares(values_.data() + offset_[n], block_size(*this, r, b)));
    }
  }
  return norms_;
}

template <class Value>
std::int64_t BlockMatrix<Value>::memory() const noexcept {
  return bytes_taken(bytes_of(values_)) + bytes_of(rows_) + bytes_of(columns_) + bytes_of(row_start_) +
         bytes_of(offset_) + bytes_of(norms_);
}

template <class Value>
void BlockMatrix<Value>::reserve(std::vector<Entry> entries) {
  const auto before = [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  };
  const auto same = [](const Entry& a, const Entry& b) { return a.row == b.row && a.column == b.column; };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  columns_.clear();
  offset_.clear();
  norms_.clear();
  row_start_.assign(rows_.size() + 1, 0);
  columns_.reserve(entries.size());
  offset_.reserve(entries.size());
  std::int64_t end = 0;
  std::size_t r = 0;
  for (const Entry& e : entries) {
    const bool inside = e.row >= 0 && e.column >= 0 && e.row < static_cast<std::int64_t>(layout_->row_sizes.size()) &&
                        e.column < static_cast<std::int64_t>(layout_->column_sizes.size());
    require(inside && layout_->owner(e.row, e.column) == layout_->comm.rank(), Fault::bad_argument,
            "block ({}, {}) does not belong to this process; ask the layout for its owner", e.row, e.column);
    require(symmetry_ == Symmetry::none || e.row <= e.column, Fault::bad_argument,
            "block ({}, {}) lies below the diagonal of a matrix that stores the upper triangle; give the other one",
            e.row, e.column);
    while (rows_[r] != e.row) row_start_[++r] = static_cast<std::int64_t>(columns_.size());
    columns_.push_back(e.column);
    offset_.push_back(end);
    end += static_cast<std::int64_t>(layout_->row_sizes[static_cast<std::size_t>(e.row)]) *
           layout_->column_sizes[static_cast<std::size_t>(e.column)];
  }
  while (r < rows_.size()) row_start_[++r] = static_cast<std::int64_t>(columns_.size());
  values_.clear();
  values_.resize(static_cast<std::size_t>(end));
  std::fill(values_.begin(), values_.end(), Value{});
}

template <class Value>
void BlockMatrix<Value>::take_structure(const BlockMatrix& other) {
  columns_ = other.columns_;
  offset_ = other.offset_;
  row_start_ = other.row_start_;
  norms_.clear();
  values_.resize(other.values_.size());
}

template <class Value>
double BlockMatrix<Value>::drop_below(double eps) {
  const std::vector<float> all = norms();
  double dropped = 0;
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::int64_t first = row_start_[r], last = row_start_[r + 1];
    row_start_[r] = static_cast<std::int64_t>(kept);
    for (std::int64_t b = first; b < last; ++b) {
      const auto n = static_cast<std::size_t>(b);
      if (static_cast<double>(all[n]) < eps) {
        dropped += static_cast<double>(all[n]) * static_cast<double>(all[n]);
        continue;
      }
      columns_[kept] = columns_[n];
      offset_[kept] = offset_[n];
      norms_[kept++] = all[n];
    }
  }
  row_start_.back() = static_cast<std::int64_t>(kept);
  columns_.resize(kept);
  offset_.resize(kept);
  norms_.resize(kept);
  return dropped;
}

template <class Value>
BlockMatrix<Value> from_function(SharedLayout layout, const std::function<bool(std::int32_t, std::int32_t)>& present,
                                 const std::function<Value(std::int64_t, std::int64_t)>& element) {
  BlockMatrix<Value> matrix(std::move(layout));
  const BlockLayout& of = matrix.layout();
  std::vector<typename BlockMatrix<Value>::Entry> entries;
  for (const std::int32_t i : matrix.rows()) {
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(of.column_sizes.size()); ++j) {
      if (of.column_owner[static_cast<std::size_t>(j)] == of.grid_column() && present(i, j)) entries.push_back({i, j});
    }
  }
  matrix.reserve(std::move(entries));
  const auto row_at = starts_of(of.row_sizes), column_at = starts_of(of.column_sizes);
  Value* next = matrix.change_values().data();
  for (std::size_t r = 0; r < matrix.rows().size(); ++r) {
    const auto i = static_cast<std::size_t>(matrix.rows()[r]);
    for (std::int64_t b = matrix.row_start()[r]; b < matrix.row_start()[r + 1]; ++b) {
      const auto j = static_cast<std::size_t>(matrix.columns()[static_cast<std::size_t>(b)]);
      for (std::int64_t column = column_at[j]; column < column_at[j + 1]; ++column) {
        for (std::int64_t row = row_at[i]; row < row_at[i + 1]; ++row) *next++ = element(row, column);
      }
    }
  }
  return matrix;
}

template <class Value>
std::vector<Value> to_dense(const BlockMatrix<Value>& stored) {
  const bool triangle = stored.symmetry() != Symmetry::none;
  const BlockMatrix<Value>& matrix = triangle ? redistribute(stored, stored.shared_layout()) : stored;
  const auto row_at = starts_of(matrix.layout().row_sizes), column_at = starts_of(matrix.layout().column_sizes);
  const std::int64_t rows = row_at.back();
  std::vector<std::int64_t> mine;  // row, column, rows, columns of each block
  RawVector<Value> unused;
  std::vector<double> numbers;
  each_block(matrix, [&](std::size_t r, std::size_t b, std::size_t i, std::size_t j) {
    mine.insert(mine.end(), {row_at[i], column_at[j], row_at[i + 1] - row_at[i], column_at[j + 1] - column_at[j]});
    const Value* v = matrix.values().data() + matrix.offset()[b];
    for (std::int64_t n = 0; n < block_size(matrix, r, static_cast<std::int64_t>(b)); ++n) {
      numbers.push_back(real_part(v[n]));
      if constexpr (is_complex<Value>) numbers.push_back(static_cast<double>(v[n].imag()));
    }
  });
  const auto all = join_all(matrix.layout().comm, mine);
  const auto all_numbers = join_all(matrix.layout().comm, numbers);
  std::vector<Value> dense(static_cast<std::size_t>(rows * column_at.back()));
  const double* next = all_numbers.data();
  for (std::size_t n = 0; n < all.size(); n += 4) {
    for (std::int64_t column = 0; column < all[n + 3]; ++column) {
      for (std::int64_t row = 0; row < all[n + 2]; ++row) {
        Value& v = dense[static_cast<std::size_t>((all[n + 1] + column) * rows + all[n] + row)];
        if constexpr (is_complex<Value>) {
          v = Value(static_cast<Real<Value>>(next[0]), static_cast<Real<Value>>(next[1]));
          next += 2;
        } else {
          v = static_cast<Value>(*next++);
        }
      }
    }
  }
  return dense;
}

template <class Value>
void scale(BlockMatrix<Value>& matrix, Value factor) {
  for (Value& v : matrix.change_values()) v *= factor;
  matrix.error *= std::abs(factor);
}

template <class Value>
BlockMatrix<Value> add(Value a, const BlockMatrix<Value>& x, Value b, const BlockMatrix<Value>& y) {
  require(same_layout(x.layout(), y.layout()) && x.symmetry() == y.symmetry(), Fault::bad_argument,
          "matrices of different layouts or symmetry cannot be added; redistribute one of them first");
  BlockMatrix<Value> sum(x.shared_layout(), x.symmetry());
  std::vector<typename BlockMatrix<Value>::Entry> entries;
  for (std::size_t r = 0; r < x.rows().size(); ++r) {
    std::int64_t p = x.row_start()[r], q = y.row_start()[r];
    while (p < x.row_start()[r + 1] || q < y.row_start()[r + 1]) {
      constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
      const std::int32_t left = p < x.row_start()[r + 1] ? x.columns()[static_cast<std::size_t>(p)] : none;
      const std::int32_t right = q < y.row_start()[r + 1] ? y.columns()[static_cast<std::size_t>(q)] : none;
      entries.push_back({x.rows()[r], std::min(left, right)});
      p += left <= right ? 1 : 0;
      q += right <= left ? 1 : 0;
    }
  }
  sum.reserve(std::move(entries));
  Value* const values = sum.change_values().data();
  const auto take = [&](Value factor, const BlockMatrix<Value>& from) {
    std::size_t target = 0;
    each_block(from, [&](std::size_t r, std::size_t block, std::size_t, std::size_t j) {
      target = std::max(target, static_cast<std::size_t>(sum.row_start()[r]));
      while (static_cast<std::size_t>(sum.columns()[target]) != j) ++target;
      Value* into = values + sum.offset()[target];
      const Value* v = from.values().data() + from.offset()[block];
      const std::int64_t n = block_size(from, r, static_cast<std::int64_t>(block));
      for (std::int64_t k = 0; k < n; ++k) into[k] += factor * v[k];
    });
  };
  take(a, x);
  take(b, y);
  sum.error = std::abs(a) * x.error + std::abs(b) * y.error;
  return sum;
}

template <class Value>
void add_to_diagonal(BlockMatrix<Value>& matrix, Value factor) {
  std::int64_t mine = 0, present = 0;
  for (const std::int32_t i : matrix.rows()) mine += matrix.layout().owner(i, i) == matrix.layout().comm.rank() ? 1 : 0;
  each_block(matrix, [&](std::size_t, std::size_t, std::size_t i, std::size_t j) { present += i == j ? 1 : 0; });
  if (present < mine) {  // make the missing blocks
    BlockMatrix<Value> diagonal(matrix.shared_layout(), matrix.symmetry());
    std::vector<typename BlockMatrix<Value>::Entry> entries;
    for (const std::int32_t i : matrix.rows()) {
      if (matrix.layout().owner(i, i) == matrix.layout().comm.rank()) entries.push_back({i, i});
    }
    diagonal.reserve(std::move(entries));
    matrix = add(Value(1), matrix, Value(1), diagonal);
  }
  Value* const values = matrix.change_values().data();
  each_block(matrix, [&](std::size_t, std::size_t b, std::size_t i, std::size_t j) {
    if (i != j) return;
    const std::int64_t n = matrix.layout().row_sizes[i];
    for (std::int64_t k = 0; k < n; ++k) values[matrix.offset()[b] + k * (n + 1)] += factor;
  });
}

template <class Value>
double trace(const BlockMatrix<Value>& matrix) {
  std::vector<double> terms;
  each_block(matrix, [&](std::size_t, std::size_t b, std::size_t i, std::size_t j) {
    if (i != j) return;
    const std::int64_t n = matrix.layout().row_sizes[i];
    for (std::int64_t k = 0; k < n; ++k)
      terms.push_back(real_part(matrix.values()[static_cast<std::size_t>(matrix.offset()[b] + k * (n + 1))]));
  });
  return exact_sum(matrix.layout().comm, terms);
}

template <class Value>
double trace_of_product(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b) {
  require(same_layout(a.layout(), b.layout()) && a.symmetry() == Symmetry::none && b.symmetry() == Symmetry::none,
          Fault::bad_argument, "a trace of a product needs two matrices of one layout that store all their blocks");
  std::vector<double> terms;
  each_block(a, [&](std::size_t r, std::size_t block, std::size_t, std::size_t j) {
    const auto first = b.columns().begin() + b.row_start()[r], last = b.columns().begin() + b.row_start()[r + 1];
    const auto found = std::lower_bound(first, last, static_cast<std::int32_t>(j));
    if (found == last || static_cast<std::size_t>(*found) != j) return;
    const Value* x = a.values().data() + a.offset()[block];
    const Value* y = b.values().data() + b.offset()[static_cast<std::size_t>(found - b.columns().begin())];
    double term = 0;
    for (std::int64_t n = 0; n < block_size(a, r, static_cast<std::int64_t>(block)); ++n)
      term += real_part(conjugate(x[n]) * y[n]);
    terms.push_back(term);
  });
  return exact_sum(a.layout().comm, terms);
}

template <class Value>
double frobenius_norm(const BlockMatrix<Value>& matrix) {
  std::vector<double> terms;
  each_block(matrix, [&](std::size_t r, std::size_t b, std::size_t i, std::size_t j) {
    const double twice = matrix.symmetry() != Symmetry::none && i != j ? 2 : 1;
    terms.push_back(twice * sum_of_squares(matrix.values().data() + matrix.offset()[b],
                                           block_size(matrix, r, static_cast<std::int64_t>(b))));
  });
  return std::sqrt(exact_sum(matrix.layout().comm, terms));
}

#define SEICHE_MATRIX(Value)                                                                                      \
  template class BlockMatrix<Value>;                                                                              \
  template BlockMatrix<Value> from_function(SharedLayout, const std::function<bool(std::int32_t, std::int32_t)>&, \
                                            const std::function<Value(std::int64_t, std::int64_t)>&);             \
  template std::vector<Value> to_dense(const BlockMatrix<Value>&);                                                \
  template void scale(BlockMatrix<Value>&, Value);                                                                \
  template BlockMatrix<Value> add(Value, const BlockMatrix<Value>&, Value, const BlockMatrix<Value>&);            \
  template void add_to_diagonal(BlockMatrix<Value>&, Value);                                                      \
  template double trace(const BlockMatrix<Value>&);                                                               \
  template double trace_of_product(const BlockMatrix<Value>&, const BlockMatrix<Value>&);                         \
  template double frobenius_norm(const BlockMatrix<Value>&)
SEICHE_MATRIX(float);
SEICHE_MATRIX(double);
SEICHE_MATRIX(std::complex<float>);
SEICHE_MATRIX(std::complex<double>);

}  // namespace seiche
