// SPDX-License-Identifier: BSD-3-Clause
/// \file  The matrix of the cases of block-sparse matrices.
#pragma once

#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "case_arrays.hpp"
#include "seiche/block_file.hpp"
#include "seiche/block_product.hpp"
#include "seiche/c/product.h"
#include "seiche/purify.hpp"

namespace seiche::conformance {

/// Collective. Writes a file of a matrix of order 6. The process that wrote it removes it when it ends.
template <class Value>
std::string matrix_file() {
  static struct Removed {
    std::string path;
    ~Removed() { std::filesystem::remove(path); }
  } file;
  std::array<char, 200> path{};
  constexpr bool real = std::is_floating_point_v<Value>;
  if (rank_here() == 0) {
    if (!file.path.empty()) std::filesystem::remove(file.path);
    file.path = std::filesystem::temp_directory_path() / fmt::format("seiche-matrix-{}.mtx", getpid());
    std::copy(file.path.begin(), file.path.end(), path.begin());
    std::ofstream out(file.path);
    out << "%%MatrixMarket matrix coordinate " << (real ? "real" : "complex") << " general\n6 6 34\n";
    for (int column = 1; column <= 6; ++column) {
      for (int row = 1; row <= 6; ++row) {
        if (row <= 2 && column == 6) continue;
        out << row << ' ' << column << ' ' << (5 * row + 3 * column) % 7 - 2.75;
        out << (real ? "" : fmt::format(" {}", (row + 2 * column) % 5 - 2)) << '\n';
      }
    }
  }
  MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  return path.data();
}

/// Blocks of the diagonal of this rank.
inline std::vector<std::int32_t> diagonal_here(const BlockSizes& sizes) {
  const auto layout = make_layout(world(), sizes, sizes);
  std::vector<std::int32_t> mine;
  for (std::int32_t i = 0; i < std::ssize(sizes); ++i) {
    if (layout->owner(i, i) == rank_here()) mine.push_back(i);
  }
  return mine;
}

inline std::vector<BlockPlace> places(std::span<const std::int32_t> rows, std::span<const std::int32_t> columns) {
  std::vector<BlockPlace> all;
  for (std::size_t i = 0; i < rows.size(); ++i) all.push_back({rows[i], columns[i]});
  return all;
}

}  // namespace seiche::conformance
