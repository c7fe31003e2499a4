// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of kernels of spheres, which compare results with sums over all waves and points.
#pragma once

#include <algorithm>
#include <complex>
#include <span>
#include <vector>

#include "cuda/ranks.hpp"
#include "support/fftw_oracle.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

/// Index of a wave in the whole grid, and of its opposite.
inline std::size_t point_of(const SphereCase& c, const Wave& w, int sign) {
  const auto wrap = [sign](std::int32_t g, std::int64_t n) { return (sign * g % n + n) % n; };
  return static_cast<std::size_t>((wrap(w.z, c.shape.nz) * c.shape.ny + wrap(w.y, c.shape.ny)) * c.shape.nx +
                                  wrap(w.x, c.shape.nx));
}

/// Transforms by the definition, or by FFTW where that takes too long.
inline std::vector<Wide> transform_of(const std::vector<Wide>& values, const GridShape& shape, int sign) {
  constexpr std::size_t large = 50 * 50 * 50;
  return values.size() > large ? by_fftw(values, shape, sign) : fourier_sum(values, shape, sign);
}

/// Grid values of coefficients.
inline std::vector<Wide> on_grid(const SphereCase& c, const std::vector<Wave>& waves,
                                 const std::vector<Wide>& coefficients) {
  std::vector<Wide> grid(static_cast<std::size_t>(c.shape.nx * c.shape.ny * c.shape.nz));
  for (std::size_t w = 0; w < waves.size(); ++w) {
    if (c.half) grid[point_of(c, waves[w], -1)] = std::conj(coefficients[w]);
    grid[point_of(c, waves[w], 1)] = coefficients[w];
  }
  return transform_of(grid, c.shape, 1);
}

/// Coefficients of grid values.
inline std::vector<Wide> on_waves(const SphereCase& c, const std::vector<Wave>& waves, const std::vector<Wide>& grid) {
  const auto sums = transform_of(grid, c.shape, -1);
  std::vector<Wide> coefficients;
  for (const Wave& wave : waves) coefficients.push_back(sums[point_of(c, wave, 1)] / static_cast<double>(grid.size()));
  return coefficients;
}

/// Rows of random coefficients. That of G = 0 is real in a half sphere.
inline std::vector<std::vector<Wide>> random_rows(const SphereCase& c, const std::vector<Wave>& waves,
                                                  std::size_t rows) {
  std::vector<std::vector<Wide>> all;
  for (std::size_t row = 0; row < rows; ++row) {
    all.push_back(random_values(static_cast<std::int64_t>(waves.size()), static_cast<unsigned>(row)));
    for (std::size_t w = 0; w < waves.size(); ++w) {
      if (c.half && waves[w].x == 0 && waves[w].y == 0 && waves[w].z == 0) all[row][w] = all[row][w].real();
      if (c.single) all[row][w] = Wide(std::complex<float>(all[row][w]));
    }
  }
  return all;
}

/// Real fields on the planes of one rank.
template <class T>
std::vector<T> part_of(const SphereCase& c, const Share& share, const std::vector<std::vector<double>>& fields) {
  std::vector<T> values;
  const std::int64_t plane = c.shape.nx * c.shape.ny;
  for (const auto& field : fields) {
    const auto first = field.begin() + share.first_plane * plane;
    std::transform(first, first + share.sphere.planes * plane, std::back_inserter(values),
                   [](double v) { return static_cast<T>(v); });
  }
  return values;
}

inline std::vector<std::vector<double>> random_fields(const SphereCase& c, std::size_t count) {
  std::vector<std::vector<double>> fields;
  for (std::size_t f = 0; f < count; ++f) {
    fields.emplace_back();
    for (const Wide& value : random_values(c.shape.nx * c.shape.ny * c.shape.nz, 100 + static_cast<unsigned>(f)))
      fields.back().push_back(c.single ? static_cast<float>(value.real()) : value.real());
  }
  return fields;
}

