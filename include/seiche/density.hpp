// SPDX-License-Identifier: BSD-3-Clause
/// \file  Electron densities: from wavefunctions, from files, symmetrised, compared, written.
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

inline constexpr const char* electrons_per_volume = "electrons per bohr^3";

/// A density on its grid, distributed over ranks in boxes whose rows along x are whole (see SphereFft::grid_box).
/// components[0] is the total; then nothing, or m_z (up - down), or m_x, m_y, m_z. From a file it may be another
/// quantity. A potential has its mean over spins; then nothing, or half of up - down, or the field B_x, B_y, B_z. A
/// file of text may have any components.
/// For one thread at a time: see communicator.hpp.
struct Density {
  Communicator comm;
  Crystal crystal{};
  GridShape grid{};
  Box box{};                                      ///< the part held by this rank
  std::vector<std::vector<double>> components{};  ///< each box.volume() values, x fastest
  double cutoff = 0;                              ///< of its sphere of waves, hartree; 0: not known
  bool half_sphere = false;                       ///< its code keeps one of each pair of waves G, -G
  std::string units = electrons_per_volume;       ///< of the values
};

/// How a density is summed.
struct DensityOptions {
  FftOptions fft{.reproducible = true};
  Policy policy{};                                 ///< of bands on their way to transforms, as in MoveOptions
  std::function<void(double done)> on_progress{};  ///< called on every rank with the fraction done, 0 to 1
  std::map<std::string, double>* seconds =
      nullptr;                        ///< where to add the seconds of each stage: read, transform, symmetrise
  bool as_they_are = false;           ///< the bands' own sum, whether or not it holds the header's electrons
  std::vector<double> occupations{};  ///< [spin][k][band], in place of the header's: of a partial density (filled())
  bool symmetric = true;              ///< false: not averaged over the crystal's operations
};

/// Collective. The density of orbitals in memory, however they are spread: sum over spins, k-points and bands of
/// weight x occupation x |psi(r)|^2, cut off at the density's own sphere of waves and symmetrised by the crystal's
/// operations. \throws Error unless it holds the electrons of the header within 1e-6 of them, as it does not where
/// bands lack augmentation charges or are missing
Density density_of(const Orbitals& orbitals, const DensityOptions& options = {});

/// Collective. Makes of a code's own sum over bands, such as SphereFft::add_density gives for the k-points of `header`,
/// the density of the crystal: cut off at the sphere of waves within header.density_cutoff, and the mean over the
/// crystal's operations where header.averaged says so. It changes in place, on the grid on which it is. \throws Error
/// unless that is the header's grid, shared out as SphereFft does
void symmetrize(Density& density, const OrbitalHeader& header, const FftOptions& options = {.reproducible = true});

/// Collective. Largest |a - b| over the grid, over the largest |b|: of the total, and of the magnetisation (as a
/// vector).
struct Deviation {
  double density = 0;
  std::optional<double> magnetisation;
  double largest() const { return magnetisation && *magnetisation > density ? *magnetisation : density; }
};
/// Collective. \throws Error unless both lie on the same grid, shared out alike
Deviation compare(const Density& a, const Density& b);

/// Collective. Electrons in the cell, and the integrals of the magnetisation's components; summed in an order that does
/// not depend on the number of ranks.
std::vector<double> integrals(const Density& density);

}  // namespace seiche
