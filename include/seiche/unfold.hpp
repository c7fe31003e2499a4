// SPDX-License-Identifier: BSD-3-Clause
/// \file  Unfolding of the bands of a supercell to the Brillouin zone of the primitive cell.
#pragma once

#include <array>

#include "seiche/table.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

/// Lattice vectors of a supercell in terms of the primitive ones: A_i = sum_j multiples[i][j] a_j.
using CellMultiples = std::array<std::array<int, 3>, 3>;

/// Collective. Computes spectral weights (V. Popescu and A. Zunger, Phys. Rev. B 85, 085201 (2012)). Each k-point of
/// the file unfolds to |det multiples| primitive k-points, with components from 0 to below 1. The weight is the
/// fraction of a band's norm on the waves of a primitive k-point. The weights of a band sum to 1.
///
/// The table has one row per spin, k-point of the file, primitive k-point and band. For spinors it also has the
/// expectation values of sigma_x, sigma_y and sigma_z on these waves, which sum to the values of the band. For
/// ultrasoft pseudopotentials and PAW only the smooth part of the bands counts. Results are bitwise identical on any
/// number of ranks.
/// \throws Error(bad_argument) if the determinant of `multiples` is 0, or larger than 10000
Table unfold(const WaveFile& file, const CellMultiples& multiples, const MoveOptions& options = {});

}  // namespace seiche
