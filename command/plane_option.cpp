// SPDX-License-Identifier: BSD-3-Clause
#include "plane_option.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "numbers.hpp"
#include "seiche/density_file.hpp"
#include "transfer.hpp"

namespace seiche::command {

namespace {

constexpr double bohr_in_angstrom = 0.529177210903;

[[noreturn]] void refuse_plane(const std::string& words) {
  refuse("--plane " + words +
         " is not a plane: give for example 1,1,0, 1,1,0@2.5 (bohr from the origin) or atoms:1,2,5");
}

/// Parses three integers.
std::array<int, 3> three_in(const std::string& words, const std::string& text) {
  std::array<int, 3> numbers{};
  std::istringstream fields(text);
  std::string part;
  for (int& number : numbers) {
    if (!std::getline(fields, part, ',')) refuse_plane(words);
    const auto found = integer_in(part, -100000, 100000);
    if (!found) refuse_plane(words);
    number = *found;
  }
  if (std::getline(fields, part)) refuse_plane(words);
  return numbers;
}

}  // namespace

void add_plane(CLI::App& command, PlaneWords& words) {
  command.add_option(
      "--plane", words.plane,
      "plane: 1,1,0 (lattice planes), 1,1,0@2.5 (bohr from the origin), or atoms:1,2,5 [through the closest atoms]");
  command.add_option("--component", words.component,
                     "component: 0 for the total; 1 for m_z, or 1, 2, 3 for m_x, m_y, m_z [0]");
}

std::optional<Plane> plane_of(const std::string& words, const Crystal& crystal) {
  if (words.empty()) return std::nullopt;
  constexpr std::string_view of_atoms = "atoms:";
  if (words.starts_with(of_atoms)) {
    auto atoms = three_in(words, words.substr(of_atoms.size()));
    for (int& atom : atoms) --atom;
    return plane_of_atoms(crystal, atoms);
  }
  const auto at = words.find('@');
  const auto distance = at == std::string::npos ? 0 : number_in(std::string_view(words).substr(at + 1));
  if (!distance) refuse_plane(words);
  const auto hkl = three_in(words, words.substr(0, at));
  return plane_of_indices(crystal, {hkl[0], hkl[1], hkl[2]}, *distance);
}

Picture draw_plane(const Density& density, const PlaneWords& words, const std::string& path) {
  const Plane plane = plane_of(words.plane, density.crystal).value_or(plane_of_bonds(density.crystal));
  const bool moments = words.component > 0 && density.units == electrons_per_volume;
  return {plane.name, moments ? "Bohr magnetons per bohr^3" : density.units, plane.side,
          draw_density(density, path, plane, words.component)};
}

void add_picture(Report& report, const Picture& picture) {
  const auto [least, most] = picture.values.bounds();
  const nlohmann::ordered_json facts{{"plane", picture.plane}, {"side", picture.side},
                                     {"least", least},         {"most", most},
                                     {"units", picture.units}, {"noise", picture.values.is_noise()}};
  report.add("picture", facts, "picture",
             fmt::format("plane {}; {:.3f} angstrom wide and high; from {:.4g} to {:.4g} {}", picture.plane,
                         picture.side * bohr_in_angstrom, least, most, picture.units));
  if (!picture.values.is_noise()) return;
  report.add("picture", facts, "may be noise",
             fmt::format("largest value elsewhere: {:.4g}; values below 1e-4 of it are affected by the cutoff: choose "
                         "another plane (--plane)",
                         picture.values.largest_anywhere));
}

}  // namespace seiche::command
