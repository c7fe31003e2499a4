// SPDX-License-Identifier: BSD-3-Clause
/// \file  Input for Wannier functions: overlaps between neighbouring k-points, and projections on trial orbitals.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "seiche/orbitals.hpp"

namespace seiche {

/// A hydrogen-like trial orbital.
struct TrialOrbital {
  Vector3 centre{};                ///< in units of the lattice vectors
  int l = 0, number = 1;           ///< angular function, l and mr of wannier90; hybrids have l < 0
  int radial = 1;                  ///< radial function of 1s, 2s or 3s: 1 to 3
  Vector3 z{0, 0, 1}, x{1, 0, 0};  ///< axes, Cartesian
  double diffusivity = 1;          ///< Z/a of the radial function, bohr^-1
  int spin = 0;                    ///< 1 (up) or -1 (down) along `spin_axis` for spinors; else 0
  Vector3 spin_axis{0, 0, 1};      ///< Cartesian
};

/// Neighbour of a k-point: k-point `k` of the list plus the reciprocal lattice vector `shift`.
struct KNeighbour {
  int k = 0;
  Miller shift;
};

/// Contents of a .nnkp file of wannier90.
struct WannierRequest {
  std::string path;                                 ///< path of the file
  std::array<Vector3, 3> lattice{};                 ///< a1, a2, a3, bohr
  std::vector<Vector3> kpoints;                     ///< full zone, in units of b1, b2, b3
  std::vector<std::vector<KNeighbour>> neighbours;  ///< [k][neighbour], the same number for all k-points
  std::vector<TrialOrbital> trial_orbitals;         ///< trial orbitals of the projections
  std::optional<int> automatic;                     ///< number of projections to be generated without trial orbitals
  std::vector<int> excluded_bands;                  ///< indices from 0, ascending
};

/// Weight of bands for selected columns of the density matrix: 1, erfc((E - centre) / width) / 2, or exp(-((E - centre)
/// / width)^2).
enum class BandWeight { full, erfc, gaussian };

/// Projections without trial orbitals, from selected columns of the density matrix (A. Damle and L. Lin, Multiscale
/// Model. Simul. 16, 1392 (2018)). Columns are grid points, selected at k = 0. Of points that are equivalent within
/// 1e-6, the first in x-fastest order is taken.
struct SelectedColumns {
  int functions = 0;                     ///< number of Wannier functions
  BandWeight weight = BandWeight::full;  ///< weight of bands
  double centre = 0, width = 0;          ///< parameters of the weight, hartree
};

/// Overlaps and projections.
struct WannierMatrices {
  using Matrix = std::vector<std::complex<double>>;  ///< A matrix, [row][column].
  int bands = 0, functions = 0;                      ///< number of bands and of Wannier functions
  std::vector<std::vector<Matrix>> overlaps;         ///< [k][neighbour]: <u_mk|u_n,k+b>, [m][n]
  std::vector<Matrix> projections;                   ///< [k]: <psi_mk|g_n>, [m][n]; empty if none were requested
  std::vector<double> energies;                      ///< [k][band], hartree
};

/// Collective. Computes overlaps and projections of orbitals of one spin. The k-points of the request must be k-points
/// of the orbitals, or their images under the crystal's operations and time reversal. Excluded bands must be removed
/// before (wanted_states()). Results are bitwise identical on any number of ranks.
/// \throws Error for another cell, missing k-points, or bands that are not norm-conserving
WannierMatrices wannier_matrices(const Orbitals& orbitals, const WannierRequest& request,
                                 const std::optional<SelectedColumns>& columns = std::nullopt,
                                 const MoveOptions& options = {});

}  // namespace seiche
