// SPDX-License-Identifier: BSD-3-Clause
/// \file  What VASP keeps in text beside a WAVECAR: atoms, and weights of k-points.
#pragma once

#include <string>
#include <vector>

#include "seiche/orbital_header.hpp"

namespace seiche {

/// Cell and atoms of a POSCAR or CONTCAR. \throws Error(bad_file)
Crystal read_poscar(const std::string& path);

/// The same at the head of a file of VASP.
struct Poscar {
  Crystal crystal;
  int lines = 0;  ///< that it takes
};
/// \throws Error(bad_file)
Poscar read_poscar_head(const std::string& path);

/// k-points and weights (which sum to 1) of an IBZKPT, a KPOINTS that lists them, or a vasprun.xml.
/// \throws Error(bad_file)
std::vector<KPoint> read_vasp_kpoints(const std::string& path);

}  // namespace seiche
