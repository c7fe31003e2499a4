// SPDX-License-Identifier: BSD-3-Clause
/// \file  Pieces of reading and writing densities: the files of one with several components in formats that hold one,
/// those of Quantum ESPRESSO, and those beside wavefunctions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/density.hpp"

namespace seiche {

/// Columns of a value in a text file: 17 digits, from which the same number is read back, and one blank.
constexpr std::int64_t value_width = 25;
/// Appends the value in so many columns, as "%25.16e" does.
void append_value(std::string& text, double value);

/// ".cube" of silicon.cube, and of SILICON.CUBE
std::string ending_of(const std::string& path);

/// Whether the name ends in .cube or .cub.
bool is_cube(const std::string& path);

/// silicon.cube; with two components also silicon_mz.cube; with four _mx, _my, _mz.
std::vector<std::string> component_paths(const std::string& path, std::size_t components);

/// Collective. charge-density.dat, or .hdf5 by the ending of `path`: all components as plane waves. \return the files
/// \throws Error(bad_argument) when the density's cut-off is not known
std::vector<std::string> write_charge_density(const Density& density, const std::string& path);

/// \throws Error(bad_argument) when there is none beside the waves
void require_density(const OrbitalHeader& header);

}  // namespace seiche
