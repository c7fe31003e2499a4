// SPDX-License-Identifier: BSD-3-Clause
/// \file  .check files of each kind, written number by number, and a real one where it is at hand.

#include <algorithm>
#include <bit>

#include "containers/fortran.hpp"
#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"

#include "support/wave_checks.hpp"

namespace seiche {
namespace {

using namespace testing;

TEST(Castep, WavesAndCoefficientsOfEachKind) {
  using testing::CastepTestFile;
  for (CastepTestFile kind : {CastepTestFile{}, CastepTestFile{2, 1, 3}, CastepTestFile{1, 2, 2, false, false},
                              CastepTestFile{1, 1, 3, true, true, 2, {{0, 0, 0}}}}) {
    const testing::ScratchDirectory scratch;
    const auto path = written(scratch, "made.check", [&](const std::string& p) { write_check(p, kind); });
    const WaveFile file(MPI_COMM_WORLD, path);
    const OrbitalHeader& h = file.header();
    EXPECT_EQ(h.spins, kind.spins);
    EXPECT_EQ(h.spinor, kind.spinor);
    EXPECT_EQ(h.half_sphere, kind.gamma);
    EXPECT_EQ(h.cutoff, kind.cutoff);
    EXPECT_NEAR(h.crystal.volume(), 120.09375, 1e-10);  // the second cell's, not the first's
    testing::expect_close<double>(h.crystal.lattice[0], testing::cell[0], 0);
    testing::expect_close<double>(h.crystal.lattice[2], testing::cell[2], 0);
    EXPECT_EQ(h.crystal.atoms.size(), 3U);
    EXPECT_EQ(h.crystal.atoms[0].symbol, "Ga");
    EXPECT_EQ(h.crystal.atoms[2].symbol, "N");
    testing::expect_close<double>(h.crystal.atoms[2].position, Vector3{-1, -0.0625, 0}, 1e-15);
    EXPECT_EQ(h.crystal.operations.size(), 2U);
    EXPECT_EQ(h.crystal.operations[1].rotation[2][2], -1);
    const auto kpoints = static_cast<double>(h.kpoints.size());
    for (std::size_t k = 0; k < h.kpoints.size(); ++k) {
      EXPECT_EQ(h.kpoints[k].k, kind.kpoints[k]);
      EXPECT_NEAR(h.kpoints[k].weight, 2 * (static_cast<double>(k) + 1) / (kpoints * (kpoints + 1)), 1e-15);
      EXPECT_EQ(h.energies[h.state(kind.spins - 1, static_cast<int>(k), 1)],
                1 + 10 * static_cast<double>(k) + 100 * (kind.spins - 1));
      compared(2);
    }
    expect_spheres(file);
    expect_known_coefficients(path);
  }
}

TEST(Castep, DensityOnItsGrid) {
  const testing::ScratchDirectory scratch;
  testing::CastepTestFile kind;
  kind.spins = 2;
  const auto path = written(scratch, "made.check", [&](const std::string& p) { write_check(p, kind); });
  const WaveFile file(MPI_COMM_WORLD, path);
  Density like{.comm = MPI_COMM_WORLD};
  like.crystal = file.header().crystal;
  like.grid = {4, 5, 6};
  like.box = whole(like.grid);
  like.box.axis[2] = mine_of(6);
  like.components.assign(2, std::vector<double>(static_cast<std::size_t>(like.box.volume())));
  const Density read = read_density(path, like);
  for (int c = 0; c < 2; ++c) {
    std::vector<double> expected;
    for (auto z = static_cast<int>(like.box.axis[2].low); z < like.box.axis[2].high; ++z) {
      for (int y = 0; y < 5; ++y) {
        for (int x = 0; x < 4; ++x) expected.push_back(testing::density_at(x, y, z, c) / 120.09375);
      }
    }
    testing::expect_close<double>(read.components[static_cast<std::size_t>(c)], expected, 1e-15);
  }
  like.grid = {5, 4, 6};
  expect_error(Fault::bad_argument, "4 x 5 x 6 points instead of 5 x 4 x 6", [&] { read_density(path, like); });
  like.grid = {4, 5, 6};
  like.components.resize(1);
  expect_error(Fault::bad_argument, "components of a density, but", [&] { read_density(path, like); });
}

TEST(Castep, DensityOfACastepBin) {
  const testing::ScratchDirectory scratch;
  for (const int spins : {1, 2}) {
    testing::CastepTestFile kind;
    kind.spins = spins;
    const auto check = written(scratch, "made.check", [&](const std::string& p) { write_check(p, kind); });
    kind.binary = true;
    const auto binary = written(scratch, "made.castep_bin", [&](const std::string& p) { write_check(p, kind); });
    EXPECT_TRUE(holds_density_only(MPI_COMM_WORLD, binary));
    const Density found = read_density(MPI_COMM_WORLD, binary), expected = read_density(MPI_COMM_WORLD, check);
    EXPECT_EQ(found.components.size(), static_cast<std::size_t>(spins));
    for (std::size_t c = 0; c < found.components.size(); ++c) {
      testing::expect_close<double>(found.components[c], expected.components[c], 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(Castep, DensityOfSpinsGoesAlong) {
  const testing::ScratchDirectory scratch;
  const testing::CastepTestFile polarised{2};
  const auto path = written(scratch, "spins.check", [&](const std::string& p) { write_check(p, polarised); });
  convert(WaveFile(MPI_COMM_WORLD, path), scratch.file("again.check"), "", {.density = true});
  const WaveFile once(MPI_COMM_WORLD, path), twice(MPI_COMM_WORLD, scratch.file("again.check"));
  EXPECT_EQ(once.header().density_components, 2);
  EXPECT_LE(compare(read_density(twice), read_density(once)).largest(), 1e-15);
  compared();
}

/// Where the record begins that follows the last one that begins with `text`, whose length is `bytes`.
std::int64_t after(const std::string& path, const std::string& text, std::int64_t bytes) {
  return static_cast<std::int64_t>(testing::contents(path).rfind(text)) + bytes + 8;
}

TEST(Castep, CountsThatCannotBeAreNamed) {
  const testing::ScratchDirectory scratch;
  constexpr std::int64_t tag = 256, grid_of_waves = 12 + 8, counts = 20 + 8;
  const auto refused = [&](Fault fault, const std::string& said, const std::string& text, std::int64_t bytes,
                           std::int64_t further, const auto& value) {
    const auto path = written(scratch, "made.check", [](const std::string& p) { testing::write_check(p, {}); });
    const std::int64_t place = after(path, text, bytes) + further;
    MPI_Barrier(MPI_COMM_WORLD);
    auto reversed = std::bit_cast<std::array<char, sizeof value>>(value);
    std::reverse(reversed.begin(), reversed.end());
    testing::damage(path, place, reversed);
    expect_error(fault, said, [&] { open(path); });
  };
  refused(Fault::bad_file, "invalid value of CELL%NUM_SPECIES (-1)", "CELL%NUM_SPECIES", tag, 0, std::int32_t{-1});
  refused(Fault::bad_file, "species 1 has 3 ions, but at most 2 are declared", "CELL%NUM_IONS_IN_SPECIES", tag, 0,
          std::int32_t{3});
  refused(Fault::unsupported, "has no wavefunctions: rerun CASTEP", "END_CELL_GLOBAL", tag, 0, std::int32_t{0});
  refused(Fault::bad_file, "3 k-points have waves, but the cell lists 2", "wave", 4, grid_of_waves + 12,
          std::int32_t{3});
  refused(Fault::bad_file, "k-point (0.125, 0, 0) is not listed in the cell", "wave", 4, grid_of_waves + counts, 0.125);
}

TEST(Castep, RefusesWhatItCannotRead) {
  const testing::ScratchDirectory scratch;
  testing::CastepTestFile kind;
  kind.binary = true;
  const auto binary = written(scratch, "a.castep_bin", [&](const std::string& p) { write_check(p, kind); });
  expect_error(Fault::bad_file, "which has no wavefunctions: give the .check of the run", [&] { open(binary); });
  testing::CastepTestFile none;
  none.density = false;
  const auto without = written(scratch, "none.check", [&](const std::string& p) { write_check(p, none); });
  const WaveFile file(MPI_COMM_WORLD, without);
  Density like{.comm = MPI_COMM_WORLD};
  like.crystal = file.header().crystal;
  expect_error(Fault::bad_file, "has no density", [&] { read_density(without, like); });
}

TEST(Fortran, RecordsOfAnyLengthAndOrder) {
  const testing::ScratchDirectory scratch;
  for (const bool big_endian : {false, true}) {
    const auto path = written(scratch, "records", [&](const std::string& p) {
      testing::Bytes bytes(big_endian);
      bytes.record(testing::Bytes(big_endian)).record(testing::Bytes(big_endian).put(2.5).put(7).text("ab", 4)).save(p);
    });
    const File file(path);
    FortranRecords records(file, big_endian);
    EXPECT_EQ(records.next().take_text(0), "");
    auto second = records.next(16);
    EXPECT_EQ(second.take<double>(), 2.5);
    EXPECT_EQ(second.take<std::int32_t>(), 7);
    EXPECT_EQ(second.take_text(4), "ab");
    EXPECT_TRUE(records.at_end());
    expect_error(Fault::bad_file, "is too short", [&] { second.take<std::int32_t>(); });
    EXPECT_EQ(first_record(file).bytes, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// What CASTEP itself wrote, against its input and its electrons.
void expect_gallium_arsenide(const std::string& path, std::size_t kpoints) {
  const WaveFile file(MPI_COMM_WORLD, path);
  const OrbitalHeader& h = file.header();
  EXPECT_EQ(h.norm_conserving, NormConserving::no);
  EXPECT_EQ(h.kpoints.size(), kpoints);
  EXPECT_EQ(h.bands, 18);
  EXPECT_EQ(h.crystal.operations.size(), 24U);
  EXPECT_NEAR(h.electrons, 28, 1e-12);
  EXPECT_NEAR(h.cutoff * 27.211386, 350, 1e-4);
  compared(6);
  expect_spheres(file);
  expect_error(Fault::unsupported, "ultrasoft", [&] { density_of(file); });
  Density like{MPI_COMM_WORLD, h.crystal, h.grid, whole(h.grid), {}};
  like.box.axis[1] = mine_of(h.grid.ny);
  like.components.resize(1);
  const Density density = read_density(path, like);
  double sum = 0;
  for (const double value : density.components[0]) sum += value;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_NEAR(sum * h.crystal.volume() / static_cast<double>(h.grid.volume()), 28, 1e-10);
  compared();
}

TEST(Castep, ARealFile) {
  const std::string path = data_file("castep/GaAs.check");  // three of its ten k-points
  expect_gallium_arsenide(path, 3);
  const WaveFile file(MPI_COMM_WORLD, path);
  const OrbitalHeader& h = file.header();
  testing::expect_close<double>(h.kpoints[0].k, Vector3{-0.4, -0.2, 0}, 1e-12);
  EXPECT_NEAR(h.energies[0], -1.1837933431294947, 1e-15);
  testing::expect_equal(file.waves(0, 0, {0, 1}), {{0, 0, 0}});
  const std::vector<Complex> first{{-3.8470587184299897e-07, -1.0263540953090875e-06},
                                   {1.3615733282063523e-06, -8.534486893517582e-07}};
  testing::expect_close<Complex>(file.coefficients(0, 0, {0, 1}, {0, 2}), first, 1e-20);
}

TEST(Castep, TheWholeRealFile) {
  const std::string path = data_file("foreign/GaAs.check");
  if (path.empty()) GTEST_SKIP() << "foreign/GaAs.check is not here; set SEICHE_SHARED";
  expect_gallium_arsenide(path, 10);
}

}  // namespace
}  // namespace seiche
