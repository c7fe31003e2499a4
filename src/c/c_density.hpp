// SPDX-License-Identifier: BSD-3-Clause
/// \file  The object behind the handle of a density.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "c/c_orbitals.hpp"
#include "comm/equal_arguments.hpp"
#include "seiche/averages.hpp"
#include "seiche/c/density.h"
#include "seiche/cut.hpp"
#include "seiche/density.hpp"
#include "seiche/density_file.hpp"
#include "seiche/orbital_grid.hpp"

namespace seiche::c {

struct DensityObject : Object {
  explicit DensityObject(Density of) : density(std::move(of)) {}
  Density density;
};

inline Vector3 vector_of(const double* point) { return {point[0], point[1], point[2]}; }

/// Returns the length of a side.
inline double put_plane(const Plane& plane, double* centre, double* right, double* up) {
  std::copy(plane.centre.begin(), plane.centre.end(), centre);
  std::copy(plane.right.begin(), plane.right.end(), right);
  std::copy(plane.up.begin(), plane.up.end(), up);
  return plane.side;
}

void also_read(const seiche_density_options& asked, DensityOptions& options, const char* where);

}  // namespace seiche::c