/// A test of one case with values of one precision.
template <class Real>
class Trial {
 public:
  using Number = std::complex<Real>;

  Trial(const SphereCase& c, std::size_t rows)
      : c_(c), waves_(waves_of(c)), rows_(rows), ranks_(c, waves_, rows), psi_(random_rows(c, waves_, rows)) {
    for (const auto& row : psi_) grids_.push_back(on_grid(c, waves_, row));
  }

  void multiplies(bool spinors, bool adds) {
    const auto fields = random_fields(c_, spinors ? 4 : 1);
    ranks_.to_planes(psi_);
    for (std::size_t rank = 0; rank < ranks_.shares().size(); ++rank) {
      const DeviceArray<Real> potential(ranks_.stream(), part_of<Real>(c_, ranks_.shares()[rank], fields));
      PlaneArrays arrays;
      const auto planes = ranks_.planes(rank);
      const auto in = ranks_.const_pointers(planes);
      arrays.in = in;
      arrays.out = planes;
      arrays.potential = potential.data();
      ranks_.kernels(rank).planes(ranks_.stream(), spinors ? PlaneWork::spinor_potential : PlaneWork::potential,
                                  arrays);
      ranks_.stream().record()->wait();
    }
    auto expected = grids_;
    for (std::size_t row = 0; row < rows_; ++row) {
      for (std::size_t p = 0; p < expected[row].size(); ++p)
        expected[row][p] = spinors ? times_spin(row, p, fields) : grids_[row][p] * fields[0][p];
    }
    expect_coefficients(expected, adds);
  }

  void adds_densities(bool magnetism) {
    const auto fields = random_fields(c_, magnetism ? 4 : 1);
    std::vector<double> weights;
    for (std::size_t row = 0; row < rows_; ++row)
      weights.push_back(0.25 * static_cast<double>((magnetism ? row / 2 : row) + 1));
    ranks_.to_planes(psi_);
    const auto expected = with_densities(fields, weights, magnetism);
    for (std::size_t rank = 0; rank < ranks_.shares().size(); ++rank) {
      const DeviceArray<double> density(ranks_.stream(), part_of<double>(c_, ranks_.shares()[rank], fields));
      PlaneArrays arrays;
      const auto in = ranks_.const_pointers(ranks_.planes(rank));
      arrays.in = in;
      arrays.density = density.data();
      arrays.weights = weights;
      ranks_.kernels(rank).planes(ranks_.stream(), magnetism ? PlaneWork::magnetization : PlaneWork::density, arrays);
      const auto values = density.values(ranks_.stream());
      const auto wanted = part_of<double>(c_, ranks_.shares()[rank], expected);
      expect_close<double>(values, wanted, of_grid(wanted));
    }
  }

  /// Rows of grid values are neighbours in one array, so that real rows of an odd number of points begin at odd
  /// indices.
  void stores_and_reads() {
    ranks_.to_planes(psi_);
    std::vector<DeviceArray<char>> stored;  // by rank: real values of half spheres, else complex values
    for (std::size_t rank = 0; rank < ranks_.shares().size(); ++rank) {
      const Share& share = ranks_.shares()[rank];
      const auto points = static_cast<std::size_t>(share.sphere.planes * c_.shape.nx * c_.shape.ny);
      const std::size_t bytes = points * (c_.half ? sizeof(Real) : sizeof(Number));
      stored.emplace_back(rows_ * bytes);
      std::vector<void*> grid;
      for (std::size_t row = 0; row < rows_; ++row) grid.push_back(stored[rank].data() + row * bytes);
      const auto out = ranks_.planes(rank);
      const auto in = ranks_.const_pointers(out);
      PlaneArrays arrays;
      arrays.in = in;
      arrays.grid = grid;
      ranks_.kernels(rank).planes(ranks_.stream(), PlaneWork::to_grid, arrays);
      const std::vector<char> values = stored[rank].values(ranks_.stream());
      for (std::size_t row = 0; row < rows_; ++row)
        expect_grid(share, std::span(values).subspan(row * bytes, bytes), grids_[row]);
      for (void* planes : out)
        ranks_.stream().zero(planes, static_cast<std::size_t>(share.plane_array) * sizeof(Number));
      arrays.in = {};
      arrays.out = out;
      ranks_.kernels(rank).planes(ranks_.stream(), PlaneWork::from_grid, arrays);
    }
    expect_coefficients(grids_, false);
  }

