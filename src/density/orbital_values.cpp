// SPDX-License-Identifier: BSD-3-Clause
/// \file  Each row along x is on one rank. Sums over the grid add up each row, and then all rows in the same order. So
/// phases and values do not depend on the number of ranks.
#include "density/orbital_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "comm/agree.hpp"
#include "comm/check.hpp"
#include "support/size_of.hpp"

namespace seiche {

namespace {

using Complex = std::complex<double>;

/// Returns exp(2 pi i k x / n) for all x.
std::vector<Complex> wave_along(double k, std::int64_t n) {
  std::vector<Complex> values;
  for (std::int64_t x = 0; x < n; ++x) {
    values.push_back(std::polar(1.0, 2 * std::numbers::pi * k * static_cast<double>(x) / static_cast<double>(n)));
  }
  return values;
}

}  // namespace

template <class Use>
void OrbitalValues::each_point(const Use& use) {
  auto next = values.begin();
  const auto& [ax, ay, az] = box_.axis;
  while (next != values.end()) {
    for (std::int64_t z = az.low; z < az.high; ++z) {
      for (std::int64_t y = ay.low; y < ay.high; ++y) {
        for (std::int64_t x = ax.low; x < ax.high; ++x) use(x, y, z, *next++);
      }
    }
  }
}

void OrbitalValues::turn(const Complex& phase) {
  for (Complex& value : values) value *= phase;
}

template <class Of>
Complex OrbitalValues::sum(const Of& of) {
  std::vector<Complex> rows;
  together(comm_, [&] { rows.resize(size_of(grid_.ny * grid_.nz)); });
  each_point([&](std::int64_t, std::int64_t y, std::int64_t z, const Complex& value) {
    rows[size_of(z * grid_.ny + y)] += of(value);
  });
  check(MPI_Allreduce(MPI_IN_PLACE, rows.data(), mpi_count(2 * std::ssize(rows)), MPI_DOUBLE, MPI_SUM, comm_.get()),
        "MPI_Allreduce");
  Complex all = 0;
  for (const Complex& row : rows) all += row;
  return all;
}

template <class Size>
Complex OrbitalValues::largest(const Size& size) {
  constexpr double nearly = 1 - 1e-6;
  double most = 0;
  for (const Complex& value : values) most = std::max(most, size(value));
  most = maximum(comm_, most);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = none;
  Complex found = 0;
  std::int64_t number = 0;
  const std::int64_t points = box_.volume();
  each_point([&](std::int64_t x, std::int64_t y, std::int64_t z, const Complex& value) {
    const std::int64_t component = number++ / points;
    const std::int64_t place = x + grid_.nx * (y + grid_.ny * (z + grid_.nz * component));
    if (place >= first || size(value) < nearly * most) return;
    first = place;
    found = value;
  });
  const std::int64_t of_all = -maximum(comm_, first == none ? -none : -first);
  std::array<double, 2> parts{};
  if (first == of_all) parts = {found.real(), found.imag()};
  check(MPI_Allreduce(MPI_IN_PLACE, parts.data(), 2, MPI_DOUBLE, MPI_SUM, comm_.get()), "MPI_Allreduce");
  return {parts[0], parts[1]};
}

void OrbitalValues::add_bloch_wave(const Vector3& k) {
  const auto along_x = wave_along(k[0], grid_.nx), along_y = wave_along(k[1], grid_.ny),
             along_z = wave_along(k[2], grid_.nz);
  each_point([&](std::int64_t x, std::int64_t y, std::int64_t z, Complex& value) {
    value *= along_x[size_of(x)] * (along_y[size_of(y)] * along_z[size_of(z)]);
  });
}

void OrbitalValues::fix_phase() {
  constexpr double next_to_nothing = 1e-6;
  const Complex squares = sum([](const Complex& value) { return value * value; });
  const double norm = sum([](const Complex& value) { return Complex(std::norm(value)); }).real();
  if (norm == 0) return;
  if (std::abs(squares) > next_to_nothing * norm) {
    turn(std::polar(1.0, -std::arg(squares) / 2));
  } else {
    turn(std::polar(1.0, -std::arg(largest([](const Complex& value) { return std::abs(value); }))));
  }
  if (largest([](const Complex& value) { return std::abs(value.real()); }).real() < 0) turn(-1);
}

}  // namespace seiche
