// SPDX-License-Identifier: BSD-3-Clause
#include "support/oracle.hpp"

#include <mpi.h>

#include <cmath>
#include <numbers>
#include <random>

#include "support/mpi_test.hpp"

namespace seiche::testing {

namespace {

/// Transforms all lines along one axis in place. A line has n points with the distance `stride`.
void sum_axis(std::vector<Wide>& values, std::int64_t n, std::int64_t stride, int sign) {
  std::vector<Wide> root(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const long double angle = sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(i) / n;
    root[static_cast<std::size_t>(i)] = {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
  }
  const auto size = static_cast<std::int64_t>(values.size());
  std::vector<double> re(static_cast<std::size_t>(stride)), im(re.size());
  std::vector<Wide> block(static_cast<std::size_t>(n * stride));
  for (std::int64_t start = 0; start < size; start += n * stride) {
    Wide* lines = values.data() + start;
    for (std::int64_t g = 0; g < n; ++g) {
      std::fill(re.begin(), re.end(), 0.0);
      std::fill(im.begin(), im.end(), 0.0);
      for (std::int64_t r = 0; r < n; ++r) {
        const Wide w = root[static_cast<std::size_t>(g * r % n)];
        const Wide* row = lines + r * stride;
        for (std::int64_t i = 0; i < stride; ++i) {
          const auto at = static_cast<std::size_t>(i);
          re[at] += row[i].real() * w.real() - row[i].imag() * w.imag();
          im[at] += row[i].real() * w.imag() + row[i].imag() * w.real();
        }
      }
      for (std::int64_t i = 0; i < stride; ++i) {
        const auto at = static_cast<std::size_t>(i);
        block[static_cast<std::size_t>(g * stride + i)] = {re[at], im[at]};
      }
    }
    std::copy(block.begin(), block.end(), lines);
  }
}

}  // namespace

std::vector<Wide> fourier_sum(const std::vector<Wide>& values, const GridShape& shape, int sign) {
  std::vector<Wide> sums = values;
  sum_axis(sums, shape.nz, shape.nx * shape.ny, sign);
  sum_axis(sums, shape.ny, shape.nx, sign);
  sum_axis(sums, shape.nx, 1, sign);
  return sums;
}

std::vector<Wide> shared_fourier_sum(const std::vector<Wide>& values, const GridShape& shape, int sign) {
  std::vector<Wide> sums(values.size());
  if (rank() == 0) sums = fourier_sum(values, shape, sign);
  MPI_Bcast(sums.data(), static_cast<int>(2 * sums.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return sums;
}

std::vector<Wide> random_values(std::int64_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Wide> values(static_cast<std::size_t>(n));
  for (Wide& value : values) value = {uniform(engine), uniform(engine)};
  return values;
}

}  // namespace seiche::testing
