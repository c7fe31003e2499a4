// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files of wavefunctions: what they say, in parts and as a whole, and what is said of damaged ones.
#include "seiche/wavefile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "containers/extents.hpp"
#include "crystal/lattice.hpp"
#include "files/bands/file_order.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::data_set;
using testing::expect_error;
using Complex = std::complex<double>;

Range mine_of(std::int64_t n) { return block(n, testing::ranks(), testing::rank()); }

TEST(WaveFile, SaysWhatSiliconIs) {
  for (const char* set : {"si_small", "si_small/hdf5"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const OrbitalHeader& h = file.header();
    EXPECT_EQ(h.kpoints.size(), 8U);
    EXPECT_EQ(h.bands, 8);
    EXPECT_EQ(h.grid, (GridShape{20, 20, 20}));
    EXPECT_EQ(h.crystal.operations.size(), 48U);
    EXPECT_NEAR(h.crystal.volume(), 270.25621512639754, 1e-9);
    EXPECT_EQ(h.cutoff, 6.0);
    EXPECT_EQ(h.density_waves, 1471);
    EXPECT_EQ(h.electrons, 8.0);
    EXPECT_FALSE(h.half_sphere);
    EXPECT_EQ(h.magnetism, Magnetism::none);
    const std::array<std::int64_t, 8> waves{181, 187, 180, 178, 188, 192, 190, 200};
    const std::array<double, 8> doubled_weights{0.03125, 0.25, 0.125, 0.1875, 0.75, 0.375, 0.09375, 0.1875};
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ(h.kpoints[k].plane_waves, waves[k]);
      EXPECT_NEAR(h.kpoints[k].weight, doubled_weights[k] / 2, 1e-13);
    }
    const Vector3 expected{0.25, -0.5, -0.25};
    testing::expect_close<double>(h.kpoints[7].k, expected, 1e-12);
  }
}

TEST(WaveFile, SaysWhatIronWithSpinorsIs) {
  const WaveFile file(MPI_COMM_WORLD, data_set("fe_so"));
  const OrbitalHeader& h = file.header();
  EXPECT_EQ(h.spinor, 2);
  EXPECT_EQ(h.spins, 1);
  EXPECT_EQ(h.magnetism, Magnetism::vector);
  EXPECT_EQ(h.degeneracy(), 1.0);
  EXPECT_EQ(std::count_if(h.crystal.operations.begin(), h.crystal.operations.end(),
                          [](const SymmetryOperation& s) { return s.time_reversal; }),
            8);
  compared(5);
}

TEST(WaveFile, WeightsSumToOne) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    double sum = 0;
    for (const KPoint& k : file.header().kpoints) sum += k.weight;
    EXPECT_NEAR(sum, 1, 1e-15);
    compared();
  }
}

/// Each operation takes each atom to one of its kind: in the convention x' = R x + t only.
void expect_operations_fit(const Crystal& crystal) {
  for (const SymmetryOperation& s : crystal.operations) {
    for (const Atom& atom : crystal.atoms) {
      const Vector3 x = fractional(crystal, atom.position);
      Vector3 image = s.translation;
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) image[i] += s.rotation[i][j] * x[j];
      }
      const bool found = std::any_of(crystal.atoms.begin(), crystal.atoms.end(), [&](const Atom& other) {
        const Vector3 y = fractional(crystal, other.position);
        double off = 0;
        for (std::size_t i = 0; i < 3; ++i) off += std::abs(image[i] - y[i] - std::round(image[i] - y[i]));
        return off < 1e-5 && other.symbol == atom.symbol;
      });
      EXPECT_TRUE(found) << atom.symbol;
      compared();
    }
  }
}

TEST(WaveFile, OperationsTakeAtomsToAtomsInSilicon) {
  expect_operations_fit(WaveFile(MPI_COMM_WORLD, data_set("si_small")).header().crystal);
}

TEST(WaveFile, OperationsTakeAtomsToAtomsInCorundum) {
  const std::string path = data_set("al2o3_prim");
  if (path.empty()) GTEST_SKIP() << "al2o3_prim is not here; set SEICHE_SHARED";
  expect_operations_fit(WaveFile(MPI_COMM_WORLD, path).header().crystal);
}

