// SPDX-License-Identifier: BSD-3-Clause
/// \file  Quantities on a grid, read from files that say themselves what their crystal and grid are.
#include <fmt/format.h>

#include <filesystem>

#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"
#include "support/grids.hpp"

namespace seiche {
namespace {

using testing::data_file;
using testing::data_set;
using testing::expect_error;
using testing::put;
using testing::value_at;

constexpr double angstrom = 1 / 0.529177210903;

void expect_same_crystal(const Crystal& found, const Crystal& wanted, double tolerance) {
  for (std::size_t i = 0; i < 3; ++i) {
    testing::expect_close<double>(std::vector(found.lattice[i].begin(), found.lattice[i].end()),
                                  std::vector(wanted.lattice[i].begin(), wanted.lattice[i].end()), tolerance);
  }
  ASSERT_EQ(found.atoms.size(), wanted.atoms.size());
  for (std::size_t n = 0; n < wanted.atoms.size(); ++n) {
    EXPECT_EQ(found.atoms[n].symbol, wanted.atoms[n].symbol);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.atoms[n].position[i], wanted.atoms[n].position[i], tolerance);
    }
  }
}

void expect_known_values(const Density& density) { testing::expect_values(density, 0, 1, 0); }

const std::string cube_values = [] {
  std::string text;
  for (int x = 0; x < 2; ++x) {
    for (int y = 0; y < 3; ++y) {
      for (int z = 0; z < 4; ++z) text += fmt::format("{} ", value_at(x, y, z));
      text += '\n';
    }
  }
  return text;
}();

TEST(GridText, CubeOfAnotherProgram) {
  const testing::ScratchDirectory scratch;
  const std::string path = put(scratch, "potential.cube",
                               "made by hand\nfor this test\n"
                               "2 0.5 0 0\n2 1.0 0 0\n3 0 2.0 0\n4 0.25 0 +1.5\n"
                               "14 4.0 0.5 0 0\n8 6.0 1.5 1.0 2.0\n" +
                                   cube_values);
  const Density density = read_density(MPI_COMM_WORLD, path);
  expect_same_crystal(density.crystal, {{{{2, 0, 0}, {0, 6, 0}, {1, 0, 6}}}, {{"Si", {0, 0, 0}}, {"O", {1, 1, 2}}}, {}},
                      1e-14);
  EXPECT_EQ(density.units, "as in potential.cube");
  expect_known_values(density);

  const auto in_angstrom = put(scratch, "angstrom.cube",
                               "by hand\nin angstrom\n1 0 0 0\n-2 1 0 0\n-3 0 1 0\n-4 0 0 1\n"
                               "1 1.0 1 2 3\n" +
                                   cube_values);
  expect_same_crystal(read_density(MPI_COMM_WORLD, in_angstrom).crystal,
                      {{{{2 * angstrom, 0, 0}, {0, 3 * angstrom, 0}, {0, 0, 4 * angstrom}}},
                       {{"H", {angstrom, 2 * angstrom, 3 * angstrom}}},
                       {}},
                      1e-14);
}

std::string xsf(const std::string& cell = "2 0 0\n0 3 0\n0 0 4\n") {
  std::string text = "# by hand\nCRYSTAL\nPRIMVEC\n" + cell +
                     "PRIMCOORD\n2 1\nSi1 0 0 0 0.1 0.2 0.3\n8 1 1 2\n"
                     "BEGIN_BLOCK_DATAGRID_3D\npotential\nDATAGRID_3D_one\n3 4 5\n0 0 0\n2 0 0\n0 3 0\n0 0 4\n";
  for (int z = 0; z <= 4; ++z) {
    for (int y = 0; y <= 3; ++y) {
      for (int x = 0; x <= 2; ++x) text += fmt::format("{}\n", value_at(x % 2, y % 3, z % 4));
    }
  }
  return text + "END_DATAGRID_3D\nEND_BLOCK_DATAGRID_3D\n";
}

TEST(GridText, XsfOfAnotherProgram) {
  const testing::ScratchDirectory scratch;
  const Density density = read_density(MPI_COMM_WORLD, put(scratch, "potential.xsf", xsf()));
  EXPECT_EQ(density.grid, (GridShape{2, 3, 4}));
  expect_same_crystal(density.crystal,
                      {{{{2 * angstrom, 0, 0}, {0, 3 * angstrom, 0}, {0, 0, 4 * angstrom}}},
                       {{"Si", {0, 0, 0}}, {"O", {angstrom, angstrom, 2 * angstrom}}},
                       {}},
                      1e-14);
  expect_known_values(density);
}

TEST(GridText, GoesFromFormatToFormat) {
  const testing::ScratchDirectory scratch;
  std::string path = put(scratch, "0.xsf", xsf());
  const Density original = read_density(MPI_COMM_WORLD, path);
  for (const char* name : {"1.cube", "2.h5", "3.xsf"}) {
    write_density(read_density(MPI_COMM_WORLD, path), scratch.file(name));
    path = scratch.file(name);
    const Density again = read_density(MPI_COMM_WORLD, path);
    expect_same_crystal(again.crystal, original.crystal, 1e-13);
    expect_known_values(again);
    EXPECT_TRUE(holds_density_only(MPI_COMM_WORLD, path)) << name;
  }
}

