// SPDX-License-Identifier: BSD-3-Clause
/// \file  The object behind the handle of a density.
#pragma once

#include <limits>

#include "c/c_orbitals.hpp"
#include "comm/equal_arguments.hpp"
#include "seiche/averages.hpp"
#include "seiche/c/density.h"
#include "seiche/cut.hpp"
#include "seiche/density.hpp"
#include "seiche/density_file.hpp"

namespace seiche::c {

struct DensityObject : Object {
  explicit DensityObject(Density of) : density(std::move(of)) {}
  Density density;
};

inline Vector3 vector_of(const double* point) { return {point[0], point[1], point[2]}; }

void also_read(const seiche_density_options& asked, DensityOptions& options, const char* where);

}  // namespace seiche::c
