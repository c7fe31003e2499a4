// SPDX-License-Identifier: BSD-3-Clause
/// \file  Exact exchange by explicit convolution of coefficients, without Fourier transforms. All ranks have all
/// orbitals here.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "seiche/exact_exchange.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

using Complex = std::complex<double>;

/// Orbitals of one set of waves: coefficients [orbital][component][wave].
struct Orbitals {
  std::vector<Miller> waves;
  std::int64_t count = 0;
  std::int64_t components = 1;
  std::vector<Complex> values{};

  const Complex* row(std::int64_t orbital, std::int64_t component) const {
    return values.data() + (orbital * components + component) * std::ssize(waves);
  }
};

/// A number between -1 and 1 that depends on its arguments only.
inline double noise(std::int64_t a, std::int64_t b, const Miller& g) {
  const double x = std::sin(12.9898 * static_cast<double>(a) + 78.233 * static_cast<double>(b) + 37.719 * g.x +
                            11.135 * g.y + 5.313 * g.z) *
                   43758.5453;
  return 2 * (x - std::floor(x)) - 1;
}

/// `half`: the waves are a half sphere. Then c(0) is real.
inline Orbitals make_orbitals(const std::vector<Miller>& waves, std::int64_t count, std::int64_t components,
                              std::int64_t seed, bool half) {
  Orbitals made{waves, count, components};
  for (std::int64_t row = 0; row < count * components; ++row) {
    for (const Miller& g : waves) {
      const bool real = half && g == Miller{};
      made.values.emplace_back(noise(seed + row, 1, g), real ? 0 : noise(seed + row, 2, g));
    }
  }
  return made;
}

/// Returns the waves of a sphere that have a place on the grid, and whose opposite has one. `at`: centre.
inline std::vector<Miller> sphere(const GridShape& shape, double radius, double at, bool half) {
  std::vector<Miller> all;
  const auto most = [](std::int64_t n) { return static_cast<std::int32_t>((n - 1) / 2); };
  for (std::int32_t x = -most(shape.nx); x <= most(shape.nx); ++x) {
    for (std::int32_t y = -most(shape.ny); y <= most(shape.ny); ++y) {
      for (std::int32_t z = -most(shape.nz); z <= most(shape.nz); ++z) {
        const bool inside = (x - at) * (x - at) + y * y + z * z <= radius * radius;
        if (inside && (!half || in_half({x, y, z}))) all.push_back({x, y, z});
      }
    }
  }
  return all;
}

/// Returns a kernel that has no symmetry unless `q` is 0.
inline double kernel_of(const Miller& g, double q) {
  return 2 / (0.5 + (g.x + q) * (g.x + q) + 1.5 * g.y * g.y + 0.5 * g.z * g.z) + (q == 0 ? 0 : 0.1 * noise(3, 4, g));
}

