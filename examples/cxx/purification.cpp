// SPDX-License-Identifier: BSD-3-Clause
/// \file  A product and a purification, for a ring of cells of two atoms. The coupling is 1 inside a cell and 0.4
/// between cells. The states are known in closed form.
#include <cmath>
#include <seiche/purify.hpp>

#include "answer.hpp"

constexpr int cells = 24;
constexpr double inside = -1, between = -0.4;

/// Creates the Kohn-Sham matrix or the identity, with blocks for each cell and its neighbours.
seiche::BlockMatrix<double> matrix_of(const seiche::SharedLayout& layout, bool identity) {
  // [blocks]
  return seiche::from_function<double>(
      layout, [&](int i, int j) { return i == j || (!identity && (j == (i + 1) % cells || i == (j + 1) % cells)); },
      [&](std::int64_t row, std::int64_t column) {
        if (identity) return row == column ? 1.0 : 0.0;
        if (row / 2 == column / 2) return row == column ? 0.0 : inside;
        const bool next = row % 2 == 1 && column == (row + 1) % (2 * cells);
        const bool last = column % 2 == 1 && row == (column + 1) % (2 * cells);
        return next || last ? between : 0.0;
      });
  // [/blocks]
}

int purification() {
  const seiche::BlockSizes sizes(cells, 2);
  const auto layout = seiche::make_layout(MPI_COMM_WORLD, sizes, sizes);
  const auto k = matrix_of(layout, false), s = matrix_of(layout, true);

  // [product]
  seiche::Multiplier multiply;
  seiche::BlockMatrix<double> square(layout);
  multiply(seiche::Product<double>{k, k}, square);
  const double trace = seiche::trace(square);  // the sum of the squares of all elements
  // [/product]
  double error = std::fabs(trace - 2 * cells * (inside * inside + between * between));

  // [purify]
  const seiche::DensityMatrix found = seiche::purify(k, s, 2 * cells);  // two electrons in each of the lower half
  // [/purify]
  double energy = 0;
  for (int m = 0; m < cells; ++m) {
    const double angle = 2 * std::acos(-1.0) * m / cells;
    energy -= 2 * std::sqrt(inside * inside + between * between + 2 * inside * between * std::cos(angle));
  }
  error = std::fmax(error, std::fabs(found.energy - energy));
  error = std::fmax(error, std::fabs(found.trace - 2 * cells));
  return answer("purification", error, 1e-7, found.p.values());
}

int main(int argc, char** argv) { return run(argc, argv, purification); }
