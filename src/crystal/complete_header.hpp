// SPDX-License-Identifier: BSD-3-Clause
/// \file  What files leave out of a header, from what they do say.
#pragma once

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Divides the weights of the k-points by their sum. \throws Error(bad_file) when they have none
void normalise_weights(OrbitalHeader& header);

/// Electrons in the cell by weights and occupations.
double electrons_of(const OrbitalHeader& header);

/// Products of two bands have waves up to twice the length: the density's cut-off and grid where the file knows
/// neither (see fft_grid).
void complete_grid(OrbitalHeader& header);

/// The density's cut-off where the file knows its grid: as above, but none that the grid does not hold.
void limit_density_cutoff(OrbitalHeader& header);

/// Whether one of them makes of the header the density's cut-off, and grid, that it has.
template <class Completion>
bool is_completed_by(const OrbitalHeader& header, const Completion& complete) {
  OrbitalHeader made = header;
  complete(made);
  const double apart = made.density_cutoff - header.density_cutoff;
  return made.grid == header.grid && (apart < 0 ? -apart : apart) < 1e-12 * header.density_cutoff;
}

/// That cell, cut-off, k-points and operations are some crystal's. \throws Error(bad_file) naming what is not
void require_sound(const OrbitalHeader& header);

/// The largest number of things that a file can count: each takes a byte or more of it. \throws Error(bad_file) when
/// `count` is negative or more; so damaged counts ask for no memory.
void require_count(const std::string& path, const char* what, std::int64_t count, std::int64_t file_size);

/// Whether a grid has 1 to 99,999 points along each axis, so that products of its counts are numbers still.
bool plausible(const GridShape& grid);

/// \throws Error(bad_file) when the cell of a quantity on a grid has no volume
void require_volume(const std::string& path, const Crystal& crystal);

}  // namespace seiche
