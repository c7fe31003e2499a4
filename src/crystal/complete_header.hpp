// SPDX-License-Identifier: BSD-3-Clause
/// \file  Completion and checks of headers that files provide.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Normalizes the weights of k-points to the sum 1. \throws Error(bad_file) if the sum is not positive
void normalise_weights(OrbitalHeader& header);

/// Returns the number of electrons in the cell, from weights and occupations.
double electrons_of(const OrbitalHeader& header);

/// Sets the density cutoff and the grid if the file has neither. Products of two bands have waves of up to twice the
/// length, so the cutoff is four times the wavefunction cutoff (see fft_grid).
void complete_grid(OrbitalHeader& header);

/// Sets the density cutoff if the file has a grid: four times the wavefunction cutoff, limited to the waves that the
/// grid can represent.
void limit_density_cutoff(OrbitalHeader& header);

/// Tells whether a completion reproduces the density cutoff and the grid of the header.
template <class Completion>
bool is_completed_by(const OrbitalHeader& header, const Completion& complete) {
  OrbitalHeader made = header;
  complete(made);
  const double apart = made.density_cutoff - header.density_cutoff;
  return made.grid == header.grid && (apart < 0 ? -apart : apart) < 1e-12 * header.density_cutoff;
}

/// Checks cell, cutoff, k-points and operations. \throws Error(bad_file) that names an invalid value
void require_sound(const OrbitalHeader& header);

/// Checks a count in a file. Each item takes at least one byte, so that damaged counts cannot request too much memory.
/// \throws Error(bad_file) if `count` is negative or exceeds the file size
void require_count(const std::string& path, const char* what, std::int64_t count, std::int64_t file_size);

/// Tells whether a grid has 1 to 99,999 points along each axis, so that products of the counts do not overflow.
bool plausible(const GridShape& grid);

/// Checks the cell of a quantity on a grid. \throws Error(bad_file) if it has no volume
void require_volume(const std::string& path, const Crystal& crystal);

}  // namespace seiche