class DirectSum {
 public:
  DirectSum(const GridShape& shape, const std::vector<Miller>& density_waves, double q, bool half)
      : shape_(shape), half_(half), kernel_(static_cast<std::size_t>(shape.volume())) {
    for (const Miller& g : density_waves) {
      kernel_[place(g)] = kernel_of(g, q);
      if (half) kernel_[place({-g.x, -g.y, -g.z})] = kernel_of(g, q);
    }
  }
  /// Returns the coefficients of V_x of all targets.
  std::vector<Complex> apply(const Orbitals& occupied, const std::vector<double>& weights,
                             const Orbitals& targets) const {
    std::vector<Complex> result(targets.values.size());
    const auto waves = full(targets.waves);
    for (std::int64_t i = 0; i < targets.count; ++i) {
      for (std::int64_t j = 0; j < occupied.count; ++j) {
        const auto potential = potential_of(occupied, j, targets, i);
        for (std::int64_t c = 0; c < targets.components; ++c) {
          const auto psi = full_row(occupied, j, c);
          const auto sphere = full(occupied.waves);
          for (std::int64_t w = 0; w < std::ssize(targets.waves); ++w) {  // the first half is the given one
            Complex sum = 0;
            for (std::size_t k = 0; k < sphere.size(); ++k) {
              sum += psi[k] * potential[place(minus(waves[static_cast<std::size_t>(w)], sphere[k]))];
            }
            result[static_cast<std::size_t>((i * targets.components + c) * std::ssize(targets.waves) + w)] -=
                weights[static_cast<std::size_t>(j)] * sum;
          }
        }
      }
    }
    return result;
  }
  /// Returns 1/2 sum_i weights[i] <psi_i|values_i>.
  double energy(const Orbitals& targets, const std::vector<double>& weights, const std::vector<Complex>& values) const {
    double sum = 0;
    const std::int64_t waves = std::ssize(targets.waves);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto n = static_cast<std::int64_t>(i);
      const bool twice = half_ && !(targets.waves[static_cast<std::size_t>(n % waves)] == Miller{});
      sum += 0.5 * weights[static_cast<std::size_t>(n / waves / targets.components)] *
             (std::conj(targets.values[i]) * values[i]).real() * (twice ? 2 : 1);
    }
    return sum;
  }

 private:
  static Miller minus(const Miller& a, const Miller& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  std::size_t place(const Miller& g) const {
    const auto wrap = [](std::int64_t i, std::int64_t n) { return ((i % n) + n) % n; };
    return static_cast<std::size_t>((wrap(g.z, shape_.nz) * shape_.ny + wrap(g.y, shape_.ny)) * shape_.nx +
                                    wrap(g.x, shape_.nx));
  }
  /// Returns the waves of the full sphere: the given ones, then the opposites that a half sphere omits.
  std::vector<Miller> full(const std::vector<Miller>& waves) const {
    std::vector<Miller> all = waves;
    for (const Miller& g : waves) {
      if (half_ && !(g == Miller{})) all.push_back({-g.x, -g.y, -g.z});
    }
    return all;
  }
  std::vector<Complex> full_row(const Orbitals& of, std::int64_t orbital, std::int64_t component) const {
    std::vector<Complex> all(of.row(orbital, component), of.row(orbital, component) + of.waves.size());
    for (std::size_t i = 0; i < of.waves.size(); ++i) {
      if (half_ && !(of.waves[i] == Miller{})) all.push_back(std::conj(all[i]));
    }
    return all;
  }
  /// Returns the coefficients of the potential of a pair.
  std::vector<Complex> potential_of(const Orbitals& occupied, std::int64_t j, const Orbitals& targets,
                                    std::int64_t i) const {
    std::vector<Complex> pair(kernel_.size());
    const auto from = full(occupied.waves), to = full(targets.waves);
    for (std::int64_t c = 0; c < targets.components; ++c) {
      const auto a = full_row(occupied, j, c), b = full_row(targets, i, c);
      for (std::size_t m = 0; m < from.size(); ++m) {
        for (std::size_t n = 0; n < to.size(); ++n) pair[place(minus(to[n], from[m]))] += std::conj(a[m]) * b[n];
      }
    }
    for (std::size_t g = 0; g < pair.size(); ++g) pair[g] *= kernel_[g];
    return pair;
  }

  GridShape shape_;
  bool half_;
  std::vector<double> kernel_;
};

/// Tells which waves this rank has: whole sticks, or every n-th wave.
inline std::vector<std::size_t> mine_of(const std::vector<Miller>& waves, bool sticks) {
  const auto owners = balanced_owners(waves, ranks());
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < waves.size(); ++i) {
    if ((sticks ? owners[i] : static_cast<int>(i) % ranks()) == rank()) mine.push_back(i);
  }
  return mine;
}
template <class T>
std::vector<T> part(const std::vector<T>& all, const std::vector<std::size_t>& positions) {
  std::vector<T> some;
  for (const std::size_t i : positions) some.push_back(all[i]);
  return some;
}
/// Returns this rank's part of rows of coefficients. `length`: of the rows; longer than the number of waves, they
/// contain NaN beyond them.
inline std::vector<Complex> part_of_rows(const std::vector<Complex>& all, std::size_t waves,
                                         const std::vector<std::size_t>& positions, std::size_t length = 0) {
  std::vector<Complex> some;
  length = std::max(length, positions.size());
  for (std::size_t row = 0; row + waves <= all.size(); row += waves) {
    for (const std::size_t i : positions) some.push_back(all[row + i]);
    some.insert(some.end(), length - positions.size(), Complex(std::nan(""), 0));
  }
  return some;
}

}  // namespace seiche::testing
