// SPDX-License-Identifier: BSD-3-Clause
/// \file  Densities against those which Quantum ESPRESSO itself wrote.
#include "seiche/density_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "containers/hdf5.hpp"
#include "files/quantum_espresso/quantum_espresso.hpp"
#include "seiche/communicator.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::expect_error;

/// Compares the density of a .save with the one in it, and its electrons with their number.
void expect_as_written(const std::string& path) {
  const WaveFile file(MPI_COMM_WORLD, path);
  const Density density = density_of(file);
  const Density written = read_density(path, density);
  const Deviation deviation = compare(density, written);
  EXPECT_LE(deviation.largest(), 1e-12);
  EXPECT_EQ(deviation.magnetisation.has_value(), file.header().magnetism != Magnetism::none);
  EXPECT_NEAR(integrals(density)[0], file.header().electrons, 1e-10);
  compared(density.box.volume() * static_cast<std::int64_t>(density.components.size()));
}

class EachSet : public testing::EachSet {};
TEST_P(EachSet, IsAsQuantumEspressoWroteIt) { expect_as_written(data_set(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Density, EachSet,
                         ::testing::Values("si_small", "si_small/hdf5", "si_small_full", "si_small_full/hdf5",
                                           "si_ecut2", "si_ecut2/hdf5", "si_cell2", "gamma", "gamma/hdf5", "gamma_k",
                                           "fe", "fe/hdf5", "fe_so", "fe_so/hdf5", "fe_so_full", "al2o3_prim",
                                           "al2o3_prim/hdf5"),
                         testing::name_of_set);

TEST(Density, LargeCorundumIsAsQuantumEspressoWroteIt) {
  const testing::ScratchDirectory scratch;
  const std::string path = testing::unpacked("al2o3", scratch);
  if (path.empty()) GTEST_SKIP() << "al2o3 is not here; set SEICHE_SHARED";
  expect_as_written(path);
}

/// The parts of the ranks are parts, to the last bit, of what one rank gets alone.
TEST(Density, DoesNotDependOnTheNumberOfRanks) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const Density ours = density_of(WaveFile(MPI_COMM_WORLD, data_set(set)));
    const Density alone = density_of(WaveFile(MPI_COMM_SELF, data_set(set)));
    EXPECT_EQ(integrals(ours), integrals(alone));
    const auto& axis = ours.box.axis;
    std::int64_t different = 0;
    for (std::size_t c = 0; c < ours.components.size(); ++c) {
      const auto mine = dense_view(ours.components[c].data(), ours.box);
      const auto all = dense_view(alone.components[c].data(), alone.box);
      for (std::int64_t z = axis[2].low; z < axis[2].high; ++z) {
        for (std::int64_t y = axis[1].low; y < axis[1].high; ++y) {
          for (std::int64_t x = 0; x < ours.grid.nx; ++x) {
            different += mine(x, y - axis[1].low, z - axis[2].low) != all(x, y, z);
            compared();
          }
        }
      }
    }
    EXPECT_EQ(different, 0) << set;
  }
}

/// Wrong conventions are seen: applied to a symmetric density, they change it.
TEST(Density, WrongSymmetryWouldBeSeen) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const Density density = density_of(file);
  const auto deviation_with = [&](const auto& spoil) {
    OrbitalHeader header = file.header();
    for (SymmetryOperation& s : header.crystal.operations) spoil(s);
    Density again = density;
    symmetrize(again, header);
    return compare(again, density).density;
  };
  EXPECT_LE(deviation_with([](SymmetryOperation&) {}), 1e-14);
  EXPECT_GE(deviation_with([](SymmetryOperation& s) {
              for (double& t : s.translation) t = -t;
            }),
            1e-3);
  compared(2);
}

TEST(Density, OthersGridsAndSharesAreNotSymmetrised) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  Density density = density_of(file);
  OrbitalHeader header = file.header();
  header.density_cutoff = 0;
  expect_error(Fault::bad_argument, "no density_cutoff", [&] { symmetrize(density, header); });
  header = file.header();
  header.grid = {24, 20, 20};
  expect_error(Fault::bad_argument, "20 x 20 x 20 points, but the grid of the header has 24 x 20 x 20",
               [&] { symmetrize(density, header); });
  if (testing::ranks() > 1) {
    FftOptions options;
    options.reproducible = true;
    Density elsewhere = density;
    elsewhere.box.axis[2].low += 1;
    expect_error(Fault::bad_argument, "not distributed like the grid of SphereFft",
                 [&] { symmetrize(elsewhere, file.header(), options); });
  }
}

TEST(Density, CubeIsReadBackAsItWas) {
  const testing::ScratchDirectory scratch;
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("gamma")));
  const auto files = write_density(density, scratch.file("water.cube"));
  testing::expect_equal(files, {scratch.file("water.cube")});
  const Density back = read_density(files[0], density);
  testing::expect_equal(back.components[0], density.components[0]);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1) << "a temporary file was left";
}

