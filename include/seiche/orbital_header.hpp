// SPDX-License-Identifier: BSD-3-Clause
/// \file  Metadata of a set of orbitals: crystal, k-points, cutoffs, energies and occupations. Energies are in hartree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "seiche/crystal.hpp"
#include "seiche/layout.hpp"

namespace seiche {

/// A k-point of a set.
struct KPoint {
  Vector3 k{};                   ///< in units of b1, b2, b3
  double weight = 0;             ///< all weights sum to 1
  std::int64_t plane_waves = 0;  ///< number of plane waves
};

/// Components of the magnetization: none, m_z, or a vector.
enum class Magnetism { none, collinear, vector };

/// Whether bands are orthonormal and contain the whole density. Bands of ultrasoft pseudopotentials and of PAW lack the
/// augmentation charges. `unknown`: the file does not tell, and the norms of its bands are not 1.
enum class NormConserving { no, yes, unknown };

/// Returns the number of components of a density, including the total.
constexpr int components_of(Magnetism magnetism) {
  return magnetism == Magnetism::none ? 1 : magnetism == Magnetism::collinear ? 2 : 4;
}

/// Metadata of a set of orbitals: the contents of a wavefunction file except the coefficients.
struct OrbitalHeader {
  std::string format;              ///< e.g. "Quantum ESPRESSO .save (dat)"
  std::string path;                ///< file that the set was read from
  Crystal crystal;                 ///< cell, atoms and symmetry
  GridShape grid;                  ///< FFT grid of the density
  double cutoff = 0;               ///< wavefunction cutoff, hartree
  double density_cutoff = 0;       ///< density cutoff, hartree
  std::int64_t density_waves = 0;  ///< number of waves within the density cutoff, as in the file; 0: unknown
  int spins = 1;                   ///< number of sets of bands, 1 or 2
  int spinor = 1;                  ///< components of one wavefunction, 1 or 2
  bool half_sphere = false;        ///< one of each pair G, -G is stored: c(-G) = conj c(G)
  NormConserving norm_conserving = NormConserving::yes;  ///< whether bands are orthonormal
  bool averaged = true;                   ///< whether the code averages its density over the symmetry operations
  Magnetism magnetism = Magnetism::none;  ///< components of the magnetization
  int density_components = 0;             ///< components of the density stored with the wavefunctions; 0: none
  int bands = 0;                          ///< number of bands of each spin
  double electrons = 0;                   ///< number of electrons in the cell
  bool weighted = true;                   ///< false: the file has no weights of k-points; `kpoints` has equal weights
  std::array<int, 3> mesh{};              ///< k-point mesh along b1, b2, b3 that was reduced by symmetry; 0: unknown
  Vector3 mesh_shift{};                   ///< shift of the mesh from k = 0, in steps of the mesh
  std::optional<double> total_energy, fermi_energy;  ///< hartree; none: not in the file
  /// Of spin down, if it differs from that of spin up in `fermi_energy` (fixed total moment); hartree.
  std::optional<double> fermi_energy_down;
  bool on_path = false;  ///< k-points of a band structure: their weights do not integrate over the Brillouin zone
  std::vector<KPoint> kpoints;      ///< k-points of the set
  std::vector<double> occupations;  ///< [spin][k][band], 0 to 1 (some kinds of smearing exceed both)
  std::vector<double> energies;     ///< [spin][k][band], hartree

  /// Returns the index of a state in `occupations` and `energies`.
  std::size_t state(int spin, int k, int band) const {
    return (static_cast<std::size_t>(spin) * kpoints.size() + static_cast<std::size_t>(k)) *
               static_cast<std::size_t>(bands) +
           static_cast<std::size_t>(band);
  }
  /// Returns the number of electrons in a fully occupied band of weight 1: 2 without spin, else 1.
  double degeneracy() const { return spins == 1 && spinor == 1 ? 2.0 : 1.0; }
};

}  // namespace seiche
