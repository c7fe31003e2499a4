// SPDX-License-Identifier: BSD-3-Clause
/// \file  Spheres of plane waves on several ranks, and their transforms by sums. Tests compare kernels with them.
#pragma once

#include <array>
#include <complex>
#include <random>
#include <vector>

#include "device/sphere_kernels.hpp"

namespace seiche::testing {

/// In which order the coefficients of the caller are.
enum class WaveOrder { ascending, wrapped, shuffled };

struct SphereCase {
  std::array<int, 3> n;
  std::array<double, 3> radius;  ///< in units of the grid of frequencies
  bool half = false;
  WaveOrder order = WaveOrder::ascending;
  bool holes = false;     ///< some waves, sticks and columns are missing
  int ranks = 1;          ///< columns are dealt to ranks; with holes: sticks are
  bool single = false;
};

/// Plane wave of one coefficient.
struct Wave {
  int x, y, z;
  bool conjugate;  ///< the caller's coefficient belongs to -G
};

/// Sphere with its description for each rank.
class SphereModel {
 public:
  explicit SphereModel(const SphereCase& properties);

  const SphereCase& properties() const { return case_; }
  const std::vector<Wave>& waves() const { return waves_; }
  const DeviceSphere& of_rank(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  int first_plane(int rank) const { return rank * case_.n[2] / case_.ranks; }
  std::size_t points() const { return static_cast<std::size_t>(case_.n[0]) * case_.n[1] * case_.n[2]; }
  /// Returns the number of the first stick value of a source in the array for planes of `rank`.
  std::size_t block(int rank, int source) const;

  /// Returns random coefficients. The coefficient of G = 0 of half spheres is real.
  std::vector<std::complex<double>> coefficients(unsigned seed) const;
  std::vector<std::complex<double>> to_grid(const std::vector<std::complex<double>>& coefficients) const;
  /// Includes the factor 1 / points.
  std::vector<std::complex<double>> from_grid(std::vector<std::complex<double>> grid) const;

 private:
  struct Stick;
  void choose_waves();
  std::vector<Stick> make_sticks() const;
  void describe(const std::vector<Stick>& sticks);

  SphereCase case_;
  std::vector<Wave> waves_;
  std::vector<DeviceSphere> ranks_;
};

}  // namespace seiche::testing
