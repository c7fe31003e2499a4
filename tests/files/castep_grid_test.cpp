// SPDX-License-Identifier: BSD-3-Clause
/// \file  .den_fmt, .pot_fmt and .elf_fmt of CASTEP, read from text as CASTEP has it, and written and read back.
#include <fmt/core.h>

#include <fstream>
#include <sstream>

#include "seiche/density_file.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"

namespace seiche {
namespace {

using testing::expect_error;
using testing::expect_values;
using testing::put;
using testing::value_at;

constexpr double bohr = 0.529177210903, digits = 1e-9;

/// A header as CASTEP writes it, of a cell of 2 x 3 x 4 angstrom.
std::string head(const std::string& spins, const std::string& grid = "     2     3     4") {
  return " BEGIN header\n  \n           Real Lattice(A)               Lattice parameters(A)    Cell Angles\n"
         "   2.0000000   0.0000000   0.0000000     a =    2.000000  alpha =   90.000000\n"
         "   0.0000000   3.0000000   0.0000000     b =    3.000000  beta  =   90.000000\n"
         "   0.0000000   0.0000000   4.0000000     c =    4.000000  gamma =   90.000000\n  \n   " +
         spins + "\n" + grid + "                ! fine FFT grid along <a,b,c>\n" +
         " END header: data is \"<a b c> charge\" in units of electrons/grid_point * number of grid_points\n  \n";
}
const std::string one_spin = "1                            ! nspins";  // as older versions
const std::string two_spins = "2   F                        ! nspins, non-collinear spin";
constexpr double cell_volume = 24 / (bohr * bohr * bohr);

/// Lines of all points. `factors`: of the values of each spin.
std::string points(const std::vector<double>& factors, bool backwards = false) {
  std::string text;
  for (int n = 0; n < 24; ++n) {
    const int at = backwards ? 23 - n : n, x = at % 2, y = at / 2 % 3, z = at / 6;
    text += fmt::format("{:6d}{:6d}{:6d}", x + 1, y + 1, z + 1);
    for (const double factor : factors) text += fmt::format(" {:.12E}", factor * value_at(x, y, z));
    text += '\n';
  }
  return text;
}

TEST(CastepGrid, DensityWithMagnetisation) {
  const testing::ScratchDirectory scratch;
  for (const bool backwards : {false, true}) {
    const auto path = put(scratch, "iron.den_fmt", head(two_spins) + points({1, -0.5}, backwards));
    const Density density = read_density(MPI_COMM_WORLD, path);
    EXPECT_EQ(density.grid, (GridShape{2, 3, 4}));
    EXPECT_EQ(density.units, electrons_per_volume);
    ASSERT_EQ(density.components.size(), 2U);
    expect_values(density, 0, 1 / cell_volume, digits);
    expect_values(density, 1, -0.5 / cell_volume, digits);
    EXPECT_NEAR(density.crystal.lattice[1][1], 3 / bohr, 1e-12);
    EXPECT_TRUE(density.crystal.atoms.empty());
  }
  // data of a meta-GGA follow the density
  const auto path = put(scratch, "CHGCAR.den_fmt", head(one_spin) + points({1}) + "\n 1 1 1 5.0\n");
  const Density total = read_density(MPI_COMM_WORLD, path);
  EXPECT_EQ(total.components.size(), 1U);
  expect_values(total, 0, 1 / cell_volume, digits);
  EXPECT_TRUE(holds_density_only(MPI_COMM_WORLD, path));
}

TEST(CastepGrid, PotentialOfTwoSpinsIsMeanAndHalfDifference) {
  const testing::ScratchDirectory scratch;
  const Density one = read_density(MPI_COMM_WORLD, put(scratch, "a.pot_fmt", head(one_spin) + points({2})));
  EXPECT_EQ(one.units, "hartree");
  expect_values(one, 0, 2, digits);
  const Density two = read_density(MPI_COMM_WORLD, put(scratch, "b.pot_fmt", head(two_spins) + points({1, -0.5})));
  const auto written = write_density(two, scratch.file("again.pot_fmt"));
  for (const Density& found : {two, read_density(MPI_COMM_WORLD, written.at(0))}) {
    ASSERT_EQ(found.components.size(), 2U);
    expect_values(found, 0, 0.25, digits);
    expect_values(found, 1, 0.75, digits);
  }
  Density of_vasp = one;
  of_vasp.units = "eV";
  const auto in_hartree = write_density(of_vasp, scratch.file("vasp.pot_fmt"));
  expect_values(read_density(MPI_COMM_WORLD, in_hartree.at(0)), 0, 2 / 27.211652, digits);
}

TEST(CastepGrid, LocalisationHasNoUnit) {
  const testing::ScratchDirectory scratch;
  const Density elf = read_density(MPI_COMM_WORLD, put(scratch, "a.elf_fmt", head(one_spin) + points({1})));
  EXPECT_EQ(elf.units, "no unit (ELF)");
  expect_values(elf, 0, 1, digits);
  const auto written = write_density(elf, scratch.file("b.ELF_FMT"));
  expect_values(read_density(MPI_COMM_WORLD, written.at(0)), 0, 1, digits);
}

TEST(CastepGrid, GoesThereAndBack) {
  const testing::ScratchDirectory scratch;
  Density density = read_density(MPI_COMM_WORLD, put(scratch, "a.den_fmt", head(two_spins) + points({1, 0.25})));
  density.crystal.lattice = {{{4, 0, 0}, {0.25, 5, 0}, {0, 1, 6}}};
  const auto written = write_density(density, scratch.file("b.den_fmt"));
  ASSERT_EQ(written, std::vector<std::string>{scratch.file("b.den_fmt")});
  const Density again = read_density(MPI_COMM_WORLD, written[0]);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(again.crystal.lattice[i][j], density.crystal.lattice[i][j], 1e-13);
  }
  ASSERT_EQ(again.components.size(), 2U);
  expect_values(again, 0, 1 / cell_volume, 1e-12);
  expect_values(again, 1, 0.25 / cell_volume, 1e-12);
  std::ifstream file(written[0]);
  std::stringstream text;
  text << file.rdbuf();
  for (const char* wanted : {"a =    2.116709  alpha =   80.549", "\n   2   F    ", "\n     2     3     4     ",
                             "\"<a b c> charge spin\" in units of electrons/grid_point * number of grid_points\n\n"
                             "     1     1     1 "}) {
    EXPECT_NE(text.str().find(wanted), std::string::npos) << wanted << "\n" << text.str().substr(0, 800);
  }
}

TEST(CastepGrid, OtherQuantitiesAreRefused) {
  const testing::ScratchDirectory scratch;
  Density density = read_density(MPI_COMM_WORLD, put(scratch, "a.den_fmt", head(one_spin) + points({1})));
  expect_error(Fault::bad_argument, "files of this name hold a potential, but the unit of the values is electrons per",
               [&] { write_density(density, scratch.file("a.pot_fmt")); });
  expect_error(Fault::bad_argument, "files of this name hold an ELF, but",
               [&] { write_density(density, scratch.file("a.elf_fmt")); });
  density.units = "as in x.cube";
  expect_error(Fault::bad_argument,
               "hold electrons per volume, but the unit of the values is as in x.cube: state their unit",
               [&] { write_density(density, scratch.file("b.den_fmt")); });
  density.units = electrons_per_volume;
  density.components.resize(4, density.components[0]);
  expect_error(Fault::unsupported, "the order of spinor components in CASTEP files is not supported: write an .h5",
               [&] { write_density(density, scratch.file("b.den_fmt")); });
  const std::string spinors = "1   T                        ! nspins, non-collinear spin";
  const auto path = put(scratch, "c.pot_fmt", head(spinors) + points({1, 1, 1}));
  expect_error(Fault::unsupported, "the order of spinor components in CASTEP files is not supported: use another file",
               [&] { read_density(MPI_COMM_WORLD, path); });
}

TEST(CastepGrid, DamageIsTold) {
  const testing::ScratchDirectory scratch;
  const std::string whole = head(one_spin) + points({1});
  const auto refused = [&](const std::string& text, const std::string& sentence) {
    const auto path = put(scratch, "damaged.den_fmt", text);
    expect_error(Fault::bad_file, sentence, [&] { read_density(MPI_COMM_WORLD, path); });
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return text.replace(text.find(from), from.size(), to);
  };
  refused("nothing\n", "no line has 'Real Lattice(A)'");
  refused(whole.substr(0, whole.find(" END")), "no line has 'END header'");
  refused(whole.substr(0, whole.size() - 40), "truncated");
  refused(with("\n     2     1     1 ", "\n     3     1     1 "), "invalid count 3");
  refused(with("\n     2     1     1 ", "\n     0     1     1 "),
          "a point has the index 0 on axis 1, but indices begin at 1");
  refused(with("\n     2     1     1 ", "\n     1     1     1 "), "the point 1 1 1 has two lines");
  refused(head(one_spin, "    20    30    40") + points({1}), "do not fit");
}

}  // namespace
}  // namespace seiche
