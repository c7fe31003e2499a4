// SPDX-License-Identifier: BSD-3-Clause
/// \file  Product of two fields without aliasing. The fields are interpolated to a finer grid and multiplied, and the
/// product is interpolated back. cos(3x + 2y + z) cos(3x + y) = cos(y + z)/2 + cos(6x + 3y + z)/2. The grid does not
/// have the second wave.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <seiche/grid_interpolation.hpp>

#include "answer.hpp"

constexpr std::int64_t n = 8, n_fine = 12;

/// Returns cos(a x + b y + c z) on this rank. The edges of the cell are 2 pi.
std::vector<double> wave(const seiche::Box& mine, int a, int b, int c) {
  std::vector<double> values;
  for (std::int64_t k = mine.axis[2].low; k < mine.axis[2].high; ++k) {
    for (std::int64_t j = mine.axis[1].low; j < mine.axis[1].high; ++j) {
      for (std::int64_t i = mine.axis[0].low; i < mine.axis[0].high; ++i) {
        values.push_back(std::cos(2 * std::numbers::pi / n * static_cast<double>(a * i + b * j + c * k)));
      }
    }
  }
  return values;
}

int product_without_aliasing() {
  // [plans]
  seiche::DenseFft<double> coarse(MPI_COMM_WORLD, {n, n, n}, {.reproducible = true});  // the same bits in every run
  seiche::DenseFft<double> fine(MPI_COMM_WORLD, {n_fine, n_fine, n_fine}, {.reproducible = true});
  const auto points = static_cast<std::size_t>(coarse.grid_box().volume());  // on this rank
  const auto fine_points = static_cast<std::size_t>(fine.grid_box().volume());
  // [/plans]
  std::vector<double> fields = wave(coarse.grid_box(), 3, 2, 1);  // [field][z][y][x]
  const std::vector<double> other = wave(coarse.grid_box(), 3, 1, 0);
  fields.insert(fields.end(), other.begin(), other.end());

  // [product]
  seiche::GridInterpolation<double> up(coarse, fine, 2);  // two fields in a call
  seiche::GridInterpolation<double> down(fine, coarse);

  std::vector<double> on_fine(2 * fine_points), product(points);
  up.apply(fields, on_fine);
  for (std::size_t p = 0; p < fine_points; ++p) on_fine[p] *= on_fine[fine_points + p];
  on_fine.resize(fine_points);
  down.apply(on_fine, product);
  // [/product]

  const std::vector<double> exact = wave(coarse.grid_box(), 0, 1, 1);
  double error = 0;
  for (std::size_t p = 0; p < points; ++p) error = std::max(error, std::abs(product[p] - exact[p] / 2));
  return answer("grid_interpolation", error, 1e-13, product);
}

int main(int argc, char** argv) { return run(argc, argv, product_without_aliasing); }
