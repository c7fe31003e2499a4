// SPDX-License-Identifier: BSD-3-Clause
/// \file  Text files of VASP beside a WAVECAR: atoms, and weights of k-points.
#pragma once

#include <string>
#include <vector>

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Reads cell and atoms of a POSCAR or CONTCAR. \throws Error(bad_file)
Crystal read_poscar(const std::string& path);

/// The POSCAR at the start of another file of VASP.
struct Poscar {
  Crystal crystal;
  int lines = 0;  ///< number of its lines
};
/// \throws Error(bad_file)
Poscar read_poscar_head(const std::string& path);

/// Reads k-points and weights (with sum 1) from an IBZKPT, a KPOINTS with a list, or a vasprun.xml. \throws
/// Error(bad_file)
std::vector<KPoint> read_vasp_kpoints(const std::string& path);

/// Returns cell and atoms as POSCAR. Consecutive atoms of one species make one entry.
std::string poscar_of(const Crystal& crystal);

}  // namespace seiche
