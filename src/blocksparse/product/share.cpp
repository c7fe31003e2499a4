// SPDX-License-Identifier: BSD-3-Clause
#include "blocksparse/product/share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// The rows (columns) of C of one group.
struct Picked {
  std::vector<std::int32_t> list, at;
  BlockSizes sizes;
};

Picked pick(const std::vector<int>& owner, const BlockSizes& sizes, int members, int group) {
  Picked picked;
  picked.at.assign(owner.size(), -1);
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] / members != group) continue;
    picked.at[i] = static_cast<std::int32_t>(picked.list.size());
    picked.list.push_back(static_cast<std::int32_t>(i));
    picked.sizes.push_back(sizes[i]);
  }
  return picked;
}

}  // namespace

double mean_size(const BlockSizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 0.0) / std::max<double>(1, static_cast<double>(sizes.size()));
}

std::vector<std::int64_t> cut_inner(const BlockLayout& c, const BlockSizes& inner, int layers) {
  constexpr double call = 5000;  // operations that take as long as calling the code of a small product
  const double call_as_size = call / std::max(1.0, 2 * mean_size(c.row_sizes) * mean_size(c.column_sizes));
  const double whole = (mean_size(inner) + call_as_size) * static_cast<double>(inner.size());
  std::vector<std::int64_t> cuts{0};
  double before = 0;
  for (std::size_t k = 0; k < inner.size(); ++k) {
    const double cost = inner[k] + call_as_size;
    while (std::ssize(cuts) < layers && before + cost / 2 >= whole * static_cast<double>(cuts.size()) / layers)
      cuts.push_back(static_cast<std::int64_t>(k));
    before += cost;
  }
  cuts.resize(layers + 1, std::ssize(inner));
  return cuts;
}

Share share_of(const BlockLayout& c, const ReplicationGroups& groups, const BlockSizes& inner,
               const std::vector<std::int64_t>& cuts) {
  Picked rows = pick(c.row_owner, c.row_sizes, groups.across, c.grid_row() / groups.across);
  Picked columns = pick(c.column_owner, c.column_sizes, groups.along, c.grid_column() / groups.along);
  const int layer = groups.layer_of(c, c.comm.rank());
  const Range range{cuts[layer], cuts[layer + 1]};
  return {std::move(rows.list),
          std::move(columns.list),
          std::move(rows.at),
          std::move(columns.at),
          range,
          std::move(rows.sizes),
          std::move(columns.sizes),
          BlockSizes(inner.begin() + range.low, inner.begin() + range.high)};
}

template <class Value>
MatrixBytes matrix_bytes(const BlockMatrix<Value>& a, const BlockMatrix<Value>& b, const BlockLayout& c, bool limited) {
  const auto number = [](auto n) { return static_cast<double>(n); };
  std::array<double, 5> sums{number(a.values().size()), number(b.values().size()), number(a.local_blocks()),
                             number(b.local_blocks()), number(limited)};
  reduce_each(c.comm, sums, MPI_SUM);
  const auto along = [](const BlockSizes& sizes) { return std::accumulate(sizes.begin(), sizes.end(), 0.0); };
  const auto cells_of = [&](const BlockLayout& of) { return number(of.row_sizes.size() * of.column_sizes.size()); };
  const double cells = cells_of(c);
  const double inner = std::max(1.0, number(a.layout().column_sizes.size()));
  const double filled = cells > 0 ? 1 - std::exp(-sums[2] * sums[3] / inner / cells) : 0;
  const double size = sizeof(Value);
  return {size * sums[0],
          size * sums[1],
          size * filled * along(c.row_sizes) * along(c.column_sizes),
          sums[2] / std::max(1.0, cells_of(a.layout())),
          sums[3] / std::max(1.0, cells_of(b.layout())),
          sums[4] > 0};
}

double bytes_received(const RankGrid& grid, const ReplicationGroups& groups, const MatrixBytes& whole) {
  const double rows = grid.rows, columns = grid.columns, across = groups.across, along = groups.along;
  const double a = whole.a / (rows * along) * (1 - 1 / (columns * across));
  const double b = whole.b / (columns * across) * (1 - 1 / (rows * along));
  return a + b + whole.c / (rows * columns) * (across * along - 1);
}

ReplicationGroups choose_groups(const RankGrid& grid, int layers, const MatrixBytes& whole) {
  ReplicationGroups best;
  double least = layers > 1 ? std::numeric_limits<double>::infinity() : bytes_received(grid, best, whole) * 5 / 6;
  for (int across = 1; across <= grid.rows && layers != 1; ++across) {
    for (int along = 1; along <= grid.columns; ++along) {
      const ReplicationGroups groups{across, along};
      if (grid.rows % across != 0 || grid.columns % along != 0) continue;
      if (layers == 0 ? groups.layers() == 1 : groups.layers() != layers) continue;
      const double bytes = bytes_received(grid, groups, whole);
      if (bytes < least) {
        least = bytes;
        best = groups;
      }
    }
  }
  require(layers <= 1 || best.layers() == layers, Fault::bad_argument,
          "a process grid of {} x {} cannot be split into {} layers: give a number whose factors divide both "
          "dimensions, or 0",
          grid.rows, grid.columns, layers);
  return best;
}

#define SEICHE_SHARE(Value) \
  template MatrixBytes matrix_bytes(const BlockMatrix<Value>&, const BlockMatrix<Value>&, const BlockLayout&, bool)
SEICHE_SHARE(float);
SEICHE_SHARE(double);
SEICHE_SHARE(std::complex<float>);
SEICHE_SHARE(std::complex<double>);

}  // namespace seiche
