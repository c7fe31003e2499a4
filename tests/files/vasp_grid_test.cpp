// SPDX-License-Identifier: BSD-3-Clause
/// \file  VASP's CHGCAR and LOCPOT, read from text as VASP has it, and written and read back. pymatgen judges what is
/// written, in tests/foreign.
#include <fmt/core.h>

#include "seiche/density_file.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"

namespace seiche {
namespace {

using testing::expect_error;
using testing::put;
using testing::value_at;

constexpr double bohr = 0.529177249;  // VASP's

/// As VASP writes it: a blank line, the shape, five values in a line, x fastest; `factor` for the second block.
std::string block_of(double factor) {
  std::string text = "\n    2    3    4\n";
  int n = 0;
  for (int z = 0; z < 4; ++z) {
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 2; ++x)
        text += fmt::format(" {:.11E}{}", factor * value_at(x, y, z), ++n % 5 == 0 ? "\n" : "");
    }
  }
  return text + "\n";
}
const std::string poscar =
    "by hand\n   2.0\n 1 0 0\n 0 1.5 0\n 0 0 2\n   Si O\n   1 2\nDirect\n 0 0 0\n .5 .5 .25\n 0.5 0 0\n";
const std::string occupancies = "augmentation occupancies   1   3\n  0.1E+01 0.2E+01 0.3E+01\n   1.0000 2.0000\n";

void expect_values(const Density& density, std::size_t component, double factor) {
  testing::expect_values(density, component, factor, 1e-9);
}

TEST(VaspGrid, DensityWithMagnetisation) {
  const testing::ScratchDirectory scratch;
  const auto path = put(scratch, "CHGCAR", poscar + block_of(1) + occupancies + block_of(-0.5) + occupancies);
  const Density density = read_density(MPI_COMM_WORLD, path);
  EXPECT_EQ(density.grid, (GridShape{2, 3, 4}));
  EXPECT_EQ(density.units, electrons_per_volume);
  ASSERT_EQ(density.components.size(), 2U);
  const double volume = 2 * 3 * 4 / (bohr * bohr * bohr);
  expect_values(density, 0, 1 / volume);
  expect_values(density, 1, -0.5 / volume);
  ASSERT_EQ(density.crystal.atoms.size(), 3U);
  EXPECT_EQ(density.crystal.atoms[2].symbol, "O");
  EXPECT_NEAR(density.crystal.atoms[1].position[2], 1 / bohr, 1e-12);
  const Density total = read_density(MPI_COMM_WORLD, put(scratch, "x.CHGCAR", poscar + block_of(1) + occupancies));
  EXPECT_EQ(total.components.size(), 1U);
  expect_values(total, 0, 1 / volume);
}

TEST(VaspGrid, PotentialIsInElectronvolts) {
  const testing::ScratchDirectory scratch;
  const Density potential = read_density(MPI_COMM_WORLD, put(scratch, "LOCPOT.old", poscar + block_of(1)));
  EXPECT_EQ(potential.units, "eV");
  EXPECT_EQ(potential.components.size(), 1U);
  expect_values(potential, 0, 1);
  const auto written = write_density(potential, scratch.file("again.locpot"));
  expect_values(read_density(MPI_COMM_WORLD, written.at(0)), 0, 1);
  expect_error(Fault::bad_argument, "the unit of the values is eV: choose another name",
               [&] { write_density(potential, scratch.file("CHGCAR")); });
}

TEST(VaspGrid, PotentialOfTwoSpinsIsMeanAndHalfDifference) {
  const testing::ScratchDirectory scratch;
  const std::string moments = "  0.00000E+00  0.12340E+01  0.0\n    2    3    4\n";
  const auto path = put(scratch, "LOCPOT", poscar + block_of(1) + moments + block_of(-0.5));
  const Density potential = read_density(MPI_COMM_WORLD, path);
  const auto written = write_density(potential, scratch.file("again.locpot"));
  for (const Density& found : {potential, read_density(MPI_COMM_WORLD, written.at(0))}) {
    EXPECT_EQ(found.units, "eV");
    ASSERT_EQ(found.components.size(), 2U);
    expect_values(found, 0, 0.25);
    expect_values(found, 1, 0.75);
  }
  const auto spinors = put(scratch, "LOCPOT", poscar + block_of(1) + block_of(1) + block_of(1) + block_of(1));
  expect_error(Fault::unsupported, "4 blocks: the order of spinor potentials in VASP files is not supported",
               [&] { read_density(MPI_COMM_WORLD, spinors); });
}

