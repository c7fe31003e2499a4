// SPDX-License-Identifier: BSD-3-Clause
#include "block_case.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "numbers.hpp"
#include "seiche/block_file.hpp"
#include "seiche/error.hpp"
#include "seiche/topology.hpp"

namespace seiche::command {

namespace {

/// A matrix model: every rank can compute the presence and the elements of every block.
struct Model {
  BlockSizes rows, columns;
  std::vector<std::array<double, 3>> places;  ///< positions of blocks, bohr; empty: random blocks
  double fill = 1, decay = 1;
  double edge = 0;  ///< edge of the periodic cube
  std::uint64_t seed = 1;

  static double fraction(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
  }
  double distance(std::int32_t i, std::int32_t j) const {
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      double d = std::abs(places[static_cast<std::size_t>(i)][a] - places[static_cast<std::size_t>(j)][a]);
      d = std::min(d, edge - d);
      square += d * d;
    }
    return std::sqrt(square);
  }
  /// Returns the largest element of block (i, j), or 0 for an absent block.
  double size(std::int32_t i, std::int32_t j) const {
    if (places.empty()) {
      const auto x = static_cast<std::uint64_t>(i) * 1000003U + static_cast<std::uint64_t>(j);
      return fraction(x * 0x9e3779b97f4a7c15U + seed) < fill ? 1 : 0;
    }
    const double element = std::exp(-distance(i, j) / decay);
    return element > fill ? element : 0;
  }
};

/// Returns molecules on a cubic lattice at the density of water, with small displacements.
Model water_like(const BlockCase& wanted) {
  Model model;
  const int n = wanted.water;
  constexpr double spacing = 5.866;  // bohr: 29.9 cubic Angstrom per molecule
  model.edge = n * spacing;
  std::mt19937 random(7);
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      for (int z = 0; z < n; ++z) {
        std::array<double, 3> place{x * spacing, y * spacing, z * spacing};
        for (double& p : place) p += spacing * (static_cast<double>(random() % 1000) / 1000 - 0.5) * 0.4;
        model.places.push_back(place);
        model.rows.push_back(wanted.sizes[model.rows.size() % wanted.sizes.size()]);
      }
    }
  }
  model.columns = model.rows;
  model.decay = wanted.reach;
  model.fill = std::max(1e-12, wanted.options.eps);
  return model;
}

SharedLayout layout_of(const Session& session, const BlockCase& wanted, const Model& model) {
  const auto grid = square_grid(session.size);
  const auto deal = [&](const BlockSizes& sizes, int parts) {
    if (wanted.deal == "cyclic") return distribute_cyclic(sizes.size(), parts);
    if (wanted.deal == "random") return distribute_random(sizes, parts);
    if (model.places.empty())
      throw Error(Fault::bad_argument, "--distribution curve needs positions of the blocks: give --water N as well");
    return distribute_along_curve(model.places, sizes, parts);
  };
  return make_layout(order_ranks(session.comm), model.rows, model.columns, grid, deal(model.rows, grid[0]),
                     deal(model.columns, grid[1]));
}

BlockMatrix<double> matrix_of(const SharedLayout& layout, const Model& model) {
  BlockMatrix<double> matrix(layout);
  std::vector<BlockPlace> entries;
  for (const std::int32_t i : matrix.rows()) {
    for (std::int32_t j = 0; j < static_cast<std::int32_t>(model.columns.size()); ++j) {
      const bool mine = layout->column_owner[static_cast<std::size_t>(j)] == layout->grid_column();
      if (mine && model.size(i, j) > 0) entries.push_back({i, j});
    }
  }
  matrix.reserve(entries);
  for (const BlockPlace& at : entries) {
    const auto block = matrix.change_block(at.row, at.column);
    const double size = model.size(at.row, at.column);
    auto state =
        static_cast<std::uint64_t>(at.row) * 7919U + static_cast<std::uint64_t>(at.column) * 104729U + model.seed;
    for (std::int64_t k = 0; k < block.size(); ++k) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      block.data[k] = size * (static_cast<double>(state >> 11) * 0x1p-52 - 1);
    }
  }
  return matrix;
}

}  // namespace

BlockOperands operands_of(const Session& session, const BlockCase& wanted) {
  if (!wanted.files.empty()) {
    MatrixFileOptions options;
    if (!wanted.file_blocks.empty()) options.blocks = parse_block_sizes(wanted.file_blocks);
    auto a = read_blocks<double>(order_ranks(session.comm), wanted.files.front(), options);
    options.layout = a.shared_layout();
    auto b = read_blocks<double>(a.layout().comm, wanted.files.back(), options);
    return {std::move(a), std::move(b)};
  }
  Model model = wanted.water > 0 ? water_like(wanted) : Model{};
  for (int i = 0; i < wanted.blocks[0] && wanted.water == 0; ++i) {
    model.rows.push_back(wanted.sizes[static_cast<std::size_t>(i) % wanted.sizes.size()]);
  }
  if (wanted.water == 0) {
    model.columns = model.rows;
    model.fill = wanted.fill;
  }
  const SharedLayout layout = layout_of(session, wanted, model);
  auto a = matrix_of(layout, model);
  model.seed = 2;
  return {std::move(a), matrix_of(layout, model)};
}

void add_block_case(CLI::App& command, BlockCase& wanted) {
  command.add_option("--blocks", wanted.blocks, "number of block rows and columns of the square matrices")
      ->check(at_least(1))
      ->expected(1);
  command.add_option("--sizes", wanted.sizes, "block sizes, repeated in order: 23, or 5,13")
      ->delimiter(',')
      ->check(at_least(1));
  command.add_option("--fill", wanted.fill, "fraction of nonzero blocks, at random")
      ->check(finite())
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option("--water", wanted.water,
                  "N x N x N water molecules with elements that decay with distance, instead of random blocks")
      ->check(at_least(1));
  command.add_option("--reach", wanted.reach, "decay length of the elements of water, in bohr")->check(positive());
  command.add_option("--distribution,--deal", wanted.deal, "distribution of blocks to ranks: cyclic, random or curve")
      ->check(CLI::IsMember({"cyclic", "random", "curve"}));
  command.add_option("--files", wanted.files, "one or two matrix files to multiply, instead of random blocks")
      ->expected(1, 2);
  command.add_option("--file-blocks", wanted.file_blocks, "block sizes of the files: 13,13,5 or 64x13,128x5");
  command.add_option("--eps", wanted.options.eps, "filter")->check(at_least(0));
  command.add_option("--threads", wanted.options.threads, "OpenMP threads per rank")->check(at_least(1));
}

}  // namespace seiche::command
