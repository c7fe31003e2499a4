// SPDX-License-Identifier: BSD-3-Clause
/// \file  Electrostatic potential of an isolated Gaussian charge, and the gradient of its density. The potential is
/// erf(r / sqrt(2)) / r, and the gradient of the density n is -r n.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <seiche/grid_operator.hpp>

#include "answer.hpp"

constexpr std::int64_t n = 24;
constexpr double length = 14;  // edge of the cubic box, bohr

int potential_of_charge() {
  // [plan]
  seiche::DenseFft<double> fft(MPI_COMM_WORLD, {n, n, n}, {.reproducible = true});  // the same bits in every run
  const seiche::Box mine = fft.grid_box();  // the part of the grid that this rank has
  const auto points = static_cast<std::size_t>(mine.volume());
  // [/plan]
  std::vector<std::array<double, 3>> places;
  std::vector<double> density;
  const double spacing = length / n;
  for (std::int64_t k = mine.axis[2].low; k < mine.axis[2].high; ++k) {
    for (std::int64_t j = mine.axis[1].low; j < mine.axis[1].high; ++j) {
      for (std::int64_t i = mine.axis[0].low; i < mine.axis[0].high; ++i) {
        const auto at = [spacing](std::int64_t index) { return spacing * static_cast<double>(index - n / 2); };
        const double x = at(i), y = at(j), z = at(k);
        places.push_back({x, y, z});
        density.push_back(std::exp(-0.5 * (x * x + y * y + z * z)) / std::pow(2 * std::numbers::pi, 1.5));
      }
    }
  }

  // [operators]
  const std::array<std::array<double, 3>, 3> lattice{{{length, 0, 0}, {0, length, 0}, {0, 0, length}}};
  seiche::GridOperator<double> poisson(fft, lattice, seiche::OperatorKernel::isolated);
  seiche::GridOperator<double> gradient(fft, lattice, seiche::OperatorKernel::gradient);

  std::vector<double> potential(points), slopes(3 * points);  // [z][y][x], [component][z][y][x]
  poisson.apply(density, potential);                          // hartree
  gradient.apply(density, slopes);
  // [/operators]

  double error = 0;
  for (std::size_t p = 0; p < points; ++p) {
    const auto [x, y, z] = places[p];
    const double r = std::sqrt(x * x + y * y + z * z);
    for (std::size_t c = 0; c < 3; ++c) {
      error = std::max(error, std::abs(slopes[c * points + p] + places[p][c] * density[p]));
    }
    if (r > 2) continue;  // near the faces of the box, the potential is not that of the charge
    const double exact = r == 0 ? std::sqrt(2 / std::numbers::pi) : std::erf(r / std::sqrt(2.0)) / r;
    error = std::max(error, std::abs(potential[p] - exact));
  }
  return answer("grid_operator", error, 1e-5, potential);
}

int main(int argc, char** argv) { return run(argc, argv, potential_of_charge); }
