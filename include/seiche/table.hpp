// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tables of numbers, for spreadsheets and plotting programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "seiche/communicator.hpp"
#include "seiche/orbital_header.hpp"

namespace seiche {

/// Columns with names, rows of numbers.
struct Table {
  std::vector<std::string> columns;  ///< what each holds, and its unit
  std::vector<double> values;        ///< row after row

  std::size_t rows() const { return columns.empty() ? 0 : values.size() / columns.size(); }
};

/// Local. Energies and occupations, a row for each spin, k-point and band, all counted from 1; `distance` is the length
/// of the way from the first k-point through the others (bohr^-1), along which bands are drawn.
Table table_of_bands(const OrbitalHeader& header);

/// Collective; rank 0 writes what it has. Comma-separated values with a line of names first, and digits from which the
/// same numbers are read back; the file appears under its name when it is complete. \throws Error(unwritable)
void write_table(const Communicator& comm, const Table& table, const std::string& path);

}  // namespace seiche
