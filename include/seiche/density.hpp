// SPDX-License-Identifier: BSD-3-Clause
/// \file  Electron densities: summation over bands, symmetrization and comparison.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "seiche/fft.hpp"
#include "seiche/layout.hpp"
#include "seiche/orbitals.hpp"

namespace seiche {

inline constexpr const char* electrons_per_volume = "electrons per bohr^3";  ///< Unit of a density.

/// A density or another quantity on a grid. It is distributed over ranks in boxes with whole rows along x (see
/// SphereFft::grid_box). Components of a density: the total; then none, or m_z (up - down), or m_x, m_y, m_z.
/// Components of a potential: the mean over spins; then none, or half of (up - down), or the field B_x, B_y, B_z. A
/// text file may have any components. One thread at a time may use it (see communicator.hpp).
struct Density {
  Communicator comm;                              ///< communicator of the ranks
  Crystal crystal{};                              ///< cell, atoms and symmetry
  GridShape grid{};                               ///< shape of the whole grid
  Box box{};                                      ///< this rank's part of the grid
  std::vector<std::vector<double>> components{};  ///< [component][box.volume()], x fastest
  double cutoff = 0;                              ///< cutoff of its sphere of waves, hartree; 0: unknown
  bool half_sphere = false;                       ///< the code stores one of each pair of waves G, -G
  std::string units = electrons_per_volume;       ///< unit of the values
};

/// Options for the summation of a density.
struct DensityOptions {
  FftOptions fft{.reproducible = true};            ///< options of the transforms
  Policy policy{};                                 ///< communication of bands to the transforms, as in MoveOptions
  std::function<void(double done)> on_progress{};  ///< called on every rank with the completed fraction, 0 to 1
  /// Receives the seconds of each stage (read, transform, symmetrise), added to existing entries.
  std::map<std::string, double>* seconds = nullptr;
  bool as_they_are = false;           ///< do not check the number of electrons
  std::vector<double> occupations{};  ///< [spin][k][band], instead of the header's; for partial densities (filled())
  bool symmetric = true;              ///< average over the symmetry operations of the crystal
};

/// Collective. Computes the density of orbitals with any distribution. It is the sum over spins, k-points and bands of
/// weight * occupation * |psi(r)|^2. It is truncated to the sphere of the density cutoff and symmetrized.
/// \throws Error if the number of electrons differs from the header's by more than 1e-6 of it. This happens if bands
/// are missing, or lack augmentation charges
Density density_of(const Orbitals& orbitals, const DensityOptions& options = {});

/// Collective. Symmetrizes, in place, a sum over bands such as SphereFft::add_density() returns. The sum is truncated
/// to the sphere of header.density_cutoff. If header.averaged is set, it is also averaged over the symmetry operations.
/// \throws Error unless the density has the header's grid and the distribution of SphereFft
void symmetrize(Density& density, const OrbitalHeader& header, const FftOptions& options = {.reproducible = true});

/// Deviation between two densities a and b: the largest |a - b| divided by the largest |b|.
struct Deviation {
  double density = 0;                   ///< of the total
  std::optional<double> magnetisation;  ///< of the magnetization, as a vector; none if there is none
  /// Returns the larger of the two.
  double largest() const { return magnetisation && *magnetisation > density ? *magnetisation : density; }
};
/// Collective. Compares two densities. \throws Error unless both have the same grid and distribution
Deviation compare(const Density& a, const Density& b);

/// Collective. Returns the integral of each component over the cell: the number of electrons, then the magnetic
/// moments. The order of summation does not depend on the number of ranks.
std::vector<double> integrals(const Density& density);

}  // namespace seiche
