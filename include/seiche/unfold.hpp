// SPDX-License-Identifier: BSD-3-Clause
/// \file  Bands of a supercell, unfolded to the zone of the cell that it repeats.
#pragma once

#include <array>

#include "seiche/table.hpp"
#include "seiche/wavefile.hpp"

namespace seiche {

/// The vectors of a supercell as sums of those of the primitive cell: A_i = sum_j multiples[i][j] a_j.
using CellMultiples = std::array<std::array<int, 3>, 3>;

/// Collective. Spectral weights (V. Popescu and A. Zunger, Phys. Rev. B 85, 085201 (2012)): of each band, the part of
/// its norm on waves of each of the primitive k-points that its k-point unfolds to, |det multiples| of them, whose
/// components are at least 0 and below 1. A row for each spin, k-point of the file, primitive k-point and band; the
/// weights of a band sum to 1. Of spinors also the means of sigma_x, sigma_y, sigma_z in each such part, which sum to
/// those of the band: with multiples of 1 it is the spin along bands. Of ultrasoft pseudopotentials and PAW they are
/// those of the smooth parts. The same to the last bit on any number of ranks. \throws Error(bad_argument) for
/// multiples whose determinant is 0 or above 10000
Table unfold(const WaveFile& file, const CellMultiples& multiples, const MoveOptions& options = {});

}  // namespace seiche