/// A density of a code, and the wavefunctions that it is of: a .save, or files.
struct OfCode {
  const char *density, *waves;
};
std::string found(const char* name) { return data_set(name).empty() ? data_file(name) : data_set(name); }

class DensitiesOfCodes : public ::testing::TestWithParam<OfCode> {};
TEST_P(DensitiesOfCodes, SayWhatTheyAre) {
  const std::string density = found(GetParam().density), waves = found(GetParam().waves);
  if (density.empty() || waves.empty()) GTEST_SKIP() << GetParam().density << " is not here; set SEICHE_SHARED";
  const WaveFile file(MPI_COMM_WORLD, waves);
  const Density computed = density_of(file);
  const Density read = read_density(MPI_COMM_WORLD, density);
  EXPECT_LE(compare(computed, read).largest(), 1e-11);
  EXPECT_EQ(read.components.size(), computed.components.size());
  EXPECT_EQ(read.units, electrons_per_volume);
  Crystal wanted = file.header().crystal;
  if (density.ends_with(".nc")) wanted.atoms.clear();  // this file has none
  expect_same_crystal(read.crystal, wanted, 1e-12);
  const bool alone = std::filesystem::path(density).filename().string().starts_with("DEN");
  EXPECT_EQ(holds_density_only(MPI_COMM_WORLD, density), alone);
}
INSTANTIATE_TEST_SUITE_P(GridText, DensitiesOfCodes,
                         ::testing::Values(OfCode{"si_small", "si_small"}, OfCode{"gamma/hdf5", "gamma"},
                                           OfCode{"fe", "fe"}, OfCode{"fe_so", "fe_so"},
                                           OfCode{"abinit/spin/DEN", "abinit/spin/WFK"},
                                           OfCode{"abinit/spin/DEN.nc", "abinit/spin/WFK"},
                                           OfCode{"abinit/time_reversal/DEN", "abinit/time_reversal/WFK"}));

TEST(GridText, MagnetisationBesideIsReadToo) {
  const testing::ScratchDirectory scratch;
  const Density iron = density_of(WaveFile(MPI_COMM_WORLD, data_set("fe_so")));
  for (const char* name : {"iron.cube", "iron.xsf", "iron.h5"}) {
    write_density(iron, scratch.file(name));
    const Density back = read_density(MPI_COMM_WORLD, scratch.file(name));
    EXPECT_EQ(back.units, electrons_per_volume);
    for (std::size_t c = 0; c < 4; ++c) testing::expect_equal(back.components.at(c), iron.components[c]);
  }
}

TEST(GridText, DamagedFilesAreRefused) {
  const testing::ScratchDirectory scratch;
  const auto refused = [&](Fault fault, const char* part, const std::string& name, const std::string& text) {
    const std::string path = put(scratch, name, text);
    expect_error(fault, part, [&] { read_density(MPI_COMM_WORLD, path); });
    MPI_Barrier(MPI_COMM_WORLD);
  };
  const std::string steps = "2 1 0 0\n3 0 1 0\n4 0 0 1\n", head = "a\nb\n0 0 0 0\n" + steps;
  refused(Fault::unsupported, "holds orbitals", "a.cube", "a\nb\n-1 0 0 0\n" + steps);
  refused(Fault::bad_file, "'x' near byte", "a.cube", head + "1 2 x");
  refused(Fault::bad_file, "truncated", "a.cube", head + "1 2 3\n");
  refused(Fault::bad_file, "cannot be a number of anything", "a.cube", "a\nb\n1e9 0 0 0\n");
  refused(Fault::bad_file, "no density can have 0 x 3 x 4", "a.cube", "a\nb\n0 0 0 0\n0 1 0 0\n3 0 1 0\n4 0 0 1\n1\n");
  refused(Fault::bad_file, "its cell has no volume", "a.cube", "a\nb\n0 0 0 0\n2 1 0 0\n3 1 0 0\n4 0 0 1\n1\n");
  refused(Fault::unsupported, "not a crystal's", "a.xsf", "MOLECULE\n");
  refused(Fault::unsupported, "another cell than PRIMVEC", "a.xsf", xsf("1 0 0\n0 3 0\n0 0 4\n"));
}

TEST(GridText, MoreAtomsThanThereCanBeAreRefused) {
  const testing::ScratchDirectory scratch;
  Density density{.comm = MPI_COMM_WORLD};
  density.crystal = {{{{5, 0, 0}, {0, 5, 0}, {0, 0, 5}}}, std::vector<Atom>(100001, {"H", {}}), {}};
  density.grid = {2, 2, 2};
  if (testing::rank() == 0) density.box = {{{{0, 2}, {0, 2}, {0, 2}}}};
  density.components.assign(1, std::vector<double>(static_cast<std::size_t>(density.box.volume())));
  write_density(density, scratch.file("many.h5"));
  expect_error(Fault::bad_file, "100001 atoms cannot be",
               [&] { read_density(MPI_COMM_WORLD, scratch.file("many.h5")); });
}

TEST(GridText, ADensityAloneInPlaneWavesIsRefused) {
  const testing::ScratchDirectory scratch;
  if (testing::rank() == 0) {
    std::filesystem::copy_file(data_set("si_small") + "/charge-density.dat", scratch.file("charge-density.dat"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_argument, "does not say what its cell and grid are",
               [&] { read_density(MPI_COMM_WORLD, scratch.file("charge-density.dat")); });
}

}  // namespace
}  // namespace seiche
