// SPDX-License-Identifier: BSD-3-Clause
/// \file  --plane and --component: what is drawn, or cut out.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "report.hpp"
#include "seiche/cut.hpp"

namespace seiche::command {

/// As they were typed.
struct PlaneWords {
  std::string plane;
  int component = 0;
};

void add_plane(CLI::App& command, PlaneWords& words);

/// "1,1,0", "1,1,0@2.5" (bohr from the origin) or "atoms:1,2,5"; nothing for "". \throws Error(bad_argument)
std::optional<Plane> plane_of(const std::string& words, const Crystal& crystal);

/// What a picture shows.
struct Picture {
  std::string plane, units;
  double side = 0;  ///< bohr
  PlaneValues values;
};
/// Collective. Draws it to `path`.
Picture draw_plane(const Density& density, const PlaneWords& words, const std::string& path);

/// Which plane, how large, from which value to which; and where there is nothing on it, that.
void add_picture(Report& report, const Picture& picture);

}  // namespace seiche::command
