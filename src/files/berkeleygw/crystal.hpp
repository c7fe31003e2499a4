// SPDX-License-Identifier: BSD-3-Clause
/// \file  What all files of BerkeleyGW say of a crystal, in their units: lengths in that of the first lattice vector.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "files/containers/fortran.hpp"
#include "files/containers/fortran_writer.hpp"
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

/// There is room for so many operations, none with time reversal.
inline constexpr std::size_t berkeleygw_operations = 48;
/// Those of a crystal that can be written.
std::vector<SymmetryOperation> writable_operations(const std::vector<SymmetryOperation>& operations);

/// The lowest and the highest band that is more than half full, counted from 1, [spin][k]; 0 where none is.
struct OccupiedBands {
  std::vector<std::int32_t> lowest, highest;
};
OccupiedBands occupied_bands(const OrbitalHeader& header);

/// Miller indices, three numbers each, of the density's sphere, in the order of Quantum ESPRESSO.
std::vector<std::int32_t> berkeleygw_sphere(const Crystal& crystal, double density_cutoff);

/// `mtrx` [operation][i][j] is R, and `tnp` is -2 pi R^-1 t of x' = R x + t: the translation of the operation that
/// undoes it.
std::vector<SymmetryOperation> operations_of_berkeleygw(std::span<const std::int32_t> rotations,
                                                        std::span<const double> translations);

/// The records that WFN and RHO have of a crystal: cell, reciprocal cell, rotations, translations, atoms.
void write_crystal(FortranWriter& file, const BerkeleyGwCrystal& crystal);
Crystal read_crystal(FortranRecords& records, std::int32_t operations, std::int32_t atoms);

/// The records before a list: how many pieces follow (always one), and how many things these have.
void write_pieces(FortranWriter& file, std::int64_t count);
/// The same, and the list of waves. \throws Error(bad_file) unless they say `count`
Extent read_gvectors(FortranRecords& records, const std::string& path, std::int64_t count);

}  // namespace seiche
