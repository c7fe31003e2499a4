// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files that ABINIT wrote, against its own densities and Quantum ESPRESSO's bands.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <tuple>

#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"

#include "support/wave_checks.hpp"

namespace seiche {
namespace {

using namespace testing;

class AbinitSet : public ::testing::TestWithParam<std::array<const char*, 2>> {};

TEST_P(AbinitSet, HasTheDensityThatAbinitWrote) {
  const auto [name, density_name] = GetParam();
  const std::string path = data_file(name);
  if (path.empty()) GTEST_SKIP() << name << " is not here; set SEICHE_SHARED";
  const WaveFile file(MPI_COMM_WORLD, path);
  const Density density = density_of(file);
  const Density wanted = read_density(data_file(density_name), density);
  EXPECT_LE(compare(density, wanted).largest(), 2e-12);
  EXPECT_NEAR(integrals(density)[0], 8, 1e-10);
  compared(density.box.volume() * static_cast<std::int64_t>(density.components.size()));
  expect_orthonormal(file, 1e-14);
  expect_spheres(file);
}

INSTANTIATE_TEST_SUITE_P(Abinit, AbinitSet,
                         ::testing::Values(std::array{"abinit/time_reversal/WFK", "abinit/time_reversal/DEN"},
                                           std::array{"abinit/time_reversal/WFK.nc", "abinit/time_reversal/DEN"},
                                           std::array{"abinit/gamma/WFK", "abinit/gamma/DEN"},
                                           std::array{"abinit/spin/WFK", "abinit/spin/DEN"},
                                           std::array{"abinit/spin/WFK.nc", "abinit/spin/DEN.nc"},
                                           std::array{"abinit/spinor/WFK", "abinit/spinor/DEN"},
                                           std::array{"abinit/spinor/WFK.nc", "abinit/spinor/DEN"},
                                           std::array{"abinit_si_psp8/sio_WFK", "abinit_si_psp8/sio_DEN"},
                                           std::array{"abinit_si_psp8_nc/sio_WFK.nc", "abinit_si_psp8_nc/sio_DEN.nc"}),
                         [](const auto& set) {
                           std::string name = set.param[0];
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == '/' || c == '.'; }, '_');
                           return name;
                         });

TEST(Abinit, SaysWhatItsFilesAre) {
  const WaveFile spin(MPI_COMM_WORLD, data_file("abinit/spin/WFK")),
      spinor(MPI_COMM_WORLD, data_file("abinit/spinor/WFK"));
  EXPECT_EQ(spin.header().format, "ABINIT WFK");
  EXPECT_EQ(spin.header().magnetism, Magnetism::collinear);
  EXPECT_EQ(spinor.header().magnetism, Magnetism::vector);
  EXPECT_EQ(spinor.header().spinor, 2);
  EXPECT_EQ(spin.header().grid, (GridShape{16, 16, 16}));
  EXPECT_EQ(spin.header().cutoff, 2.5);
  EXPECT_EQ(spin.header().crystal.atoms.size(), 2U);
  EXPECT_EQ(spin.header().crystal.atoms[1].symbol, "Si");
  testing::expect_close<double>(spin.header().crystal.atoms[1].position,
                                Vector3{-0.5 * 5.13155, 0.5 * 5.13155, 0.5 * 5.13155}, 1e-12);
  const WaveFile gamma(MPI_COMM_WORLD, data_file("abinit/gamma/WFK"));
  EXPECT_TRUE(gamma.header().half_sphere);
  const WaveFile pairs(MPI_COMM_WORLD, data_file("abinit/time_reversal/WFK"));
  EXPECT_FALSE(pairs.header().half_sphere);
  compared(10);
}

