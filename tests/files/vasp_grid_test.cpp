// SPDX-License-Identifier: BSD-3-Clause
/// \file  VASP's CHGCAR and LOCPOT, read from text as VASP has it, and written and read back. pymatgen judges what is
/// written, in tests/foreign.
#include <fmt/format.h>

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
  expect_values(potential, 0, 1);
  expect_error(Fault::unsupported, "of potentials only one can be read",
               [&] { read_density(MPI_COMM_WORLD, put(scratch, "LOCPOT", poscar + block_of(1) + block_of(1))); });
  const auto written = write_density(potential, scratch.file("again.locpot"));
  expect_values(read_density(MPI_COMM_WORLD, written.at(0)), 0, 1);
  expect_error(Fault::bad_argument, "these are values of another kind",
               [&] { write_density(potential, scratch.file("CHGCAR")); });
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
    expect_error(Fault::bad_argument, "and this is a density (CHGCAR)",
                 [&] { write_density(density, scratch.file("LOCPOT")); });
  }
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
  refused("no density can have", poscar + "\n 0 3 4\n");
  refused("555218 atoms", "by hand\n 1\n 1 0 0\n 0 1 0\n 0 0 1\n Al\n 0555218e0\nDirect\n 0 0 0\n");
  refused("has no line of elements", "by hand\n 1\n 1 0 0\n 0 1 0\n 0 0 1\n 1\nDirect\n 0 0 0\n");
}

}  // namespace
}  // namespace seiche
