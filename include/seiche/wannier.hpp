// SPDX-License-Identifier: BSD-3-Clause
/// \file  What makers of Wannier functions ask of Bloch waves: overlaps between neighbouring k-points, and projections
/// on trial orbitals.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "seiche/orbitals.hpp"

namespace seiche {

/// A hydrogen-like orbital: a guess of a Wannier function.
struct TrialOrbital {
  Vector3 centre{};                ///< in units of the lattice
  int l = 0, number = 1;           ///< angular function, as wannier90 counts them: l, and mr from 1; hybrids have l < 0
  int radial = 1;                  ///< radial function, 1 to 3: that of 1s, 2s, 3s
  Vector3 z{0, 0, 1}, x{1, 0, 0};  ///< its axes, cartesian
  double diffusivity = 1;          ///< Z/a of the radial function, bohr^-1
  int spin = 0;                    ///< of spinors: 1 up, -1 down along `spin_axis`; 0 of others
  Vector3 spin_axis{0, 0, 1};      ///< cartesian
};

/// The neighbour of a k-point: k-point `k` of the list plus `shift`, whole reciprocal lattice vectors.
struct KNeighbour {
  int k = 0;
  Miller shift;
};

/// What a .nnkp of wannier90 asks for.
struct WannierRequest {
  std::string path;
  std::array<Vector3, 3> lattice{};                 ///< a1, a2, a3, bohr
  std::vector<Vector3> kpoints;                     ///< the full zone, in units of b1, b2, b3
  std::vector<std::vector<KNeighbour>> neighbours;  ///< of each k-point; of all equally many
  std::vector<TrialOrbital> trial_orbitals;
  std::optional<int> automatic;     ///< so many projections are to be found without trial orbitals
  std::vector<int> excluded_bands;  ///< from 0, ascending
};

/// How bands are weighed where columns of the density matrix are selected: each fully, by erfc((E - centre) / width) /
/// 2, or by exp(-((E - centre) / width)^2).
enum class BandWeight { full, erfc, gaussian };

/// Projections without trial orbitals: on selected columns of the density matrix (A. Damle and L. Lin, Multiscale
/// Model. Simul. 16, 1392 (2018)). Columns are points of the grid, chosen at k = 0; of points that are equally good,
/// within 1e-6, the first counts, x fastest.
struct SelectedColumns {
  int functions = 0;
  BandWeight weight = BandWeight::full;
  double centre = 0, width = 0;  ///< hartree
};

/// Overlaps and projections.
struct WannierMatrices {
  using Matrix = std::vector<std::complex<double>>;  ///< [row][column]
  int bands = 0, functions = 0;
  std::vector<std::vector<Matrix>> overlaps;  ///< [k][neighbour]: <u_mk|u_n,k+b>, [m][n]
  std::vector<Matrix> projections;            ///< [k]: <psi_mk|g_n>, [m][n]; none where none were asked for
  std::vector<double> energies;               ///< [k][band], hartree
};

/// Collective. The matrices of orbitals of one spin whose k-points, or images under the crystal's operations and time
/// reversal, are those of the request; its excluded bands are to be left out before. The same to the last bit on any
/// number of ranks. \throws Error when the cell is another or a k-point is missing, and for ultrasoft pseudopotentials
/// and PAW, whose overlaps have terms that no file of waves holds
WannierMatrices wannier_matrices(const Orbitals& orbitals, const WannierRequest& request,
                                 const std::optional<SelectedColumns>& columns = std::nullopt,
                                 const MoveOptions& options = {});

}  // namespace seiche
