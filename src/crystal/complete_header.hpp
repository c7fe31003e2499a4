// SPDX-License-Identifier: BSD-3-Clause
/// \file  Completes headers with data that files omit.
#pragma once

#include "seiche/error.hpp"
#include "seiche/orbital_header.hpp"

namespace seiche {

/// Divides the weights of the k-points by their sum. \throws Error(bad_file) if the sum is not positive
void normalise_weights(OrbitalHeader& header);

/// Returns the electrons in the cell from weights and occupations.
double electrons_of(const OrbitalHeader& header);

/// Sets the density's cutoff and grid if the file has neither: products of two bands have waves up to twice the length
/// (see fft_grid).
void complete_grid(OrbitalHeader& header);

/// Sets the density's cutoff if the file has the grid: as above, limited by the grid.
void limit_density_cutoff(OrbitalHeader& header);

/// Returns whether `complete` reproduces the density's cutoff and grid of the header.
template <class Completion>
bool is_completed_by(const OrbitalHeader& header, const Completion& complete) {
  OrbitalHeader made = header;
  complete(made);
  const double apart = made.density_cutoff - header.density_cutoff;
  return made.grid == header.grid && (apart < 0 ? -apart : apart) < 1e-12 * header.density_cutoff;
}

/// \throws Error(bad_file) if cell, cutoff, k-points or operations are invalid. Readers call it before computations
/// with the cell.
void require_sound_crystal(const OrbitalHeader& header);

/// Checks the counts of the header, and the sizes and values of its energies, occupations and weights. All readers call
/// it (`fault`: bad_file), and all functions that use a header of the caller.
void require_sound(const OrbitalHeader& header, Fault fault = Fault::bad_argument);

/// The same for orbitals that are only moved: energies and occupations may both be empty.
void require_movable(const OrbitalHeader& header);

/// Limits a count in a file: each item takes at least one byte. \throws Error(bad_file) if `count` is negative or
/// larger, so that damaged counts allocate no memory
void require_count(const std::string& path, const char* what, std::int64_t count, std::int64_t file_size);

/// Returns whether a grid has 1 to 99,999 points along each axis, so that products of its dimensions do not overflow.
bool plausible(const GridShape& grid);

/// \throws Error(bad_file) if the cell of a quantity on a grid has no volume
void require_volume(const std::string& path, const Crystal& crystal);

}  // namespace seiche
