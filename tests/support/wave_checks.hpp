// SPDX-License-Identifier: BSD-3-Clause
/// \file  Shared functions of format tests: files written by one rank, and checks for wavefunctions of any format.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <tuple>
#include <vector>

#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/foreign_files.hpp"

namespace seiche::testing {

using Complex = std::complex<double>;

inline Range mine_of(std::int64_t n) { return block(n, ranks(), rank()); }

inline void open(const std::string& path) { const WaveFile file(MPI_COMM_WORLD, path); }

/// Collective. Writes a file on one rank. Returns the path.
template <class Write>
std::string written(const ScratchDirectory& scratch, const char* name, Write write) {
  const std::string path = scratch.file(name);
  if (rank() == 0) write(path);
  MPI_Barrier(MPI_COMM_WORLD);
  return path;
}

/// Checks that the waves are all waves within the cutoff, each once. This tests k-points, cells, cutoffs and indices.
inline void expect_spheres(const WaveFile& file) {
  const OrbitalHeader& h = file.header();
  const auto b = h.crystal.reciprocal();
  for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
    const KPoint& point = h.kpoints[static_cast<std::size_t>(k)];
    // Each rank reads all waves; other tests compare parts.
    auto waves = file.waves(0, k, {0, point.plane_waves});
    auto sphere = sphere_of_waves(b, point.k, h.cutoff * (1 + 1e-9), h.half_sphere);
    const auto before = [](const Miller& p, const Miller& q) {
      return std::tuple(p.x, p.y, p.z) < std::tuple(q.x, q.y, q.z);
    };
    for (Miller& g : waves) {
      if (h.half_sphere && !in_half(g)) g = {-g.x, -g.y, -g.z};
    }
    std::sort(waves.begin(), waves.end(), before);
    std::sort(sphere.begin(), sphere.end(), before);
    expect_equal(waves, sphere);
  }
}

/// Collective. Returns <m|n> of all bands at a k-point, summed over the parts of the ranks.
inline std::vector<Complex> overlaps(const WaveFile& file, int spin, int k) {
  const OrbitalHeader& h = file.header();
  const Range mine = mine_of(h.kpoints[static_cast<std::size_t>(k)].plane_waves);
  const auto waves = file.waves(spin, k, mine);
  const auto c = file.coefficients(spin, k, {0, h.bands}, mine);
  const auto bands = static_cast<std::size_t>(h.bands), length = c.size() / bands;
  std::vector<Complex> sums(bands * bands);
  for (std::size_t m = 0; m < bands; ++m) {
    for (std::size_t n = 0; n < bands; ++n) {
      for (std::size_t i = 0; i < length; ++i) {
        const Complex product = std::conj(c[m * length + i]) * c[n * length + i];
        const bool paired = h.half_sphere && !(waves[i % waves.size()] == Miller{});
        sums[m * bands + n] += paired ? 2 * product.real() : product;
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_C_DOUBLE_COMPLEX, MPI_SUM,
                MPI_COMM_WORLD);
  return sums;
}

inline void expect_orthonormal(const WaveFile& file, double tolerance) {
  const OrbitalHeader& h = file.header();
  std::vector<Complex> unit(static_cast<std::size_t>(h.bands * h.bands));
  for (int n = 0; n < h.bands; ++n) unit[static_cast<std::size_t>(n * (h.bands + 1))] = 1;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      expect_close<Complex>(overlaps(file, spin, k), unit, tolerance);
    }
  }
}

/// Checks that each rank reads the coefficients of coefficient_of() for its part of the waves.
inline void expect_known_coefficients(const std::string& path) {
  const WaveFile file(MPI_COMM_WORLD, path);
  const OrbitalHeader& h = file.header();
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const Range mine = mine_of(h.kpoints[static_cast<std::size_t>(k)].plane_waves);
      const auto waves = file.waves(spin, k, mine);
      const Range bands{1, h.bands};
      const auto c = file.coefficients(spin, k, bands, mine);
      std::vector<Complex> expected;
      for (std::int64_t band = bands.low; band < bands.high; ++band) {
        for (int component = 0; component < h.spinor; ++component) {
          for (const Miller& g : waves) {
            expected.push_back(coefficient_of(g, spin, k, static_cast<int>(band), component));
          }
        }
      }
      expect_close<Complex>(c, expected, 1e-6);
    }
  }
}

}  // namespace seiche::testing
