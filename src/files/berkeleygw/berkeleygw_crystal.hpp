// SPDX-License-Identifier: BSD-3-Clause
/// \file  The crystal in files of BerkeleyGW, in their units: lengths in units of the first lattice vector.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "containers/fortran.hpp"
#include "containers/fortran_writer.hpp"
#include "seiche/orbital_header.hpp"

namespace seiche {

struct BerkeleyGwCrystal {
  double volume = 0, alat = 0, reciprocal_volume = 0, blat = 0;
  std::vector<double> a, adot, b, bdot;  ///< vectors in units of alat and blat, their products in bohr
  std::vector<std::int32_t> rotations;   ///< [operation][i][j]
  std::vector<double> translations;      ///< [operation][i]
  std::vector<std::int32_t> types;       ///< atomic numbers
  std::vector<double> positions;         ///< [atom][i], in units of alat
  bool hexagonal = false;

  std::int32_t operations() const { return static_cast<std::int32_t>(translations.size() / 3); }
  std::int32_t atoms() const { return static_cast<std::int32_t>(types.size()); }
};
BerkeleyGwCrystal berkeleygw_crystal(const Crystal& crystal);

/// The largest number of operations; none has time reversal.
inline constexpr std::size_t berkeleygw_operations = 48;
/// Returns the operations of a crystal that can be written.
std::vector<SymmetryOperation> writable_operations(const std::vector<SymmetryOperation>& operations);

/// The lowest and the highest band that is more than half full, counted from 1, [spin][k]; 0 if there is none.
struct OccupiedBands {
  std::vector<std::int32_t> lowest, highest;
};
OccupiedBands occupied_bands(const OrbitalHeader& header);

/// Returns the Miller indices of the density's sphere, three numbers each, in the order of Quantum ESPRESSO.
std::vector<std::int32_t> berkeleygw_sphere(const Crystal& crystal, double density_cutoff);

/// `mtrx` [operation][i][j] is R, and `tnp` is -2 pi R^-1 t of x' = R x + t: the translation of the inverse operation.
std::vector<SymmetryOperation> operations_of_berkeleygw(std::span<const std::int32_t> rotations,
                                                        std::span<const double> translations);

/// Writes the records of a crystal in WFN and RHO: cell, reciprocal cell, rotations, translations, atoms.
void write_crystal(FortranWriter& file, const BerkeleyGwCrystal& crystal);
Crystal read_crystal(FortranRecords& records, std::int32_t operations, std::int32_t atoms);

/// Writes the records before a list: the number of parts (always one), and their lengths.
void write_pieces(FortranWriter& file, std::int64_t count);
/// Reads the same, and the list of waves. \throws Error(bad_file) unless the length is `count`
Extent read_gvectors(FortranRecords& records, const std::string& path, std::int64_t count);

}  // namespace seiche
