// SPDX-License-Identifier: BSD-3-Clause
/// \file  Units of values on grids in files of other programs.
#include <algorithm>
#include <array>

#include "crystal/lattice.hpp"
#include "files/density_file/grid_file.hpp"
#include "seiche/density_file.hpp"
#include "support/require.hpp"

namespace seiche {

namespace {

struct Unit {
  const char *word, *units;
  double factor;  ///< to `units`
};
constexpr std::array<Unit, 5> known_units{
    {{"electrons/bohr3", electrons_per_volume, 1},
     {"electrons/angstrom3", electrons_per_volume, bohr_in_angstrom* bohr_in_angstrom* bohr_in_angstrom},
     {"hartree", "hartree", 1},
     {"rydberg", "hartree", 0.5},
     {"eV", "eV", 1}}};

}  // namespace

void set_unit(Density& density, const std::string& unit) {
  const auto* found =
      std::find_if(known_units.begin(), known_units.end(), [&](const Unit& one) { return unit == one.word; });
  require(found != known_units.end(), Fault::bad_argument,
          "unknown unit '{}': use electrons/bohr3, electrons/angstrom3, hartree, rydberg or eV", unit);
  require(density.units.starts_with(unknown_units), Fault::bad_argument,
          "the file states the unit of its values ({}): leave out the unit", density.units);
  density.units = found->units;
  for (auto& component : density.components) {
    for (double& value : component) value *= found->factor;
  }
}

}  // namespace seiche
