// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tables of numbers (CSV) for spreadsheets and plotting programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/orbital_header.hpp"

namespace seiche {

/// A table of numbers with named columns.
struct Table {
  std::vector<std::string> columns;  ///< names of the columns, with units
  std::vector<double> values;        ///< [row][column]

  /// Returns the number of rows.
  std::size_t rows() const { return columns.empty() ? 0 : values.size() / columns.size(); }
};

/// Local. Returns energies and occupations, with one row per spin, k-point and band (indices from 1). Column `distance`
/// is the path length from the first k-point through the others (bohr^-1), for plots of bands.
Table table_of_bands(const OrbitalHeader& header);

/// Collective. Writes the table of rank 0 as comma-separated values, with the names in the first line. Numbers have
/// enough digits to read back the same values. The file appears under its name only when it is complete.
/// \throws Error(unwritable) if the file cannot be written
void write_table(const Communicator& comm, const Table& table, const std::string& path);

}  // namespace seiche
