// SPDX-License-Identifier: BSD-3-Clause
/// \file  The entries in each row of a sparse structure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "blocksparse/matrix/block_memory.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// Compressed rows: row r has the entries start[r] .. start[r + 1], with ascending indices.
struct CompressedRows {
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> index;

  std::int64_t rows() const { return std::ssize(start) - 1; }
  std::int64_t entries() const { return std::ssize(index); }
  Range row(std::int64_t r) const { return {start[r], start[r + 1]}; }
  /// Returns the entries of row r with indices in `wanted`.
  Range part_of_row(std::int64_t r, const Range& wanted) const {
    const std::int64_t low = first_from(row(r), wanted.low);
    return {low, first_from({low, start[r + 1]}, wanted.high)};
  }
  /// Returns the entry of row r with this index, or -1.
  std::int64_t find(std::int64_t r, std::int32_t wanted) const {
    const std::int64_t entry = first_from(row(r), wanted);
    return entry < start[r + 1] && index[entry] == wanted ? entry : -1;
  }
  std::int64_t row_of(std::int64_t entry) const {
    return std::upper_bound(start.begin(), start.end(), entry) - start.begin() - 1;
  }
  /// Ends a row after the entries added to `index` so far.
  void end_row() { start.push_back(entries()); }

 private:
  std::int64_t first_from(const Range& entries, std::int64_t wanted) const {
    return std::lower_bound(index.begin() + entries.low, index.begin() + entries.high, wanted) - index.begin();
  }
};

inline std::int64_t bytes_of(const CompressedRows& rows) { return bytes_of(rows.start) + bytes_of(rows.index); }

}  // namespace seiche