/// The same physics as Quantum ESPRESSO's: at k-points that both have, the occupied bands span the same space.
TEST(Abinit, OccupiedBandsAreThoseOfQuantumEspresso) {
  const std::string path = data_file("abinit_si_psp8/sio_WFK");
  const std::string full = data_set("si_small_full");  // all 64 k-points, without symmetry
  if (path.empty() || full.empty()) GTEST_SKIP() << "abinit_si_psp8 or si_small_full are not here; set SEICHE_SHARED";
  const WaveFile a(MPI_COMM_WORLD, path), b(MPI_COMM_WORLD, full);
  constexpr std::size_t occupied = 4;
  int found = 0;
  for (std::size_t k = 0; k < 8; ++k) {
    for (std::size_t other = 0; other < 64; ++other) {
      const Vector3 p = a.header().kpoints[k].k, q = b.header().kpoints[other].k;
      Miller shift{static_cast<int>(std::lround(q[0] - p[0])), static_cast<int>(std::lround(q[1] - p[1])),
                   static_cast<int>(std::lround(q[2] - p[2]))};
      if (std::abs(p[0] + shift.x - q[0]) + std::abs(p[1] + shift.y - q[1]) + std::abs(p[2] + shift.z - q[2]) > 1e-9) {
        continue;
      }
      const std::int64_t n = a.header().kpoints[k].plane_waves, m = b.header().kpoints[other].plane_waves;
      const auto ga = a.waves(0, static_cast<int>(k), {0, n}), gb = b.waves(0, static_cast<int>(other), {0, m});
      const auto ca = a.coefficients(0, static_cast<int>(k), {0, occupied}, {0, n});
      const auto cb = b.coefficients(0, static_cast<int>(other), {0, occupied}, {0, m});
      std::map<std::tuple<int, int, int>, std::size_t> place;
      for (std::size_t i = 0; i < gb.size(); ++i) place[{gb[i].x, gb[i].y, gb[i].z}] = i;
      double squares = 0;
      for (std::size_t s = 0; s < occupied; ++s) {
        for (std::size_t t = 0; t < occupied; ++t) {
          Complex sum{};
          for (std::size_t i = 0; i < ga.size(); ++i) {
            const auto at = place.find({ga[i].x - shift.x, ga[i].y - shift.y, ga[i].z - shift.z});
            if (at != place.end()) sum += std::conj(ca[s * ga.size() + i]) * cb[t * gb.size() + at->second];
          }
          squares += std::norm(sum);
        }
      }
      EXPECT_NEAR(squares, occupied, 1e-11) << "k-point " << k;
      compared();
      ++found;
    }
  }
  EXPECT_EQ(found, 8);
}

