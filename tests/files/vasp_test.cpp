// SPDX-License-Identifier: BSD-3-Clause
/// \file  WAVECARs of each kind, written number by number, and real ones where they are at hand.
#include <cmath>

#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"

#include "support/wave_checks.hpp"

namespace seiche {
namespace {

using namespace testing;

TEST(Vasp, WavesAndCoefficientsOfEachKind) {
  using testing::VaspFile;
  const std::vector<testing::Vector> two{{0.25, 0.5, -0.125}, {0, 0, 0}};
  for (const VaspFile& kind :
       {VaspFile{1, 1, 3, 45200, false, 60, two}, VaspFile{2, 1, 2, 45210, false, 60, two},
        VaspFile{1, 2, 3, 45200, false, 60, two}, VaspFile{1, 1, 3, 45200, true}, VaspFile{2, 1, 2, 45210, true},
        VaspFile{1, 1, 400, 53300, false, 20, two}, VaspFile{1, 2, 3, 53310, false, 35, two}}) {
    const testing::ScratchDirectory scratch;
    const auto path = written(scratch, "WAVECAR", [&](const std::string& p) { write_wavecar(p, kind); });
    const WaveFile file(MPI_COMM_WORLD, path);
    const OrbitalHeader& h = file.header();
    EXPECT_EQ(h.spins, kind.spins);
    EXPECT_EQ(h.spinor, kind.spinor);
    EXPECT_EQ(h.half_sphere, kind.gamma);
    EXPECT_EQ(h.bands, kind.bands);
    EXPECT_EQ(h.weighted, kind.kpoints.size() == 1);
    EXPECT_NEAR(h.crystal.volume(), 120.09375 / std::pow(0.529177249, 3), 1e-9);
    EXPECT_NEAR(h.energies[1] * 27.211652, -4, 1e-12);
    EXPECT_EQ(h.occupations[1], 0.25);
    EXPECT_EQ(h.norm_conserving, NormConserving::no);  // these bands have no norm of 1
    const auto last = static_cast<int>(h.kpoints.size()) - 1;
    testing::expect_equal(file.waves(0, last, {0, h.kpoints.back().plane_waves}),
                          testing::vasp_waves(kind, kind.kpoints.back()));
    expect_known_coefficients(path);
  }
}

TEST(Vasp, DensityNeedsWeights) {
  const testing::ScratchDirectory scratch;
  const auto path = written(scratch, "WAVECAR", [](const std::string& p) {
    testing::write_wavecar(p, {1, 1, 3, 45200, false, 60, {{0, 0, 0}, {0.5, 0, 0}}});
  });
  const WaveFile file(MPI_COMM_WORLD, path);
  expect_error(Fault::unsupported, "ultrasoft", [&] { density_of(file); });
}

TEST(Vasp, DamagedFilesAreRefused) {
  const testing::ScratchDirectory scratch;
  const auto fresh = [&] {
    return written(scratch, "WAVECAR", [](const std::string& p) { testing::write_wavecar(p, {}); });
  };
  std::string path = fresh();
  double record = 0;
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(&record), sizeof record);
  const auto second = static_cast<std::int64_t>(record);
  testing::damage(path, second, 1e9);
  expect_error(Fault::bad_file, "1000000000 k-points", [&] { open(path); });
  path = fresh();
  testing::damage(path, second + 8, 0.0);
  expect_error(Fault::bad_file, "k-points and 0 bands; rerun VASP", [&] { open(path); });
  path = fresh();
  testing::damage(path, second + 16, 61.5);
  expect_error(Fault::bad_file, "not what its cut-off of 61.5 eV", [&] { open(path); });
  path = fresh();
  testing::damage(path, second + 16, 1e300);
  expect_error(Fault::bad_file, "hartree cannot be", [&] { open(path); });
  path = fresh();
  testing::damage(path, second + 24, 0.0);
  expect_error(Fault::bad_file, "not what its cut-off", [&] { open(path); });
  path = fresh();
  if (testing::rank() == 0) std::filesystem::resize_file(path, static_cast<std::uintmax_t>(5 * second - 24));
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_file, "truncated record", [&] { open(path); });
  for (const double length : {1e300, std::nan("")}) {
    path = fresh();
    testing::damage(path, second + 24, length);
    expect_error(Fault::bad_file, "is no crystal's", [&] { open(path); });
  }
  path = written(scratch, "WAVECAR", [](const std::string& p) { testing::write_wavecar(p, {2}); });
  testing::damage(path, second * (2 + 1 + 3) + 8, 0.25);
  expect_error(Fault::bad_file, "different k-points", [&] { open(path); });
  path = fresh();  // another tag: not a WAVECAR at all
  testing::damage(path, 16, 45201.0);
  expect_error(Fault::bad_file, "no wavefunction file of a known format", [&] { open(path); });
}

TEST(Vasp, RealFiles) {
  const std::string standard = data_file("foreign/WAVECAR.wfc_r"), gamma = data_file("foreign/WAVECAR.co2");
  if (standard.empty() || gamma.empty()) GTEST_SKIP() << "foreign/WAVECAR.* are not here; set SEICHE_SHARED";
  const WaveFile a(MPI_COMM_WORLD, standard), b(MPI_COMM_WORLD, gamma);
  EXPECT_FALSE(a.header().half_sphere);
  EXPECT_TRUE(b.header().half_sphere);
  EXPECT_EQ(a.header().kpoints[0].plane_waves, 4099);
  EXPECT_EQ(b.header().kpoints[0].plane_waves, 9019);
  EXPECT_NEAR(b.header().electrons, 16, 1e-12);  // of CO2
  compared(5);
  expect_spheres(a);
  expect_spheres(b);
}

}  // namespace
}  // namespace seiche