TEST(Density, Hdf5HoldsAllComponents) {
  const testing::ScratchDirectory scratch;
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("fe_so")));
  const std::string path = scratch.file("iron.h5");
  write_density(density, path);
  const Hdf5File file = Hdf5File::open(path);
  const std::array<const char*, 4> names{"density", "mx", "my", "mz"};
  const auto& axis = density.box.axis;
  for (std::size_t c = 0; c < 4; ++c) {
    const Extent extent = file.extent(names[c]);
    EXPECT_EQ(extent.count, density.grid.volume());
    auto next = density.components[c].begin();
    for (std::int64_t z = axis[2].low; z < axis[2].high; ++z) {
      for (std::int64_t y = axis[1].low; y < axis[1].high; ++y, next += density.grid.nx) {
        std::vector<double> row(static_cast<std::size_t>(density.grid.nx));
        const std::int64_t begin = (z * density.grid.ny + y) * density.grid.nx;
        read_extent(File(path), extent, {begin, begin + density.grid.nx}, std::span<double>(row));
        EXPECT_TRUE(std::equal(row.begin(), row.end(), next));
        compared();
      }
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Quantum ESPRESSO's own file is the oracle: the same waves in the same order, and its values.
class OfQuantumEspresso : public testing::EachSet {};
TEST_P(OfQuantumEspresso, ChargeDensityFilesAreThoseOfTheCode) {
  const testing::ScratchDirectory scratch;
  const std::string theirs = find_charge_density(data_set(GetParam()));
  const std::string name = std::filesystem::path(theirs).filename().string();
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set(GetParam())));
  write_density(density, scratch.file(name));
  const auto expected = locate_charge_density(theirs), written = locate_charge_density(scratch.file(name));
  EXPECT_EQ(written.half_sphere, expected.half_sphere);
  EXPECT_EQ(written.count, expected.count);
  EXPECT_EQ(written.components.size(), expected.components.size());
  const Range all{0, std::min(written.count, expected.count)};
  testing::expect_equal(read_plane_waves(written.waves, all), read_plane_waves(expected.waves, all));
  for (std::size_t c = 0; c < expected.components.size(); ++c) {
    std::vector<double> ours(static_cast<std::size_t>(2 * all.high)), own(ours.size());
    read_extent(File(scratch.file(name)), written.components.at(c), {0, 2 * all.high}, std::span(ours));
    read_extent(File(theirs), expected.components[c], {0, 2 * all.high}, std::span(own));
    testing::expect_close<double>(ours, own, 1e-12);
  }
  const Deviation back = compare(read_density(scratch.file(name), density), density);
  EXPECT_LE(back.largest(), 1e-14);
}
INSTANTIATE_TEST_SUITE_P(Density, OfQuantumEspresso,
                         ::testing::Values("si_small", "gamma", "fe", "fe_so", "si_small/hdf5", "fe_so/hdf5"),
                         testing::name_of_set);

TEST(Density, ChargeDensityFilesDoNotDependOnTheNumberOfRanks) {
  const testing::ScratchDirectory scratch;
  for (const char* name : {"charge-density.dat", "charge-density.hdf5"}) {
    const std::string alone = scratch.file(std::to_string(testing::rank())) + "/" + name;
    std::filesystem::create_directory(std::filesystem::path(alone).parent_path());
    const auto write = [&](MPI_Comm comm, const std::string& path) {
      write_density(density_of(WaveFile(comm, data_set("fe_so"))), path);
    };
    write(MPI_COMM_SELF, alone);
    write(MPI_COMM_WORLD, scratch.file(name));
    EXPECT_TRUE(testing::contents(alone) == testing::contents(scratch.file(name))) << name;
    compared();
  }
}

