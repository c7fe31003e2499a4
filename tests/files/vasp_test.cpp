// SPDX-License-Identifier: BSD-3-Clause
/// \file  WAVECARs of each kind, written number by number, and real ones where they are at hand.
#include <cmath>
#include <fstream>
#include <map>

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
  expect_error(Fault::bad_file, "k-points and 0 bands: rerun VASP", [&] { open(path); });
  path = fresh();
  testing::damage(path, second + 16, 61.5);
  expect_error(Fault::bad_file, "do not match its cutoff of 61.5 eV", [&] { open(path); });
  path = fresh();
  testing::damage(path, second + 16, 1e300);
  expect_error(Fault::bad_file, "invalid cutoff (", [&] { open(path); });
  path = fresh();
  testing::damage(path, second + 24, 0.0);
  expect_error(Fault::bad_file, "do not match its cutoff", [&] { open(path); });
  path = fresh();
  if (testing::rank() == 0) std::filesystem::resize_file(path, static_cast<std::uintmax_t>(5 * second - 24));
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_file, "truncated record", [&] { open(path); });
  for (const double length : {1e300, std::nan("")}) {
    path = fresh();
    testing::damage(path, second + 24, length);
    expect_error(Fault::bad_file, "span an invalid volume", [&] { open(path); });
  }
  path = written(scratch, "WAVECAR", [](const std::string& p) { testing::write_wavecar(p, {2}); });
  testing::damage(path, second * (2 + 1 + 3) + 8, 0.25);
  expect_error(Fault::bad_file, "different k-points", [&] { open(path); });
  path = fresh();  // another tag: not a WAVECAR at all
  testing::damage(path, 16, 45201.0);
  expect_error(Fault::bad_file, "not a wavefunction file of a known format", [&] { open(path); });
}

/// A WAVECAR of half a sphere in the order of builds that halve along z: of each pair the other wave, where that is
/// kept, with the conjugate coefficient.
void halve_along_z(const std::string& path, const std::vector<Miller>& waves, int bands) {
  const auto kept = [](const Miller& g) { return g.z > 0 || (g.z == 0 && (g.y > 0 || (g.y == 0 && g.x >= 0))); };
  std::map<std::array<std::uint32_t, 3>, std::pair<std::size_t, bool>> places;  // -1 comes last
  for (std::size_t i = 0; i < waves.size(); ++i) {
    const bool same = kept(waves[i]);
    const auto index = [&](std::int32_t x) { return static_cast<std::uint32_t>(same ? x : -x); };
    places[{index(waves[i].z), index(waves[i].y), index(waves[i].x)}] = {i, same};
  }
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  double record = 0;
  file.read(reinterpret_cast<char*>(&record), sizeof record);
  std::vector<Complex> c(waves.size()), turned;
  const auto bytes = static_cast<std::streamsize>(c.size() * sizeof(Complex));
  for (int band = 0; band < bands; ++band) {
    file.seekg(static_cast<std::streamoff>(record) * (3 + band));
    file.read(reinterpret_cast<char*>(c.data()), bytes);
    turned.clear();
    for (const auto& [place, from] : places) turned.push_back(from.second ? c[from.first] : std::conj(c[from.first]));
    file.seekp(static_cast<std::streamoff>(record) * (3 + band));
    file.write(reinterpret_cast<const char*>(turned.data()), bytes);
  }
}

TEST(Vasp, HalvesAlongZAreFoundByKineticEnergies) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.file("WAVECAR");
  convert(WaveFile(MPI_COMM_WORLD, data_set("gamma")), path);
  const WaveFile along_x(MPI_COMM_WORLD, path);
  EXPECT_EQ(along_x.half_axis(), HalfAxis::x);
  const Density wanted = density_of(along_x);
  const OrbitalHeader& h = along_x.header();
  const auto waves = along_x.waves(0, 0, {0, h.kpoints[0].plane_waves});
  if (rank() == 0) halve_along_z(path, waves, h.bands);
  MPI_Barrier(MPI_COMM_WORLD);
  WaveFile along_z(MPI_COMM_WORLD, path);
  EXPECT_EQ(along_z.half_axis(), HalfAxis::z);
  EXPECT_LE(compare(density_of(along_z), wanted).density, 1e-12);
  expect_spheres(along_z);
  convert(along_z, scratch.file("again.wavecar"));  // written along x again
  EXPECT_LE(compare(density_of(WaveFile(MPI_COMM_WORLD, scratch.file("again.wavecar"))), wanted).density, 1e-12);
  along_z.halve_along(HalfAxis::x);
  EXPECT_GT(compare(density_of(along_z), wanted).density, 0.1);
  WaveFile whole(MPI_COMM_WORLD, data_set("gamma"));
  expect_error(Fault::bad_argument, "not a gamma-only WAVECAR", [&] { whole.halve_along(HalfAxis::z); });
}

TEST(Vasp, ARealFile) {
  const WaveFile file(MPI_COMM_WORLD, data_file("vasp/WAVECAR"));
  const OrbitalHeader& h = file.header();
  EXPECT_EQ(h.bands, 14);
  EXPECT_FALSE(h.half_sphere);
  EXPECT_FALSE(h.weighted);
  EXPECT_EQ(h.norm_conserving, NormConserving::no);
  EXPECT_NEAR(h.cutoff * 27.211652, 250, 1e-12);
  EXPECT_NEAR(h.crystal.lattice[0][1] * 0.529177249, 5.468728, 1e-12);
  EXPECT_NEAR(h.energies[h.state(0, 1, 0)] * 27.211652, -5.435230099476281, 1e-12);
  testing::expect_equal(std::vector{h.kpoints[0].plane_waves, h.kpoints[1].plane_waves, h.kpoints[2].plane_waves},
                        {707, 729, 729});
  testing::expect_close<double>(h.kpoints[1].k, Vector3{-0.5, 0.25, 0.25}, 1e-15);
  const std::vector<Complex> first{{0.0005159658030606806, -0.049959972500801086},
                                   {-0.9485213160514832, -0.18529248237609863},
                                   {-0.003316744463518262, 0.029939988628029823}};
  testing::expect_close<Complex>(file.coefficients(0, 1, {0, 1}, {0, 3}), first, 1e-15);
  expect_spheres(file);
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