TEST(VaspGrid, NameSaysTheQuantity) {
  const testing::ScratchDirectory scratch;
  const double volume = 2 * 3 * 4 / (bohr * bohr * bohr);
  const char *density = electrons_per_volume, *potential = "eV", *elf = "no unit (ELF)";
  for (const auto& [name, units] : std::vector<std::pair<const char*, const char*>>{{"CHG", density},
                                                                                    {"CHG.old", density},
                                                                                    {"silicon.chg", density},
                                                                                    {"AECCAR0", density},
                                                                                    {"AECCAR2_sum", density},
                                                                                    {"x.aeccar1", density},
                                                                                    {"x.vasp", density},
                                                                                    {"CHGCAR_diff.vasp", density},
                                                                                    {"LOCPOT.vasp", potential},
                                                                                    {"slab_locpot.VASP", potential},
                                                                                    {"ELFCAR", elf},
                                                                                    {"x.elfcar", elf},
                                                                                    {"ELFCAR.vasp", elf}}) {
    const Density found = read_density(MPI_COMM_WORLD, put(scratch, name, poscar + block_of(1)));
    EXPECT_EQ(found.units, units) << name;
    expect_values(found, 0, found.units == density ? 1 / volume : 1);
    const auto written = write_density(found, scratch.file(std::string("again_") + name + ".vasp"));
    expect_values(read_density(MPI_COMM_WORLD, written.at(0)), 0, found.units == density ? 1 / volume : 1);
  }
  for (const char* name : {"vasprun.xml", "vaspout.txt", "chg.save", "CHGNET", "CHG.cube"}) {
    EXPECT_EQ(names_density(name), std::string(name).ends_with("cube")) << name;
  }
}

TEST(VaspGrid, HeadsThatPeopleWrite) {
  const testing::ScratchDirectory scratch;
  const std::string atoms = "Direct\n 0 0 0\n .5 .5 .25\n 0.5 0 0\n";
  for (const std::string& head :
       {"by hand\n 2.0  ! universal scaling factor\n 1 0 0\n 0 1.5 0\n 0 0 2\n Si O ! kinds\n 1 2\n" + atoms,
        std::string("by hand\n 2.0\n 1 0 0\n 0 1.5 0\n 0 0 2\n Si O\n 1 2\nSelective dynamics\nDirect\n 0 0 0 T T F\n"
                    " .5 .5 .25 T T T\n 0.5 0 0 F F F\n"),
        "by hand\n 2 1.0D0 +.5E0 # for each axis\n 1 0 0\n 0 3.0 0\n 0 0 8\n Si_pv O/1a2b\n 1 2 # atoms\n" + atoms,
        "by hand\r\n 1\r\n 2.0-0.0-0.0\r\n 0 3. 0\r\n 0 0 4\r\n Si O\r\n 1 2\r\n" + atoms}) {
    const Density found = read_density(MPI_COMM_WORLD, put(scratch, "LOCPOT", head + block_of(1)));
    expect_values(found, 0, 1);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.crystal.lattice[i][i] * bohr, static_cast<double>(i + 2), 1e-12) << head;
    }
    ASSERT_EQ(found.crystal.atoms.size(), 3U);
    EXPECT_EQ(found.crystal.atoms[0].symbol, "Si");
    EXPECT_NEAR(found.crystal.atoms[1].position[1] * bohr, 1.5, 1e-12);
  }
  expect_error(Fault::unsupported, "no values on a grid",
               [&] { read_density(MPI_COMM_WORLD, put(scratch, "POSCAR.vasp", poscar)); });
}