/// Parts read by many ranks are parts of what one rank reads alone.
TEST(WaveFile, PartsFitTheWhole) {
  for (const char* set : {"si_small", "si_small/hdf5", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set)), alone(MPI_COMM_SELF, data_set(set));
    const OrbitalHeader& h = file.header();
    const int k = static_cast<int>(h.kpoints.size()) - 1;
    const std::int64_t all = h.kpoints.back().plane_waves;
    const Range mine = mine_of(all);
    const Range bands{1, 4};
    const auto waves = file.waves(0, k, mine), every_wave = alone.waves(0, k, {0, all});
    const auto part = file.coefficients(0, k, bands, mine), whole = alone.coefficients(0, k, bands, {0, all});
    for (std::int64_t i = mine.low; i < mine.high; ++i) {
      const auto at = static_cast<std::size_t>(i - mine.low), n = static_cast<std::size_t>(mine.size());
      EXPECT_EQ(waves[at], every_wave[static_cast<std::size_t>(i)]);
      for (std::size_t run = 0; run < static_cast<std::size_t>(3 * h.spinor); ++run) {
        EXPECT_EQ(part[run * n + at], whole[run * static_cast<std::size_t>(all) + static_cast<std::size_t>(i)]);
        compared();
      }
    }
  }
}

/// Waves lie within the cut-off: an oracle for k-points, cells and the order of Miller indices.
TEST(WaveFile, WavesLieWithinTheCutoff) {
  for (const char* set : {"si_small", "si_small/hdf5", "gamma", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const OrbitalHeader& h = file.header();
    const auto b = h.crystal.reciprocal();
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const KPoint& point = h.kpoints[static_cast<std::size_t>(k)];
      for (const Miller& g : file.waves(0, k, mine_of(point.plane_waves))) {
        Vector3 q{};
        for (std::size_t i = 0; i < 3; ++i) {
          q[i] = (g.x + point.k[0]) * b[0][i] + (g.y + point.k[1]) * b[1][i] + (g.z + point.k[2]) * b[2][i];
        }
        EXPECT_LE(dot(q, q) / 2, h.cutoff * (1 + 1e-9));
        compared();
      }
      EXPECT_EQ(static_cast<std::int64_t>(sphere_of_waves(b, point.k, h.cutoff, h.half_sphere).size()),
                point.plane_waves);
    }
  }
}

/// Bands of norm-conserving runs are orthonormal.
TEST(WaveFile, BandsAreOrthonormal) {
  for (const char* set : {"si_small", "si_small/hdf5", "fe_so"}) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const OrbitalHeader& h = file.header();
    const Range mine = mine_of(h.kpoints[1].plane_waves);
    const auto c = file.coefficients(0, 1, {0, h.bands}, mine);
    const auto bands = static_cast<std::size_t>(h.bands);
    const std::size_t length = c.size() / bands;
    for (std::size_t m = 0; m < bands; ++m) {
      Complex sums[2] = {};
      for (std::size_t i = 0; i < length; ++i) {
        sums[0] += std::conj(c[m * length + i]) * c[m * length + i];
        sums[1] += std::conj(c[m * length + i]) * c[(m + 1) % bands * length + i];
      }
      MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_NEAR(std::abs(sums[0] - 1.0), 0, 1e-13);
      EXPECT_NEAR(std::abs(sums[1]), 0, 1e-13);
      compared(2);
    }
  }
}

TEST(WaveFile, IsOpenedByItsXmlAsWell) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small") + "/data-file-schema.xml");
  EXPECT_EQ(file.header().bands, 8);
  compared();
}

// ------------------------------------------------------------------------------------------------- damaged files

/// Opens the file and reads all of its coefficients.
void read_all(const std::string& path) {
  const WaveFile file(MPI_COMM_WORLD, path);
  const OrbitalHeader& h = file.header();
  for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
    const Range mine = mine_of(h.kpoints[static_cast<std::size_t>(k)].plane_waves);
    file.waves(0, k, mine);
    file.coefficients(0, k, {0, h.bands}, mine);
  }
}

constexpr std::int64_t first_waves = 52 + 24 + 80;  // of wfcN.dat: where the record of Miller indices begins
constexpr std::int64_t first_band = first_waves + 12 * 181 + 8;  // of wfc1.dat of silicon: where that of band 0 begins

TEST(DamagedFile, MissingFile) {
  expect_error(Fault::bad_file, "cannot find nowhere.save", [] { read_all("nowhere.save"); });
  const testing::ScratchDirectory scratch;
  const std::string path = testing::copy_of("si_small", scratch);
  if (testing::rank() == 0) std::filesystem::remove(path + "/wfc3.dat");
  MPI_Barrier(MPI_COMM_WORLD);
  expect_error(Fault::bad_file, "wfc3.dat", [&] { read_all(path); });
}