 private:
  double tolerance() const { return c_.single ? 2e-4 : 1e-12; }
  /// Values on the grid are sums over all waves: rounding errors are proportional to the largest one.
  template <class T>
  double of_grid(const std::vector<T>& expected) const {
    double largest = 0;
    for (const T& value : expected) largest = std::max(largest, std::abs(value));
    return (c_.single ? 1e-5 : 1e-13) * largest;
  }

  Wide times_spin(std::size_t row, std::size_t p, const std::vector<std::vector<double>>& f) const {
    const Wide up = grids_[row / 2 * 2][p], down = grids_[row / 2 * 2 + 1][p], b(f[1][p], f[2][p]);
    return row % 2 == 0 ? (f[0][p] + f[3][p]) * up + std::conj(b) * down : (f[0][p] - f[3][p]) * down + b * up;
  }

  /// Densities n, mx, my, mz: <psi| sigma |psi>
  std::vector<std::vector<double>> with_densities(std::vector<std::vector<double>> sums,
                                                  const std::vector<double>& weights, bool magnetism) const {
    for (std::size_t p = 0; p < sums[0].size(); ++p) {
      for (std::size_t row = 0; row < rows_; ++row) sums[0][p] += weights[row] * std::norm(grids_[row][p]);
      for (std::size_t row = 0; magnetism && row < rows_; row += 2) {
        const Wide up = grids_[row][p], down = grids_[row + 1][p], i(0, 1);
        sums[1][p] += weights[row] * (std::conj(up) * down + std::conj(down) * up).real();
        sums[2][p] += weights[row] * (-i * std::conj(up) * down + i * std::conj(down) * up).real();
        sums[3][p] += weights[row] * (std::norm(up) - std::norm(down));
      }
    }
    return sums;
  }

  /// Compares the planes of all ranks, as coefficients, with those of grid values.
  void expect_coefficients(const std::vector<std::vector<Wide>>& grids, bool adds) {
    const auto values = ranks_.from_planes(psi_, adds);
    for (std::size_t row = 0; row < rows_; ++row) {
      auto expected = on_waves(c_, waves_, grids[row]);
      for (std::size_t w = 0; adds && w < expected.size(); ++w) expected[w] += psi_[row][w];
      expect_close<Wide>(values[row], expected, tolerance());
    }
  }

  void expect_grid(const Share& share, std::span<const char> bytes, const std::vector<Wide>& grid) {
    const auto first = static_cast<std::size_t>(share.first_plane * c_.shape.nx * c_.shape.ny);
    const std::size_t points = bytes.size() / (c_.half ? sizeof(Real) : sizeof(Number));
    std::vector<Wide> values, expected(grid.begin() + static_cast<std::ptrdiff_t>(first),
                                       grid.begin() + static_cast<std::ptrdiff_t>(first + points));
    for (std::size_t p = 0; p < points; ++p)
      values.push_back(c_.half ? Wide(reinterpret_cast<const Real*>(bytes.data())[p])
                               : Wide(reinterpret_cast<const Number*>(bytes.data())[p]));
    expect_close<Wide>(values, expected, of_grid(expected));
  }

  SphereCase c_;
  std::vector<Wave> waves_;
  std::size_t rows_;
  Ranks<Real> ranks_;
  std::vector<std::vector<Wide>> psi_, grids_;  // by row
};

}  // namespace seiche::testing