TEST(VaspGrid, GoesThereAndBack) {
  const testing::ScratchDirectory scratch;
  for (const char* set : {"si_small", "fe_so"}) {
    const Density density = read_density(MPI_COMM_WORLD, testing::data_set(set));
    const auto written = write_density(density, scratch.file(std::string("PARCHG_") + set));
    ASSERT_EQ(written.size(), 1U);
    const Density again = read_density(MPI_COMM_WORLD, written[0]);
    ASSERT_EQ(again.components.size(), density.components.size());
    ASSERT_EQ(again.box, density.box);
    for (std::size_t c = 0; c < density.components.size(); ++c) {
      testing::expect_close<double>(again.components[c], density.components[c], 1e-13);
    }
    EXPECT_EQ(again.crystal.atoms.size(), density.crystal.atoms.size());
    expect_error(Fault::bad_argument, "but this is a density (CHGCAR)",
                 [&] { write_density(density, scratch.file("LOCPOT")); });
  }
}

/// Values that another program wrote as a .cube: their unit is stated before they become a CHGCAR.
TEST(VaspGrid, ValuesOfUnknownUnitNeedTheirUnit) {
  const testing::ScratchDirectory scratch;
  const Density density = read_density(MPI_COMM_WORLD, testing::data_set("si_small"));
  const auto cube = write_density(density, scratch.file("a.cube"));
  testing::replace(cube[0], "electrons per bohr^3, x slowest", "of another program");
  Density values = read_density(MPI_COMM_WORLD, cube[0]);
  const std::string chgcar = scratch.file("CHGCAR"), locpot = scratch.file("LOCPOT");
  expect_error(Fault::bad_argument, "the unit of the values is as in a.cube: state their unit",
               [&] { write_density(values, chgcar); });
  expect_error(Fault::bad_argument, "unknown unit 'metre'", [&] { set_unit(values, "metre"); });
  constexpr double angstrom = 1 / 0.529177210903;
  for (const auto& [unit, factor, units] :
       {std::tuple("electrons/bohr3", 1.0, density.units),
        {"electrons/angstrom3", 1 / (angstrom * angstrom * angstrom), density.units},
        {"hartree", 1.0, std::string("hartree")},
        {"rydberg", 0.5, "hartree"},
        {"eV", 1.0, "eV"}}) {
    Density one = values;
    set_unit(one, unit);
    EXPECT_EQ(one.units, units);
    std::vector<double> expected = density.components[0];
    for (double& value : expected) value *= factor;
    testing::expect_close<double>(one.components[0], expected, 1e-14);
    write_density(one, units == density.units ? chgcar : locpot);
    expect_error(Fault::bad_argument, "the file states the unit", [&] { set_unit(one, unit); });
  }
  set_unit(values, "electrons/bohr3");
  const auto written = write_density(values, chgcar);
  testing::expect_close<double>(read_density(MPI_COMM_WORLD, written[0]).components[0], density.components[0], 1e-13);
}

TEST(VaspGrid, DamageIsTold) {
  const testing::ScratchDirectory scratch;
  const auto refused = [&](const std::string& part, const std::string& text) {
    const std::string path = put(scratch, "CHGCAR", text);
    expect_error(Fault::bad_file, part, [&] { read_density(MPI_COMM_WORLD, path); });
    MPI_Barrier(MPI_COMM_WORLD);
  };
  refused("truncated", poscar + "\n 2 3 4\n 1 2 3");
  refused("is not a number", poscar + "\n 2 3 4\n 1 2 ** 3");
  refused("invalid grid (", poscar + "\n 0 3 4\n");
  refused("555218 atoms", "by hand\n 1\n 1 0 0\n 0 1 0\n 0 0 1\n Al\n 0555218e0\nDirect\n 0 0 0\n");
  refused("line 2: found 'a\\x01b' instead of the scale",
          "by hand\n a\x01"
          "b\n");
  for (const char* scale : {"1.0 2.0", "1 2 3 4", "-1 2 3", "0 1 1"}) {
    refused("the scale of the cell has", "by hand\n " + std::string(scale) + poscar.substr(poscar.find("\n 1 0 0")));
  }
  refused("has no line of elements", "by hand\n 1\n 1 0 0\n 0 1 0\n 0 0 1\n 1\nDirect\n 0 0 0\n");
}

}  // namespace
}  // namespace seiche
