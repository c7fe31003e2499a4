// SPDX-License-Identifier: BSD-3-Clause
/// \file  Files written in other codes' formats and read back: coefficients keep their bits, headers what the format
/// can say, and what it cannot is said beforehand. (Files are read by other programs in foreign/.)
#include <algorithm>
#include <fstream>

#include "seiche/communicator.hpp"
#include "seiche/density_file.hpp"
#include "seiche/wavefile.hpp"
#include "support/data.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::contents;
using testing::data_file;
using testing::data_set;
using testing::expect_error;
using Complex = std::complex<double>;

struct Target {
  const char* word;
  const char* file;
  bool atoms, weights;  ///< whether it keeps them
};

constexpr Target targets[] = {
    {"vasp", "WAVECAR", false, false}, {"castep", "made.check", true, true}, {"abinit", "made_WFK", true, true}};

void expect_same_coefficients(const WaveFile& a, const WaveFile& b, double tolerance) {
  const OrbitalHeader& h = a.header();
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const std::int64_t n = h.kpoints[static_cast<std::size_t>(k)].plane_waves;
      EXPECT_EQ(b.header().kpoints[static_cast<std::size_t>(k)].plane_waves, n);
      const Range mine = block(n, testing::ranks(), testing::rank());
      testing::expect_equal(b.waves(spin, k, mine), a.waves(spin, k, mine));
      testing::expect_close<Complex>(b.coefficients(spin, k, {0, h.bands}, mine),
                                     a.coefficients(spin, k, {0, h.bands}, mine), tolerance);
    }
  }
}

void expect_same_header(const OrbitalHeader& a, const OrbitalHeader& b, const Target& target) {
  EXPECT_EQ(b.spins, a.spins);
  EXPECT_EQ(b.spinor, a.spinor);
  EXPECT_EQ(b.bands, a.bands);
  EXPECT_EQ(b.half_sphere, a.half_sphere);
  EXPECT_EQ(b.magnetism, a.magnetism);
  EXPECT_NEAR(b.cutoff, a.cutoff, 2e-8 * a.cutoff);
  testing::expect_close<double>(b.energies, a.energies, 1e-13);
  testing::expect_close<double>(b.occupations, a.occupations, 1e-15);
  for (std::size_t i = 0; i < 3; ++i) {
    testing::expect_close<double>(b.crystal.lattice[i], a.crystal.lattice[i], 1e-12);
  }
  for (std::size_t k = 0; k < a.kpoints.size(); ++k) {
    testing::expect_close<double>(b.kpoints[k].k, a.kpoints[k].k, 1e-13);
    if (target.weights) {
      EXPECT_NEAR(b.kpoints[k].weight, a.kpoints[k].weight, 1e-14);
    }
  }
  EXPECT_EQ(b.fermi_energy.has_value(), a.fermi_energy.has_value());
  EXPECT_NEAR(b.fermi_energy.value_or(0), a.fermi_energy.value_or(0), 1e-15);
  EXPECT_EQ(b.norm_conserving, a.norm_conserving);
  if (target.atoms) {
    EXPECT_EQ(b.crystal.atoms.size(), a.crystal.atoms.size());
    EXPECT_EQ(b.mesh, a.mesh);
    EXPECT_EQ(b.mesh_shift, a.mesh_shift);
    EXPECT_EQ(b.total_energy, a.total_energy);
    EXPECT_EQ(b.electrons, a.electrons);
  }
}

/// A set of Quantum ESPRESSO's, or one of ABINIT's rewritten as such: its waves are in one order, whatever they came
/// by.
std::string source_of(const std::string& set, const testing::ScratchDirectory& scratch) {
  if (set.find('/') == std::string::npos) return data_set(set);
  std::string path = scratch.file("source.save");
  convert(WaveFile(MPI_COMM_WORLD, data_file(set)), path);
  return path;
}

class EachKind : public ::testing::TestWithParam<const char*> {};

TEST_P(EachKind, ComesBackAsItWas) {
  const testing::ScratchDirectory scratch;
  const std::string source = source_of(GetParam(), scratch);
  if (source.empty()) GTEST_SKIP() << GetParam() << " is not here; set SEICHE_SHARED";
  const WaveFile original(MPI_COMM_WORLD, source);
  for (const Target& target : targets) {
    const std::string there = scratch.file(target.file), back = scratch.file(std::string(target.word) + ".save");
    convert(original, there);
    const WaveFile written(MPI_COMM_WORLD, there);
    expect_same_header(original.header(), written.header(), target);
    convert(written, back, "qe");
    // Half spheres come and go with a factor sqrt(2) in a WAVECAR.
    const bool exact = !(original.header().half_sphere && std::string(target.word) == "vasp");
    expect_same_coefficients(original, WaveFile(MPI_COMM_WORLD, back), exact ? 0 : 3e-16);
    if (testing::rank() == 0) {
      const std::string alone = scratch.file("alone");
      convert(WaveFile(MPI_COMM_SELF, source), alone, target.word);
      EXPECT_TRUE(contents(alone) == contents(there)) << target.word << " depends on the number of ranks";
    }
    compared();
  }
}