TEST(DamagedFile, NoWavefunctionFileAtAll) {
  const testing::ScratchDirectory scratch;
  expect_error(Fault::bad_file, "not a wavefunction file of a known format",
               [&] { read_all(scratch.path().string()); });
  expect_error(Fault::bad_file, "not a wavefunction file of a known format",
               [&] { read_all("files/wavefile_test.cpp"); });
}

TEST(DamagedFile, WrongMarker) {
  for (const std::int64_t offset : {std::int64_t{0}, first_waves, first_band, first_band + 4 + 16 * 181}) {
    const testing::ScratchDirectory scratch;
    const std::string path = testing::copy_of("si_small", scratch);
    testing::damage(path + "/wfc1.dat", offset, std::int32_t{12345});
    expect_error(Fault::bad_file, "wrong marker at byte " + std::to_string(offset), [&] { read_all(path); });
  }
}

/// What the XML claims is refused before anything is allocated or computed from it.
TEST(DamagedFile, ClaimsThatNoCrystalHas) {
  struct Claim {
    const char *from, *to, *said;
  };
  for (const Claim& claim :
       {Claim{"<nbnd>8</nbnd>\n      <nelec>", "<nbnd>1900000000</nbnd>\n      <nelec>", "declares 15200000000"},
        Claim{"nr1=\"20\" nr2=\"20\" nr3=\"20\"></fft_grid>", "nr1=\"1e300\" nr2=\"20\" nr3=\"20\"></fft_grid>",
              "@nr1 is too large (1e+300)"},
        Claim{"nr1=\"20\" nr2=\"20\" nr3=\"20\"></fft_grid>", "nr1=\"20\" nr2=\"0\" nr3=\"20\"></fft_grid>",
              "fft_grid has no points"},
        Claim{"<basis_set>\n      <gamma_only>false", "<basis_set>\n      <gamma_only>perhaps",
              "must be true or false (got 'perhaps')"},
        Claim{"order=\"F\">\n          1.000000000000000e0", "order=\"F\">\n          1e9",
              "is not a rotation of a lattice"},
        Claim{"order=\"F\">\n          1.000000000000000e0", "order=\"F\">\n          3",
              "symmetry operation 1 has determinant 3"},
        Claim{"<atomic_structure nat=\"2\" alat=\"1.026310000000e1\">", "<atomic_structure nat=\"2\" alat=\"1e-300\">",
              "invalid coordinate of a k-point ("},
        Claim{"<basis_set>\n      <gamma_only>false</gamma_only>\n      <ecutwfc>6",
              "<basis_set>\n      <gamma_only>false</gamma_only>\n      <ecutwfc>-6", "invalid cutoff ("}}) {
    const testing::ScratchDirectory scratch;
    const std::string path = testing::copy_of("si_small", scratch);
    testing::replace(path + "/data-file-schema.xml", claim.from, claim.to);
    expect_error(Fault::bad_file, claim.said, [&] { read_all(path); });
  }
}

TEST(DamagedFile, WhatOnlyOtherProgramsWrite) {
  const testing::ScratchDirectory scratch;
  const std::string path = testing::copy_of("si_small", scratch);
  const std::string xml = path + "/data-file-schema.xml", lsda = "<band_structure>\n      <lsda>";
  constexpr std::int64_t scale = 4 + 4 + 24 + 4 + 4;  // after the marker, k's number and coordinates, spin and gamma
  testing::damage(path + "/wfc1.dat", scale, 2.0);
  expect_error(Fault::unsupported, "coefficients scaled by 2", [&] { read_all(path); });
  testing::replace(xml, lsda + "false", lsda + "true");
  testing::replace(xml, "<nbnd>8</nbnd>\n      <nelec>",
                   "<nbnd_up>5</nbnd_up>\n      <nbnd_dw>3</nbnd_dw>\n      <nelec>");
  expect_error(Fault::unsupported, "5 bands of spin up but 3 of spin down", [&] { read_all(path); });
}

