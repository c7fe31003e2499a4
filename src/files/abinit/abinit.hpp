// SPDX-License-Identifier: BSD-3-Clause
/// \file  ABINIT: WFK as a Fortran file, and as NetCDF-3 or NetCDF-4 (ETSF).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "containers/fortran.hpp"
#include "containers/netcdf.hpp"
#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_abinit(const std::string& path);
WaveTable read_abinit(const std::string& path);
WaveWriting writing_abinit();

bool recognises_abinit_netcdf(const std::string& path);
WaveTable read_abinit_netcdf(const std::string& path);

/// The contents of both kinds of files with the names of ABINIT; arrays as stored in the file.
struct AbinitFacts {
  std::array<std::int32_t, 3> ngfft{};
  std::int32_t nspden = 1, nspinor = 1, nsppol = 1, usepaw = 0, mband = 0;
  std::int32_t ixc = 0, occopt = 1, kptopt = 0;
  double ecut_eff = 0, nelect = 0, tsmear = 0.01, etotal = 0, fermie = 0;
  std::array<Vector3, 3> rprimd{};
  std::vector<std::int32_t> istwfk, npwarr;          ///< [k]
  std::vector<std::int32_t> nband;                   ///< [spin][k]
  std::vector<std::int32_t> symafm, symrel, typat;   ///< symrel: [operation][column][row]
  std::vector<double> kptns, occ, tnons, xred, wtk;  ///< occ: [spin][k][band]
  std::vector<double> znucltypat, amu;               ///< [type]
  std::vector<std::int32_t> kptrlatt;                ///< [column][row]
  std::vector<double> shiftk;                        ///< [shift][3]
};

/// The header of a Fortran file: a WFK, a DEN or a potential.
struct AbinitHeader {
  AbinitFacts facts;
  std::int32_t fform = 0;               ///< contents of the file: 2 wavefunctions, 52 density, 102 to 108 potentials
  std::vector<std::string> potentials;  ///< a record for each pseudopotential, as stored in the file
};
/// Returns the fform of a Fortran file of ABINIT; 0 for other files.
std::int32_t abinit_form(const std::string& path);
AbinitHeader read_abinit_header(FortranRecords& records, const std::string& path);

std::array<Vector3, 3> read_abinit_netcdf_lattice(const NetCdfFile& file);
/// Reads the crystal from a NetCDF file; the other members stay empty.
AbinitFacts read_abinit_netcdf_crystal(const NetCdfFile& file);

/// \pre the lattice has a volume \throws Error(bad_file)
Crystal crystal_of(const AbinitFacts& facts, const std::string& path);
/// Converts all but energies. \throws Error(bad_file or unsupported)
OrbitalHeader header_of(const AbinitFacts& facts, const std::string& path);
/// Sets the waves that ABINIT omits at the Gamma point and at other time-reversal invariant points. \throws
/// Error(bad_file)
void leave_out_mirrored(const AbinitFacts& facts, WaveTable& table, std::size_t k, WaveBlock& block);

}  // namespace seiche