INSTANTIATE_TEST_SUITE_P(RoundTrip, EachKind,
                         ::testing::Values("si_small", "gamma", "fe_so", "fe", "al2o3_prim", "abinit/spin/WFK"),
                         testing::name_of_set);

/// Occupations, weights and symmetry survive as well: the density is the one that the first code wrote.
TEST(RoundTrip, DensitiesSurvive) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const std::string path = data_set(set);
    const WaveFile original(MPI_COMM_WORLD, path);
    for (const Target& target : targets) {
      if (!target.weights && original.header().kpoints.size() > 1) continue;
      // CASTEP cannot say that an operation goes with time reversal.
      if (std::string(target.word) == "castep" && std::string(set) == "fe_so") continue;
      const testing::ScratchDirectory scratch;
      convert(original, scratch.file(target.file));
      const Density density = density_of(WaveFile(MPI_COMM_WORLD, scratch.file(target.file)));
      const Density wanted = read_density(path, density);
      EXPECT_LE(compare(density, wanted).largest(), 1e-12) << set << " as " << target.word;
      compared();
    }
  }
}

TEST(RoundTrip, DensityGoesAlong) {
  for (const char* set : {"si_small", "gamma", "fe_so"}) {
    const WaveFile original(MPI_COMM_WORLD, data_set(set));
    const Density density = read_density(original);
    EXPECT_NEAR(integrals(density)[0], original.header().electrons, 1e-9);
    const testing::ScratchDirectory scratch;
    const bool spinors = original.header().spinor == 2;
    std::string path = data_set(set);
    for (const char* name : {"a.check", "b.save", "c.save"}) {
      if (spinors && std::string(name) == "a.check") continue;
      const WaveFile from(MPI_COMM_WORLD, path);
      path = scratch.file(name);
      convert(from, path, std::string(name) == "c.save" ? "qe-hdf5" : "", {.density = true});
      const WaveFile written(MPI_COMM_WORLD, path);
      EXPECT_EQ(written.header().density_components, components_of(written.header().magnetism));
      EXPECT_LE(compare(read_density(written), density).largest(), 1e-14) << set << " in " << name;
      compared(2);
    }
  }
}

TEST(RoundTrip, DensityThatCannotGoAlong) {
  const testing::ScratchDirectory scratch;
  const WaveFile silicon(MPI_COMM_WORLD, data_set("si_small")), iron(MPI_COMM_WORLD, data_set("fe_so"));
  expect_error(Fault::bad_argument, "cannot hold a density: write it to a file of its own",
               [&] { convert(silicon, scratch.file("a.h5"), "", {.density = true}); });
  expect_error(Fault::bad_argument, "the order of spinor densities in CASTEP files is not supported",
               [&] { convert(iron, scratch.file("a.check"), "", {.density = true}); });
  convert(silicon, scratch.file("b.h5"));
  const WaveFile without(MPI_COMM_WORLD, scratch.file("b.h5"));
  expect_error(Fault::bad_argument, "contains no density",
               [&] { convert(without, scratch.file("b.save"), "", {.density = true}); });
  expect_error(Fault::bad_argument, "contains no density", [&] { read_density(without); });
}

TEST(RoundTrip, WhatIsLostIsSaidBefore) {
  const auto said = [](const char* set, const char* word, const std::string& part) {
    const WaveFile file(MPI_COMM_WORLD, data_set(set));
    const auto sentences = losses(file.header(), "out", word);
    EXPECT_TRUE(std::any_of(sentences.begin(), sentences.end(),
                            [&](const std::string& s) { return s.find(part) != std::string::npos; }))
        << word << " does not say: " << part;
    compared();
  };
  said("si_small", "vasp", "weights of k-points, which a WAVECAR does not hold");
  said("gamma", "vasp", "atoms, symmetry");
  said("fe_so", "castep", "symmetry operations with time reversal");
  said("si_small", "castep", "the density, which can be included");
  said("si_small", "abinit", "functional (ixc)");
}

TEST(RoundTrip, TimeReversedWavesAreWrittenInFull) {
  const testing::ScratchDirectory scratch;
  const WaveFile original(MPI_COMM_WORLD, data_file("abinit/time_reversal/WFK"));
  convert(original, scratch.file("made_WFK"));
  const WaveFile written(MPI_COMM_WORLD, scratch.file("made_WFK"));
  const Density density = density_of(written);
  const Density wanted = read_density(data_file("abinit/time_reversal/DEN"), density);
  EXPECT_LE(compare(density, wanted).largest(), 2e-12);
  compared(density.box.volume());
}

}  // namespace
}  // namespace seiche