/// Of files that list their waves, and of a WAVECAR, whose waves are computed.
TEST(WaveFile, RangesAreCheckedForAllFormats) {
  constexpr std::int64_t huge = 1'000'000'000'000;
  for (const std::string& path : {data_set("si_small"), data_set("si_small/hdf5"), testing::data_file("vasp/WAVECAR"),
                                  testing::data_file("abinit/spin/WFK"), testing::data_file("berkeleygw/WFN")}) {
    const WaveFile file(MPI_COMM_WORLD, path);
    const std::int64_t n = file.header().kpoints[0].plane_waves, bands = file.header().bands;
    for (const Range& wrong : {Range{0, n + 1}, {0, n + 200'000}, {-1, 1}, {2, 1}, {0, huge}, {huge, huge}}) {
      const Range mine = testing::rank() + 1 == testing::ranks() ? wrong : Range{0, 1};  // wrong on one rank
      expect_error(Fault::bad_argument, "plane waves at this k-point, but the range from",
                   [&] { file.waves(0, 0, mine); });
      expect_error(Fault::bad_argument, "plane waves at this k-point, but the range from", [&] {
        file.coefficients(0, 0, {0, 1}, mine);
      });
    }
    for (const Range& wrong : {Range{0, bands + 1}, {-1, 1}, {2, 1}, {0, huge}, {-huge, huge}}) {
      const Range mine = testing::rank() + 1 == testing::ranks() ? wrong : Range{0, 1};
      expect_error(Fault::bad_argument, "bands, but the range from", [&] { file.coefficients(0, 0, mine, {0, 1}); });
    }
    EXPECT_EQ(file.waves(0, 0, {n, n}).size(), 0U);
    EXPECT_EQ(file.coefficients(0, 0, {0, bands}, {n, n}).size(), 0U);
    EXPECT_EQ(file.coefficients(0, 0, {bands, bands}, {0, n}).size(), 0U);
    compared(3);
  }
}

/// PREFIX.xml beside the folder PREFIX.save, as pw.x writes it.
TEST(WaveFile, XmlBesideItsFolder) {
  const testing::ScratchDirectory scratch;
  const std::string save = testing::copy_of("si_small", scratch), xml = scratch.file("copy.xml");
  if (testing::rank() == 0) std::filesystem::copy_file(save + "/data-file-schema.xml", xml);
  MPI_Barrier(MPI_COMM_WORLD);
  const WaveFile file(MPI_COMM_WORLD, xml);
  EXPECT_EQ(file.header().path, save);
  EXPECT_EQ(file.header().density_components, 1);
  EXPECT_EQ(file.waves(0, 0, {0, 1}).size(), 1U);
  compared(3);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(WaveFile, DuplicateWavesAreNamed) {
  const std::vector<Miller> once{{0, 0, 0}, {1, 0, 0}}, twice{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  expect_error(Fault::bad_argument, "wave (0, 0, 0) twice", [&] { FileOrder(twice, once, false); });
}

TEST(WaveFile, BandStructureHasNoDensity) {
  const testing::ScratchDirectory scratch;
  const std::string path = testing::copy_of("si_small", scratch);
  testing::replace(path + "/data-file-schema.xml", "<calculation>scf<", "<calculation>bands<");
  const WaveFile file(MPI_COMM_WORLD, path);
  EXPECT_TRUE(file.header().on_path);
  const std::string copy = scratch.file("copied.save");
  convert(file, copy);
  const WaveFile copied(MPI_COMM_WORLD, copy);
  for (const WaveFile* one : {&file, &copied}) {
    expect_error(Fault::unsupported, "those of a band structure", [&] { density_of(*one); });
  }
  const auto lost = losses(file.header(), "a.wfn");
  EXPECT_EQ(lost.back(), "that the k-points are those of a band structure");
  DensityOptions some;
  some.occupations = filled(file.header(), {{{0}, {3}, {0}}, {}, {}});
  EXPECT_GT(integrals(density_of(file, some))[0], 0);
  some = {};
  some.as_they_are = true;
  EXPECT_NEAR(integrals(density_of(file, some))[0], 8, 1e-6);
  compared(3);
}

TEST(WaveFile, TwoFermiEnergies) {
  const testing::ScratchDirectory scratch;
  const std::string path = testing::copy_of("fe_so", scratch), written = scratch.file("b.save");
  testing::replace(path + "/data-file-schema.xml", "</band_structure>",
                   "<two_fermi_energies>1.0e-1 2.0e-1</two_fermi_energies></band_structure>");
  const WaveFile file(MPI_COMM_WORLD, path);
  EXPECT_EQ(file.header().fermi_energy, 0.1);
  EXPECT_EQ(file.header().fermi_energy_down, 0.2);
  EXPECT_EQ(losses(file.header(), "a.wfn").back(), "the Fermi energy of spin down");
  Orbitals orbitals = read_orbitals(file, {{1, 1, testing::ranks()}});
  orbitals.header.fermi_energy_down = 0.3;
  write_orbitals(orbitals, written);
  EXPECT_EQ(WaveFile(MPI_COMM_WORLD, written).header().fermi_energy_down, 0.3);
  compared(4);
}

}  // namespace
}  // namespace seiche
