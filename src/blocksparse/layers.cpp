// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/layers.hpp"

#include <numeric>

#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

template <class Value>
Masses masses_of(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c) {
  const auto all = join_all(
      c.comm, std::vector<double>{static_cast<double>(a.values().size()), static_cast<double>(b.values().size()),
                                  static_cast<double>(a.local_blocks()), static_cast<double>(b.local_blocks())});
  std::array<double, 4> sums{};
  for (std::size_t n = 0; n < all.size(); ++n) sums[n % 4] += all[n];
  const auto along = [](const BlockSizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), 0.0); };
  const double cells = static_cast<double>(c.row_sizes.size() * c.column_sizes.size());
  const double inner = std::max(1.0, static_cast<double>(a.layout().column_sizes.size()));
  const double filled = cells > 0 ? 1 - std::exp(-sums[2] * sums[3] / inner / cells) : 0;
  const double size = sizeof(Value);
  return {size * sums[0], size * sums[1], size * filled * along(c.row_sizes) * along(c.column_sizes)};
}

double bytes_received(const BlockLayout& c, const Teams& teams, const Masses& masses) {
  const double rows = c.grid_rows, columns = c.grid_columns, across = teams.across, along = teams.along;
  const double a = masses.a_bytes / (rows * along) * (1 - 1 / (columns * across));
  const double b = masses.b_bytes / (columns * across) * (1 - 1 / (rows * along));
  return a + b + masses.c_bytes / (rows * columns) * (across * along - 1);
}

Teams choose_teams(const BlockLayout& c, int layers, const Masses& masses) {
  Teams best;
  double least = layers > 1 ? std::numeric_limits<double>::infinity() : bytes_received(c, best, masses) * 5 / 6;
  for (int across = 1; across <= c.grid_rows && layers != 1; ++across) {
    for (int along = 1; along <= c.grid_columns; ++along) {
      const Teams teams{across, along};
      if (c.grid_rows % across != 0 || c.grid_columns % along != 0) continue;
      if (layers == 0 ? teams.layers() == 1 : teams.layers() != layers) continue;
      const double bytes = bytes_received(c, teams, masses);
      if (bytes < least) {
        least = bytes;
        best = teams;
      }
    }
  }
  require(
      layers <= 1 || best.layers() == layers, Fault::bad_argument,
      "a grid of {} x {} processes cannot be cut into {} layers; give a number whose factors divide both sides, or 0",
      c.grid_rows, c.grid_columns, layers);
  return best;
}

template <class Value>
std::int64_t add_layers(const Growing<Value>& partial, const Share& share, const Teams& teams, Value alpha, Value beta,
                        const BlockMatrix<Value>& old, BlockMatrix<Value>& result) {
  using Entry = typename BlockMatrix<Value>::Entry;
  const BlockLayout& layout = result.layout();
  const auto ranks = static_cast<std::size_t>(layout.comm.size());
  std::vector<std::vector<Entry>> headers(ranks);
  std::vector<std::vector<Value>> blocks(ranks);
  for (std::size_t r = 0; r < share.rows.size(); ++r) {
    for (std::int64_t e = partial.start[r]; e < partial.start[r + 1]; ++e) {
      const auto n = static_cast<std::size_t>(e);
      const Entry at{share.rows[r], share.columns[static_cast<std::size_t>(partial.columns[n])]};
      const auto q = static_cast<std::size_t>(layout.owner(at.row, at.column));
      headers[q].push_back(at);
      const std::int64_t size = static_cast<std::int64_t>(layout.row_sizes[static_cast<std::size_t>(at.row)]) *
                                layout.column_sizes[static_cast<std::size_t>(at.column)];
      const Value* v = partial.values.data() + partial.offset[n];
      blocks[q].insert(blocks[q].end(), v, v + size);
    }
  }
  const auto arrived = pass_things(layout.comm, headers);
  const auto values = pass_things(layout.comm, blocks);

  std::vector<Entry> entries;
  for (const auto& list : arrived) entries.insert(entries.end(), list.begin(), list.end());
  if (beta != Value(0)) {
    for (std::size_t r = 0; r < old.rows().size(); ++r) {
      for (std::int64_t n = old.row_start()[r]; n < old.row_start()[r + 1]; ++n)
        entries.push_back({old.rows()[r], old.columns()[static_cast<std::size_t>(n)]});
    }
  }
  const BlockMatrix<Value> before = old;
  result.reserve(std::move(entries));
  Value* const into = result.change_values().data();
  const auto target = [&](std::size_t r, std::int32_t column) {
    const auto first = result.columns().begin() + result.row_start()[r],
               last = result.columns().begin() + result.row_start()[r + 1];
    return into +
           result.offset()[static_cast<std::size_t>(std::lower_bound(first, last, column) - result.columns().begin())];
  };
  if (beta != Value(0)) {
    for (std::size_t r = 0; r < before.rows().size(); ++r) {
      for (std::int64_t n = before.row_start()[r]; n < before.row_start()[r + 1]; ++n) {
        const auto block = static_cast<std::size_t>(n);
        Value* const to = target(r, before.columns()[block]);
        const Value* from = before.values().data() + before.offset()[block];
        for (std::int64_t k = 0; k < block_size(before, r, n); ++k) to[k] = beta * from[k];
      }
    }
  }
  std::vector<std::size_t> row_of(layout.row_sizes.size(), 0);
  for (std::size_t r = 0; r < result.rows().size(); ++r) row_of[static_cast<std::size_t>(result.rows()[r])] = r;
  std::int64_t bytes = 0;
  for (int layer = 0; layer < teams.layers(); ++layer) {
    for (std::size_t q = 0; q < ranks; ++q) {
      if (teams.layer_of(layout, static_cast<int>(q)) != layer) continue;
      if (static_cast<int>(q) != layout.comm.rank())
        bytes += static_cast<std::int64_t>(values[q].size() * sizeof(Value));
      const Value* from = values[q].data();
      for (const Entry& at : arrived[q]) {
        Value* const to = target(row_of[static_cast<std::size_t>(at.row)], at.column);
        const std::int64_t size = static_cast<std::int64_t>(layout.row_sizes[static_cast<std::size_t>(at.row)]) *
                                  layout.column_sizes[static_cast<std::size_t>(at.column)];
        for (std::int64_t k = 0; k < size; ++k) to[k] += alpha * from[k];
        from += size;
      }
    }
  }
  return bytes;
}

#define SEICHE_LAYERS(Value)                                                                        \
  template std::int64_t add_layers(const Growing<Value>&, const Share&, const Teams&, Value, Value, \
                                   const BlockMatrix<Value>&, BlockMatrix<Value>&)
template Masses masses_of(const BlockMatrix<float>&, const BlockMatrix<float>&, const BlockLayout&);
template Masses masses_of(const BlockMatrix<double>&, const BlockMatrix<double>&, const BlockLayout&);
template Masses masses_of(const BlockMatrix<std::complex<float>>&, const BlockMatrix<std::complex<float>>&,
                          const BlockLayout&);
template Masses masses_of(const BlockMatrix<std::complex<double>>&, const BlockMatrix<std::complex<double>>&,
                          const BlockLayout&);
SEICHE_LAYERS(float);
SEICHE_LAYERS(double);
SEICHE_LAYERS(std::complex<float>);
SEICHE_LAYERS(std::complex<double>);

}  // namespace seiche
