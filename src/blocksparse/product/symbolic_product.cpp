// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/symbolic_product.hpp"

#include <algorithm>
#include <atomic>
#include <complex>

namespace seiche {

namespace {

/// The result of one row.
struct Row {
  std::vector<std::int32_t> columns;
  float eps = 0;
  double operations = 0, squared_error = 0, squared_filter = 0;
  std::int64_t products = 0, skipped = 0;
};

/// Threads may mark the same block. The flag is written only once, so that its cache line stays shared.
void mark(char& flag) {
  const std::atomic_ref<char> shared(flag);
  if (shared.load(std::memory_order_relaxed) == 0) shared.store(1, std::memory_order_relaxed);
}

/// What is known of a block of C while its row is processed.
enum class Known : char {
  nothing,
  unwanted,
  skipped,   ///< all products so far are below the filter
  survives,  ///< a product is above the filter
};

/// The processing of rows by one thread, with dense counters for one row.
template <class Value>
class RowCounter {
 public:
  RowCounter(IndexExchange<Value>& index, const SymbolicRequest& request)
      : index_(index),
        request_(request),
        column_size_(index.share.column_sizes.begin(), index.share.column_sizes.end()),
        known_(column_size_.size(), Known::nothing),
        skip_(column_size_.size(), 0.0),
        keep_(column_size_.size(), 0.0) {}

  Row operator()(std::int64_t r) {
    Row row;
    row.eps = static_cast<float>(request_.eps / static_cast<double>(std::max<std::int64_t>(1, index_.row_blocks[r])));
    double terms = 2 + request_.layers;  // additions for an element of C, scaling, and addition of layers
    const Range blocks = index_.a.blocks.row(r);
    for (std::int64_t x = blocks.low; x < blocks.high; ++x) terms += multiply(r, x, row);
    row.operations *= 2.0 * index_.share.row_sizes[r];
    const double rounding = terms * request_.rounding;
    collect(rounding / (1 - std::min(0.5, rounding)), row);
    return row;
  }

 private:
  /// Processes block x of A, in row r, with all matching blocks of B. \return the number of terms added to an element
  /// of C
  double multiply(std::int64_t r, std::int64_t x, Row& row) {
    const std::int32_t k = index_.a.blocks.index[x];
    const double inner = index_.share.inner_sizes[k];
    const float norm = index_.a.norm[x];
    const Range blocks = index_.b.blocks.row(k);
    std::int64_t products = 0;
    double operations = row.operations;
    for (std::int64_t y = blocks.low; y < blocks.high; ++y) {
      const std::int32_t j = index_.b.blocks.index[y];
      if (known_[j] == Known::nothing) touch(r, j);
      if (known_[j] == Known::unwanted) continue;
      const bool survives = !(norm * index_.b.norm[y] < row.eps);
      (survives ? keep_ : skip_)[j] += static_cast<double>(norm) * static_cast<double>(index_.b.norm[y]);
      if (!survives) {
        ++row.skipped;
        continue;
      }
      known_[j] = Known::survives;
      ++products;
      operations += inner * column_size_[j];
      mark(index_.b.needed[y]);
    }
    row.operations = operations;
    row.products += products;
    if (products > 0) index_.a.needed[x] = 1;
    return inner;
  }

  void touch(std::int64_t r, std::int32_t j) {
    touched_.push_back(j);
    const bool wanted = !request_.wanted || request_.wanted({index_.share.rows[r], index_.share.columns[j]});
    known_[j] = wanted ? Known::skipped : Known::unwanted;
  }

  /// Collects the columns and error bounds of the row, and clears its counters. \param relative relative rounding error
  void collect(double relative, Row& row) {
    const auto columns = static_cast<std::int32_t>(column_size_.size());
    const auto note = [&](std::int32_t j) {
      if (known_[j] == Known::survives) row.columns.push_back(j);
      const double error = skip_[j] + relative * keep_[j];
      row.squared_error += error * error;
      row.squared_filter += skip_[j] * skip_[j];
      known_[j] = Known::nothing;
      skip_[j] = keep_[j] = 0;
    };
    if (std::ssize(touched_) * 16 > columns) {
      for (std::int32_t j = 0; j < columns; ++j) note(j);
    } else {
      std::sort(touched_.begin(), touched_.end());
      for (const std::int32_t j : touched_) note(j);
    }
    touched_.clear();
  }

  IndexExchange<Value>& index_;
  const SymbolicRequest& request_;
  std::vector<double> column_size_;
  std::vector<Known> known_;
  std::vector<double> skip_, keep_;  // sums of norms of products, by column
  std::vector<std::int32_t> touched_;
};

SymbolicProduct join(const std::vector<Row>& rows) {
  SymbolicProduct all;
  std::size_t blocks = 0;
  for (const Row& row : rows) blocks += row.columns.size();
  all.blocks.start.reserve(rows.size() + 1);
  all.blocks.index.reserve(blocks);
  all.row_operations.reserve(rows.size());
  all.row_eps.reserve(rows.size());
  for (const Row& row : rows) {
    all.blocks.index.insert(all.blocks.index.end(), row.columns.begin(), row.columns.end());
    all.blocks.end_row();
    all.row_operations.push_back(row.operations);
    all.row_eps.push_back(row.eps);
    all.products += row.products;
    all.skipped += row.skipped;
    all.most_products = std::max(all.most_products, row.products);
    all.squared_error += row.squared_error * (1 + 1e-10);
    all.squared_filter += row.squared_filter;
  }
  return all;
}

}  // namespace

template <class Value>
SymbolicProduct symbolic_product(IndexExchange<Value>& index, const SymbolicRequest& request) {
  std::vector<Row> rows(index.share.rows.size());
#pragma omp parallel num_threads(request.threads)
  {
    RowCounter<Value> count(index, request);
#pragma omp for schedule(dynamic, 4)
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = count(r);
  }
  return join(rows);
}

#define SEICHE_SYMBOLIC_PRODUCT(Value) \
  template SymbolicProduct symbolic_product(IndexExchange<Value>&, const SymbolicRequest&)
SEICHE_SYMBOLIC_PRODUCT(float);
SEICHE_SYMBOLIC_PRODUCT(double);
SEICHE_SYMBOLIC_PRODUCT(std::complex<float>);
SEICHE_SYMBOLIC_PRODUCT(std::complex<double>);

}  // namespace seiche
