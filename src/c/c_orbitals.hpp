// SPDX-License-Identifier: BSD-3-Clause
/// \file  The object behind the handle of orbitals, and the conversion of arguments.
#pragma once

#include <span>
#include <vector>

#include "c/c_fft.hpp"
#include "c/c_tuning.hpp"
#include "c/c_wavefile.hpp"
#include "seiche/basis.hpp"
#include "seiche/c/orbitals.h"
#include "seiche/orbitals.hpp"
#include "seiche/wfc_file.hpp"

namespace seiche::c {

struct OrbitalsObject : Object {
  explicit OrbitalsObject(Orbitals of) : orbitals(std::move(of)) {}
  Orbitals orbitals;
};

void also_read(const seiche_orbital_layout& asked, OrbitalLayout& layout, const char* where);
void also_read(const seiche_basis_request& asked, BasisRequest& request, const char* where);
BasisRequest basis_request_of(const seiche_basis_request* given, const char* where);

inline WfcLabel label_of(int k, int spin, int last_wave, const double* position, const double* b) {
  return {k,
          spin,
          last_wave,
          {position[0], position[1], position[2]},
          {{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}, {b[6], b[7], b[8]}}}};
}

/// Splits the consecutive waves of all k-points.
std::vector<std::vector<Miller>> by_kpoint(const OrbitalHeader& header, std::span<const Miller> all);

}  // namespace seiche::c
