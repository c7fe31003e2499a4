// SPDX-License-Identifier: BSD-3-Clause
/// \file  Helpers of reading and writing densities: component files of formats with one component, files of Quantum
/// ESPRESSO, and densities in wavefunction files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// The start of Density::units if the file does not state its unit; the name of the file follows.
inline constexpr const char* unknown_units = "as in ";

/// Columns of a value in a text file: 17 digits, which identify a double, and one blank.
constexpr std::int64_t value_width = 25;
/// Appends the value like "%25.16e".
void append_value(std::string& text, double value);

/// Returns ".cube" for silicon.cube and for SILICON.CUBE.
std::string ending_of(const std::string& path);

/// Whether the name ends in .cube or .cub.
bool is_cube(const std::string& path);

/// Returns silicon.cube; with two components also silicon_mz.cube; with four _mx, _my, _mz.
std::vector<std::string> component_paths(const std::string& path, std::size_t components);

/// Collective. Writes charge-density.dat, or .hdf5 by the ending of `path`: all components as plane waves. \return the
/// files \throws Error(bad_argument) if the density's cutoff is unknown
std::vector<std::string> write_charge_density(const Density& density, const std::string& path);

/// \throws Error(bad_argument) if the file has no density
void require_density(const OrbitalHeader& header);

}  // namespace seiche
