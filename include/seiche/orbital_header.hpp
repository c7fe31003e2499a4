// SPDX-License-Identifier: BSD-3-Clause
/// \file  What is known of a set of orbitals besides their coefficients: crystal, k-points, cut-offs, energies and
/// occupations. Energies in hartree.
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
  Vector3 k{};        ///< in units of b1, b2, b3
  double weight = 0;  ///< all weights sum to 1
  std::int64_t plane_waves = 0;
};

/// How many components a density has besides its total: none, m_z, or a vector.
enum class Magnetism { none, collinear, vector };

/// Whether bands are orthonormal and make the whole density, as those of norm-conserving pseudopotentials do; those of
/// ultrasoft ones and of PAW lack augmentation charges. Unknown: the file does not say, and its bands have no norm
/// of 1.
enum class NormConserving { no, yes, unknown };

/// Of a density: the total, and the magnetisation's.
constexpr int components_of(Magnetism magnetism) {
  return magnetism == Magnetism::none ? 1 : magnetism == Magnetism::collinear ? 2 : 4;
}

/// Everything a wavefunction file says but its coefficients.
struct OrbitalHeader {
  std::string format;  ///< e.g. "Quantum ESPRESSO .save (dat)"
  std::string path;
  Crystal crystal;
  GridShape grid;                  ///< the density's FFT grid
  double cutoff = 0;               ///< of the wavefunctions, hartree
  double density_cutoff = 0;       ///< of the density, hartree
  std::int64_t density_waves = 0;  ///< within that cut-off, as the code counted them; 0 when the file does not say
  int spins = 1;                   ///< 1 or 2 sets of bands
  int spinor = 1;                  ///< components of one wavefunction, 1 or 2
  bool half_sphere = false;        ///< of each pair G, -G one is kept: c(-G) = conj c(G)
  NormConserving norm_conserving = NormConserving::yes;
  bool averaged = true;  ///< whether the code averages its density over the operations
  Magnetism magnetism = Magnetism::none;
  int density_components = 0;  ///< of the density beside the waves (total, magnetisation); 0: there is none
  int bands = 0;               ///< of each spin
  double electrons = 0;        ///< in the cell
  bool weighted = true;        ///< false: the file has no weights of k-points, and those here are equal
  std::array<int, 3> mesh{};   ///< of which the k-points are the irreducible ones, along b1, b2, b3; 0: not known
  Vector3 mesh_shift{};        ///< of its first point from k = 0, in steps of the mesh
  std::optional<double> total_energy, fermi_energy;  ///< hartree, where the file says them
  std::vector<KPoint> kpoints;
  std::vector<double> occupations;  ///< [spin][k][band], electrons of one spin state: 0 to 1 (smearing may exceed both)
  std::vector<double> energies;     ///< [spin][k][band], hartree

  std::size_t state(int spin, int k, int band) const {
    return (static_cast<std::size_t>(spin) * kpoints.size() + static_cast<std::size_t>(k)) *
               static_cast<std::size_t>(bands) +
           static_cast<std::size_t>(band);
  }
  /// Electrons that one fully occupied band of weight 1 holds: 2 without spin, else 1.
  double degeneracy() const { return spins == 1 && spinor == 1 ? 2.0 : 1.0; }
};

}  // namespace seiche
