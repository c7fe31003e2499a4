// SPDX-License-Identifier: BSD-3-Clause
/// \file  ABINIT: WFK as a Fortran file, and as NetCDF-3 or NetCDF-4 (ETSF).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "files/containers/fortran.hpp"
#include "files/containers/netcdf.hpp"
#include "files/wavefile/format.hpp"

namespace seiche {

bool recognises_abinit(const std::string& path);
WaveTable read_abinit(const std::string& path);
WaveWriting writing_abinit();

bool recognises_abinit_netcdf(const std::string& path);
WaveTable read_abinit_netcdf(const std::string& path);

/// What both kinds of files say in ABINIT's own terms, under its own names; arrays as they lie in the file.
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
  std::int32_t fform = 0;               ///< what the file holds: 2 wavefunctions, 52 a density, 102 to 108 potentials
  std::vector<std::string> potentials;  ///< a record of each pseudopotential, as it lies in the file
};
/// The fform of a Fortran file of ABINIT; 0 for any other file.
std::int32_t abinit_form(const std::string& path);
AbinitHeader read_abinit_header(FortranRecords& records, const std::string& path);

std::array<Vector3, 3> read_abinit_netcdf_lattice(const NetCdfFile& file);
/// What a NetCDF file says of its crystal; the other facts are left out.
AbinitFacts read_abinit_netcdf_crystal(const NetCdfFile& file);

/// \pre the lattice has a volume \throws Error(bad_file)
Crystal crystal_of(const AbinitFacts& facts, const std::string& path);
/// All but energies in the library's terms. \throws Error(bad_file or unsupported)
OrbitalHeader header_of(const AbinitFacts& facts, const std::string& path);
/// Of a Γ-point or another time-reversal invariant one: which waves ABINIT left out. \throws Error(bad_file)
void leave_out_mirrored(const AbinitFacts& facts, WaveTable& table, std::size_t k, WaveBlock& block);

}  // namespace seiche