/// The lattices of k-points are those of the mesh, where it is known, else of the cell: two diagonal matrices, one
/// after the other.
TEST(Abinit, LatticesOfKPointsAreThoseOfTheMesh) {
  const testing::ScratchDirectory scratch;
  const std::string known = testing::copy_of("si_small", scratch), unknown = known + "/../other.save";
  if (rank() == 0) std::filesystem::copy(known, unknown, std::filesystem::copy_options::recursive);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string mesh =
      R"(<monkhorst_pack nk1="4" nk2="4" nk3="4" k1="0" k2="0" k3="0">Monkhorst-Pack</monkhorst_pack>)";
  for (int both = 0; both < 2; ++both) testing::replace(unknown + "/data-file-schema.xml", mesh, "");
  for (const auto& [path, points] : {std::pair(known, 4), std::pair(unknown, 1)}) {
    const std::string made = scratch.file(std::to_string(points) + "WFK");
    convert(WaveFile(MPI_COMM_WORLD, path), made);
    const std::int32_t n = points;
    const std::array<std::int32_t, 18> lattices{n, 0, 0, 0, n, 0, 0, 0, n, n, 0, 0, 0, n, 0, 0, 0, n};
    const std::string bytes(reinterpret_cast<const char*>(lattices.data()), sizeof lattices);
    EXPECT_NE(testing::contents(made).find(bytes), std::string::npos) << points;
    compared();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(Abinit, RefusesWhatItCannotRead) {
  const testing::ScratchDirectory scratch;
  const std::string from = data_file("abinit/time_reversal/WFK");
  const auto damaged = [&](std::int64_t offset, std::int32_t value) {
    const std::string path = scratch.file("WFK");
    if (testing::rank() == 0) {
      std::filesystem::copy_file(from, path, std::filesystem::copy_options::overwrite_existing);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    testing::damage(path, offset, value);
    return path;
  };
  const std::int64_t second = 24 + 4;  // where the numbers of the second record begin, after codvsn, headform, fform
  expect_error(Fault::unsupported, "older than ABINIT 8", [&] { open(damaged(4 + 8, 57)); });
  expect_error(Fault::unsupported, "omits the bands of spin down: set nsppol 2 and rerun",
               [&] { open(damaged(second + 4 * 9, 2)); });
  expect_error(Fault::unsupported, "with nspden 4 are not supported: set nspden 1",
               [&] { open(damaged(second + 4 * 9, 4)); });
  expect_error(Fault::unsupported, "with fform 64, which is not supported", [&] { open(damaged(4 + 12, 64)); });
  expect_error(Fault::bad_file, "invalid value of natom (-3)", [&] { open(damaged(second + 4 * 4, -3)); });
  expect_error(Fault::bad_file, "is too short", [&] { open(damaged(second + 4 * 8, 1000)); });
  expect_error(Fault::bad_file, "no grid", [&] { open(damaged(second + 4 * 5, 0)); });
  const std::int64_t third = second + 240 + 8;
  expect_error(Fault::bad_file, "invalid istwfk (11) at k-point 2", [&] { open(damaged(third + 4, 11)); });
  expect_error(Fault::unsupported, "nband is 5 at k-point 1 but 4 at k-point 2; only equal",
               [&] { open(damaged(third + 4 * 4, 4)); });
  const std::int64_t rotation = third + 4 * 66;  // the last of the identity's
  expect_error(Fault::bad_file, "symmetry operation 1 has determinant 2 (must be determinant 1 or -1)",
               [&] { open(damaged(rotation, 2)); });
  expect_error(Fault::bad_file, "symmetry operation 1 has invalid numbers", [&] { open(damaged(rotation, 1000)); });
  const std::int64_t first_wave = 4100;  // of the first k-point
  expect_error(Fault::bad_file, "the record of spin 1, k-point 1 contradicts the header",
               [&] { open(damaged(first_wave - 8 - 12, 7)); });
  expect_error(Fault::bad_file, "invalid plane wave (", [&] {
    const WaveFile file(MPI_COMM_WORLD, damaged(first_wave, std::numeric_limits<std::int32_t>::min()));
    file.waves(0, 0, mine_of(59));
  });
  const std::string cut = damaged(0, 16);
  if (testing::rank() == 0) std::filesystem::resize_file(cut, std::filesystem::file_size(cut) - 100);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_file, "truncated record", [&] { open(cut); });
}

/// A DEN as if it were a potential: ABINIT's files differ in their fform, and in what their components are.
Density as_potential(const ScratchDirectory& scratch, const std::string& density, std::int32_t form) {
  const std::string path = scratch.file("POT");
  if (rank() == 0) {
    std::filesystem::copy_file(data_file(density), path, std::filesystem::copy_options::overwrite_existing);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  testing::damage(path, 4 + 12, form);
  EXPECT_TRUE(holds_density_only(MPI_COMM_WORLD, path));
  const Density read = read_density(MPI_COMM_WORLD, path);
  EXPECT_EQ(read.units, "hartree");
  MPI_Barrier(MPI_COMM_WORLD);
  return read;
}

TEST(Abinit, PotentialsAreReadInHartree) {
  const testing::ScratchDirectory scratch;
  const Density plain = read_density(MPI_COMM_WORLD, data_file("abinit/gamma/DEN"));
  for (const std::int32_t form : {102, 103, 104, 105, 106, 107, 108}) {
    const Density potential = as_potential(scratch, "abinit/gamma/DEN", form);
    EXPECT_EQ(potential.components.size(), 1U);
    testing::expect_equal(potential.components[0], plain.components[0]);
  }
  Density wanted = plain;
  wanted.units = "eV";
  for (double& value : wanted.components[0]) value *= 27.211652;
  write_density(as_potential(scratch, "abinit/gamma/DEN", 104), scratch.file("LOCPOT"));
  const Density in_ev = read_density(MPI_COMM_WORLD, scratch.file("LOCPOT"));
  EXPECT_EQ(in_ev.units, "eV");
  testing::expect_close<double>(in_ev.components[0], wanted.components[0], 1e-12);
  expect_error(Fault::bad_argument, "files of this format hold densities (got values in hartree)", [&] {
    write_density(as_potential(scratch, "abinit/gamma/DEN", 104), scratch.file("charge-density.dat"));
  });
}

TEST(Abinit, PotentialsOfSpinsAreTheirMeanAndField) {
  const testing::ScratchDirectory scratch;
  Density wanted = read_density(MPI_COMM_WORLD, data_file("abinit/spin/DEN"));
  const Density up_and_down = as_potential(scratch, "abinit/spin/DEN", 107);
  for (std::size_t i = 0; i < wanted.components[0].size(); ++i) {
    const double up = wanted.components[0][i], down = (up + wanted.components[1][i]) / 2;  // as they lie in the file
    wanted.components[0][i] = (up + down) / 2;
    wanted.components[1][i] = (up - down) / 2;
  }
  for (std::size_t c = 0; c < 2; ++c) {
    testing::expect_close<double>(up_and_down.components[c], wanted.components[c], 1e-15);
  }
  EXPECT_EQ(as_potential(scratch, "abinit/spin/DEN", 104).components.size(), 1U);  // the same for both spins
  const Density spinor = read_density(MPI_COMM_WORLD, data_file("abinit/spinor/DEN")),
                matrix = as_potential(scratch, "abinit/spinor/DEN", 103);
  const auto& [upup, downdown, real, imaginary] =
      std::tie(spinor.components[0], spinor.components[1], spinor.components[2], spinor.components[3]);
  for (std::size_t i = 0; i < upup.size(); ++i) {
    const std::array<double, 4> found{matrix.components[0][i], matrix.components[1][i], matrix.components[2][i],
                                      matrix.components[3][i]};
    testing::expect_close<double>(
        found, std::array<double, 4>{(upup[i] + downdown[i]) / 2, real[i], -imaginary[i], (upup[i] - downdown[i]) / 2},
        1e-15);
  }
}

TEST(NetCdf, PotentialsAreReadInHartree) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("VHA.nc");
  if (rank() == 0) {
    std::string all = testing::contents(data_file("abinit/spin/DEN.nc"));
    const std::string name(
        "\0\0\0\x07"
        "density\0",
        12),
        other(
            "\0\0\0\x08"
            "vhartree",
            12);
    const auto at = all.find(name);
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) all.replace(at, name.size(), other);
    std::ofstream(path, std::ios::binary) << all;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Density read = read_density(MPI_COMM_WORLD, path),
                density = read_density(MPI_COMM_WORLD, data_file("abinit/spin/DEN.nc"));
  EXPECT_EQ(read.units, "hartree");
  EXPECT_EQ(read.components.size(), 1U);
  testing::expect_equal(read.components[0], density.components[0]);
}

TEST(Abinit, DensitiesOnGridsThatCannotBeAreRefused) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("DEN");
  if (testing::rank() == 0) std::filesystem::copy_file(data_file("abinit/gamma/DEN"), path);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::int64_t points = 28 + 4 * 5;  // as above; their product is no 64-bit number
  for (int axis = 0; axis < 3; ++axis) testing::damage(path, points + 4 * axis, std::int32_t{1} << 30);
  Density like{.comm = MPI_COMM_WORLD};
  expect_error(Fault::bad_file, "1073741824 x", [&] { read_density(path, like); });
  like.crystal = WaveFile(MPI_COMM_WORLD, data_file("abinit/gamma/WFK")).header().crystal;
  like.grid = {100000, 1, 1};
  if (testing::rank() == 0) like.box = whole(like.grid);
  like.components.assign(1, std::vector<double>(static_cast<std::size_t>(like.box.volume())));
  write_density(like, scratch.file("long.h5"));
  expect_error(Fault::bad_file, "invalid grid (100000 x 1 x 1 points)",
               [&] { read_density(scratch.file("long.h5"), like); });
}

TEST(NetCdf, DamagedHeadersAreRefused) {
  const testing::ScratchDirectory scratch;
  const std::string from = data_file("abinit/time_reversal/WFK.nc"), path = scratch.file("WFK.nc");
  const auto copy = [&] {
    if (testing::rank() == 0) {
      std::filesystem::copy_file(from, path, std::filesystem::copy_options::overwrite_existing);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
  copy();
  testing::damage(path, 3, char{9});
  expect_error(Fault::bad_file, "unknown version", [&] { open(path); });
  copy();
  testing::damage(path, 12, std::int32_t{-1});
  expect_error(Fault::bad_file, "declares more values than the file holds", [&] { open(path); });
  copy();
  testing::damage(path, 8, std::int32_t{0x05000000});
  expect_error(Fault::bad_file, "list of an unexpected type", [&] { open(path); });
  copy();
  if (testing::rank() == 0) std::filesystem::resize_file(path, 20000);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_file, "declares more values than the file holds", [&] { open(path); });
}

TEST(NetCdf, VariablesOfTheWrongKind) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("WFK.nc");
  if (testing::rank() == 0) std::filesystem::copy_file(data_file("abinit/time_reversal/WFK.nc"), path);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string name = "coefficients_of_wavefunctions";
  const std::string all = testing::contents(path);
  const auto dimensions =
      static_cast<std::int64_t>(all.rfind(name) + (name.size() + 3) / 4 * 4) + 4;  // after their number
  MPI_Barrier(MPI_COMM_WORLD);
  testing::damage(path, dimensions + 4 * 5, std::int32_t{0x14 << 24});  // as long as another axis, big-endian
  expect_error(Fault::bad_file, name + " has not the dimensions of complex wavefunctions", [&] { open(path); });
  constexpr std::int32_t text = 2 << 24;
  testing::damage(path, dimensions + 4 * 6 + 8, text);
  expect_error(Fault::unsupported, name + " holds neither 32-bit integers nor", [&] { open(path); });
}

TEST(OwnDensity, IsAReferenceToo) {
  const testing::ScratchDirectory scratch;
  const WaveFile file(MPI_COMM_WORLD, data_file("abinit/spinor/WFK"));
  const Density density = density_of(file);
  write_density(density, scratch.file("written.h5"));
  const Density read = read_density(scratch.file("written.h5"), density);
  for (std::size_t c = 0; c < 4; ++c) testing::expect_equal(read.components[c], density.components[c]);
}

}  // namespace
}  // namespace seiche