TEST(Density, ChargeDensityNeedsACutoff) {
  const testing::ScratchDirectory scratch;
  Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("gamma")));
  density.cutoff = 0;
  expect_error(Fault::bad_argument, "the cutoff of the density is unknown",
               [&] { write_density(density, scratch.file("charge-density.dat")); });
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Density, XsfRepeatsTheFirstPoints) {
  const testing::ScratchDirectory scratch;
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  const auto files = write_density(density, scratch.file("silicon.xsf"));
  const std::string text = testing::contents(files[0]);
  EXPECT_EQ(text.find('\0'), std::string::npos) << "a place nobody wrote";
  EXPECT_NE(text.find("21 21 21\n"), std::string::npos);
  const std::string end = "END_DATAGRID_3D\nEND_BLOCK_DATAGRID_3D\n";
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
  compared();
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Density, MagnetisationGoesToFilesOfItsOwn) {
  const testing::ScratchDirectory scratch;
  const Density density = density_of(WaveFile(MPI_COMM_WORLD, data_set("fe_so")));
  const auto files = write_density(density, scratch.file("iron.cube"));
  testing::expect_equal(files, {scratch.file("iron.cube"), scratch.file("iron_mx.cube"), scratch.file("iron_my.cube"),
                                scratch.file("iron_mz.cube")});
  const Density back = read_density(files[0], density);
  const Deviation deviation = compare(density, back);
  EXPECT_EQ(deviation.density, 0);
  EXPECT_EQ(deviation.magnetisation, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (testing::rank() == 0) std::filesystem::remove(files[3]);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(compare(density, read_density(files[0], density)).magnetisation);
}

TEST(Density, UnwritablePlacesAreNamedAtOnce) {
  const testing::ScratchDirectory scratch;
  const auto expect = [](const std::string& path) { expect_output(MPI_COMM_WORLD, path); };
  expect_error(Fault::unwritable, "nowhere/a.cube", [&] { expect(scratch.file("nowhere/a.cube")); });
  expect_error(Fault::bad_argument, ".cube, .xsf or .h5, or the name charge-density.dat",
               [&] { expect(scratch.file("a.txt")); });
  expect(scratch.file("fine.h5"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Density, UltrasoftRunsAreRefused) {
  const testing::ScratchDirectory scratch;
  const std::string path = testing::copy_of("si_small", scratch);
  testing::replace(path + "/data-file-schema.xml", "<uspp>false</uspp>", "<uspp>true</uspp>");
  const WaveFile file(MPI_COMM_WORLD, path);
  expect_error(Fault::unsupported, "use the density file of the code (VASP: CHGCAR)", [&] { density_of(file); });
  DensityOptions bare;
  bare.as_they_are = true;
  EXPECT_NEAR(integrals(density_of(file, bare))[0], 8, 1e-9);
}

TEST(Density, CountsOfWavesMustAgree) {
  const testing::ScratchDirectory scratch;
  const std::string path = testing::copy_of("si_small/hdf5", scratch);
  if (testing::rank() == 0) {
    const Hdf5Id file(H5Fopen((path + "/charge-density.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Hdf5Id count(H5Aopen(file.get(), "ngm_g", H5P_DEFAULT), H5Aclose);
    const int wrong = 1470;
    EXPECT_GE(H5Awrite(count.get(), H5T_NATIVE_INT, &wrong), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Density silicon = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  expect_error(Fault::bad_file, "MillerIndices does not match ngm_g = 1470", [&] { read_density(path, silicon); });
}

TEST(Density, OthersDensitiesAreRefused) {
  const Density silicon = density_of(WaveFile(MPI_COMM_WORLD, data_set("si_small")));
  expect_error(Fault::bad_argument, "another cell", [&] { read_density(data_set("gamma"), silicon); });
  expect_error(Fault::bad_file, "cannot find", [&] { read_density("nowhere.cube", silicon); });
  const testing::ScratchDirectory scratch;
  write_density(silicon, scratch.file("silicon.cube"));
  Density finer = silicon;
  finer.grid.ny = 24;
  expect_error(Fault::bad_argument, "20 grid points along axis 2 instead of 24: use the same grid",
               [&] { read_density(scratch.file("silicon.cube"), finer); });
  expect_error(Fault::bad_file, "not a density of a known format",
               [&] { read_density("density/density_test.cpp", silicon); });
}

/// Orbitals in memory have the density of the file that they come from, to the last bit, however they are spread.
TEST(Density, OfOrbitalsInMemoryIsThatOfTheFile) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const Density expected = density_of(file);
    const int ranks = testing::ranks();
    for (const OrbitalGrid& grid : {OrbitalGrid{1, 1, ranks}, OrbitalGrid{1, ranks, 1}, OrbitalGrid{ranks, 1, 1}}) {
      const Density found = density_of(read_orbitals(file, {grid}));
      EXPECT_EQ(found.box, expected.box);
      EXPECT_TRUE(found.components == expected.components)
          << set << " on " << grid.kpoints << " x " << grid.bands << " x " << grid.waves;
      compared(found.box.volume());
    }
  }
}

/// Few bytes in flight make many rounds, which must not change a bit.
TEST(Density, DoesNotDependOnTheMemoryOfItsRounds) {
  const WaveFile file(MPI_COMM_WORLD, data_set("fe_so"));
  const Density expected = density_of(file);
  DensityOptions small;
  small.policy.memory = 200'000;
  EXPECT_TRUE(density_of(file, small).components == expected.components);
  compared(expected.box.volume());
  small.policy.memory = 20'000;
  expect_error(Fault::bad_argument, "a window of one band needs", [&] { density_of(file, small); });
}

/// One rank reads a damaged band; all say so, and the next density is right.
TEST(Density, DamagedBandsAreFoundByTheirChecksums) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("a.h5");
  const WaveFile sound(MPI_COMM_WORLD, data_set("si_small"));
  convert(sound, path);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  MPI_Barrier(MPI_COMM_WORLD);
  testing::damage(path, size / 2, 0.125);
  const WaveFile damaged(MPI_COMM_WORLD, path);
  expect_error(Fault::bad_file, "the checksum of band", [&] { density_of(damaged); });
  EXPECT_NEAR(integrals(density_of(sound))[0], 8, 1e-10);
  compared(1);
}

}  // namespace
}  // namespace seiche
