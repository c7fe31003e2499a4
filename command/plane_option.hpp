// SPDX-License-Identifier: BSD-3-Clause
/// \file  --plane and --component: the plane and the component of a picture or a cut.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "report.hpp"
#include "seiche/cut.hpp"

namespace seiche::command {

/// The values of the options as typed.
struct PlaneWords {
  std::string plane;
  int component = 0;
};

void add_plane(CLI::App& command, PlaneWords& words);

/// Parses "1,1,0", "1,1,0@2.5" (bohr from the origin) or "atoms:1,2,5"; no value for "". \throws Error(bad_argument)
std::optional<Plane> plane_of(const std::string& words, const Crystal& crystal);

/// The description of a picture.
struct Picture {
  std::string plane, units;
  double side = 0;  ///< bohr
  PlaneValues values;
};
/// Collective. Writes the picture to `path`.
Picture draw_plane(const Density& density, const PlaneWords& words, const std::string& path);

/// Adds the plane, its size and the range of its values, and a warning if the values are negligible.
void add_picture(Report& report, const Picture& picture);

}  // namespace seiche::command
