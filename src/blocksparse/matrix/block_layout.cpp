// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distribution of block rows and columns over the rows and columns of a process grid.
#include <algorithm>
#include <numeric>

#include "blocksparse/matrix/storage.hpp"
#include "comm/agree.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

/// Returns a reproducible pseudorandom number (splitmix64).
std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Returns the position along a Hilbert curve of order `bits` in three dimensions, after J. Skilling, "Programming the
/// Hilbert curve", AIP Conf. Proc. 707, 381 (2004): undo excess work from the highest bit down, then Gray-encode.
std::uint64_t hilbert(std::array<std::uint32_t, 3> x, int bits) {
  for (std::uint32_t q = 1U << (bits - 1); q > 1; q >>= 1) {
    const std::uint32_t low = q - 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (x[a] & q) {
        x[0] ^= low;
      } else {
        const std::uint32_t swap = (x[0] ^ x[a]) & low;
        x[0] ^= swap;
        x[a] ^= swap;
      }
    }
  }
  for (std::size_t a = 1; a < 3; ++a) x[a] ^= x[a - 1];
  std::uint32_t flip = 0;
  for (std::uint32_t q = 1U << (bits - 1); q > 1; q >>= 1) {
    if (x[2] & q) flip ^= q - 1;
  }
  std::uint64_t key = 0;
  for (int bit = bits - 1; bit >= 0; --bit) {
    for (std::size_t a = 0; a < 3; ++a) key = key << 1 | (((x[a] ^ flip) >> bit) & 1U);
  }
  return key;
}

/// Returns positions along a Hilbert curve through the cube that contains all points.
std::vector<std::uint64_t> positions_on_curve(std::span<const std::array<double, 3>> places) {
  if (places.empty()) return {};
  std::array<double, 3> low = places[0], high = places[0];
  for (const auto& place : places) {
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], place[a]);
      high[a] = std::max(high[a], place[a]);
    }
  }
  const double edge = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-300});
  constexpr int bits = 20;
  std::vector<std::uint64_t> keys;
  for (const auto& place : places) {
    std::array<std::uint32_t, 3> cell{};
    for (std::size_t a = 0; a < 3; ++a) {
      cell[a] = static_cast<std::uint32_t>((place[a] - low[a]) / edge * ((1U << bits) - 1));
    }
    keys.push_back(hilbert(cell, bits));
  }
  return keys;
}

template <class Key>
std::vector<std::size_t> order_by(std::size_t n, const Key& key) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

void require_sound(const BlockSizes& sizes, const std::vector<int>& owner, int parts, const char* what) {
  require(owner.size() == sizes.size(), Fault::bad_argument,
          "wrong number of owners ({} block {}s, {} owners): give one owner per block", sizes.size(), what,
          owner.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    require(sizes[i] > 0, Fault::bad_argument, "block {} {} has size {}: block sizes must be positive", what, i,
            sizes[i]);
    require(owner[i] >= 0 && owner[i] < parts, Fault::bad_argument,
            "block {} {} is assigned to grid {} {}, but the process grid has only {}", what, i, what, owner[i], parts);
  }
}

}  // namespace

std::vector<int> distribute_cyclic(std::size_t blocks, int parts) {
  std::vector<int> owner(blocks);
  for (std::size_t i = 0; i < blocks; ++i) owner[i] = static_cast<int>(i % parts);
  return owner;
}

std::vector<int> distribute_random(const BlockSizes& sizes, int parts, std::uint64_t seed) {
  auto order = order_by(sizes.size(), [&](std::size_t i) { return scrambled(seed * 0x51ed2701U + i); });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::vector<int> owner(sizes.size());
  // the distribution of each size continues after the last rank of the previous size
  for (std::size_t n = 0; n < order.size(); ++n) owner[order[n]] = static_cast<int>(n % parts);
  return owner;
}

std::vector<int> distribute_along_curve(std::span<const std::array<double, 3>> places, const BlockSizes& sizes,
                                        int parts) {
  require(places.size() == sizes.size(), Fault::bad_argument,
          "wrong number of positions ({} positions, {} blocks): give one position per block", places.size(),
          sizes.size());
  const auto keys = positions_on_curve(places);
  const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  std::vector<int> owner(sizes.size());
  double before = 0;
  for (const std::size_t i : order_by(sizes.size(), [&](std::size_t n) { return keys[n]; })) {
    owner[i] = std::min(parts - 1, static_cast<int>((before + sizes[i] / 2.0) / total * parts));
    before += sizes[i];
  }
  return owner;
}

std::array<int, 2> square_grid(int ranks) {
  int rows = 1;
  for (int candidate = 1; candidate * candidate <= ranks; ++candidate) {
    if (ranks % candidate == 0) rows = candidate;
  }
  return {ranks / rows, rows};
}

SharedLayout make_layout(const Communicator& comm, BlockSizes row_sizes, BlockSizes column_sizes,
                         std::array<int, 2> grid, std::vector<int> row_owner, std::vector<int> column_owner) {
  together(comm, "block_layout", [&](EqualArguments& same) {
    require(grid[0] > 0 && grid[1] > 0 && grid[0] * grid[1] == comm.size(), Fault::bad_argument,
            "a process grid of {} x {} does not match {} ranks: rows times columns must equal the number of ranks",
            grid[0], grid[1], comm.size());
    require_sound(row_sizes, row_owner, grid[0], "row");
    require_sound(column_sizes, column_owner, grid[1], "column");
    same.add("process grid", grid).add("row sizes", row_sizes).add("column sizes", column_sizes);
    same.add("owners of rows", row_owner).add("owners of columns", column_owner);
  });
  return std::make_shared<BlockLayout>(BlockLayout{comm, grid[0], grid[1], std::move(row_sizes),
                                                   std::move(column_sizes), std::move(row_owner),
                                                   std::move(column_owner)});
}

SharedLayout make_layout(const Communicator& comm, BlockSizes row_sizes, BlockSizes column_sizes) {
  const auto grid = square_grid(comm.size());
  auto row_owner = distribute_cyclic(row_sizes.size(), grid[0]),
       column_owner = distribute_cyclic(column_sizes.size(), grid[1]);
  return make_layout(comm, std::move(row_sizes), std::move(column_sizes), grid, std::move(row_owner),
                     std::move(column_owner));
}

SharedLayout product_layout(const BlockLayout& rows_of, const BlockLayout& columns_of) {
  return std::make_shared<BlockLayout>(BlockLayout{rows_of.comm, rows_of.grid_rows, rows_of.grid_columns,
                                                   rows_of.row_sizes, columns_of.column_sizes, rows_of.row_owner,
                                                   columns_of.column_owner});
}

std::vector<std::int64_t> starts_of(const BlockSizes& sizes) {
  std::vector<std::int64_t> starts{0};
  for (const std::int32_t size : sizes) starts.push_back(starts.back() + size);
  return starts;
}

EqualArguments& add_layout(EqualArguments& same, const BlockLayout& layout) {
  same.add("rows of the process grid", layout.grid_rows).add("row sizes", layout.row_sizes);
  same.add("column sizes", layout.column_sizes).add("owners of rows", layout.row_owner);
  return same.add("owners of columns", layout.column_owner);
}

bool same_layout(const BlockLayout& a, const BlockLayout& b) {
  return &a == &b ||
         (a.comm.get() == b.comm.get() && a.grid_rows == b.grid_rows && a.row_sizes == b.row_sizes &&
          a.column_sizes == b.column_sizes && a.row_owner == b.row_owner && a.column_owner == b.column_owner);
}

}  // namespace seiche
