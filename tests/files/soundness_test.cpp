// SPDX-License-Identifier: BSD-3-Clause
/// \file  How far bands are from orthonormal, against sums over all their coefficients by definition.
#include <cmath>
#include <complex>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>

#include "files/bands/file_bands.hpp"
#include "seiche/density.hpp"
#include "seiche/unfold.hpp"
#include "seiche/wavefile.hpp"
#include "support/wave_checks.hpp"

namespace seiche {
namespace {

using namespace testing;

Soundness by_definition(const WaveFile& file) {
  const OrbitalHeader& h = file.header();
  Soundness result;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const auto sums = overlaps(file, spin, k);
      for (int m = 0; m < h.bands; ++m) {
        for (int n = 0; n < h.bands; ++n) {
          const Complex sum = sums[static_cast<std::size_t>(m * h.bands + n)];
          double& most = m == n ? result.norm : result.overlap;
          most = std::max(most, std::abs(m == n ? sum - 1.0 : sum));
        }
      }
    }
  }
  return result;
}

void expect_that_of_the_definition(const std::string& path) {
  const WaveFile file(MPI_COMM_WORLD, path);
  const Soundness found = soundness(file), expected = by_definition(file);
  EXPECT_NEAR(found.norm, expected.norm, 1e-13) << path;
  EXPECT_NEAR(found.overlap, expected.overlap, 1e-13) << path;
  compared(2);
}

class SoundnessOf : public EachSet {};
TEST_P(SoundnessOf, BandsOfNormConservingPotentials) {
  const std::string path = data_set(GetParam());
  expect_that_of_the_definition(path);
  const Soundness found = soundness(WaveFile(MPI_COMM_WORLD, path));
  EXPECT_LT(std::max(found.norm, found.overlap), 1e-6);
  EXPECT_EQ(found.odd_counts, 0);
}
INSTANTIATE_TEST_SUITE_P(Soundness, SoundnessOf, ::testing::Values("si_small", "si_small/hdf5", "gamma", "fe_so"),
                         name_of_set);

/// A band with one wrong number is neither of norm 1 nor orthogonal to the others.
TEST(Soundness, TellsOfOneWrongNumber) {
  const ScratchDirectory scratch;
  const std::string copy = copy_of("gamma", scratch), waves = copy + "/wfc1.dat";
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(waves));
  MPI_Barrier(MPI_COMM_WORLD);
  damage(waves, size - 4 - 400 * 8, 0.25);
  expect_that_of_the_definition(copy);
  const Soundness found = soundness(WaveFile(MPI_COMM_WORLD, copy));
  EXPECT_GT(found.norm, 1e-3);
  EXPECT_GT(found.overlap, 1e-6);
}

/// The waves are those of 15 hartree, and the file says 16.
TEST(Soundness, CountsKPointsWithoutTheirSphere) {
  const ScratchDirectory scratch;
  const std::string copy = copy_of("gamma", scratch), header = copy + "/data-file-schema.xml";
  if (rank() == 0) {
    std::ifstream in(header);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string before = "<ecutwfc>1.5000";
    for (auto at = text.find(before); at != std::string::npos; at = text.find(before)) {
      text.replace(at, before.size(), "<ecutwfc>1.6000");
    }
    std::ofstream(header) << text;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(soundness(WaveFile(MPI_COMM_WORLD, copy)).odd_counts, 1);
  compared(1);
}

TEST(Soundness, VerifiesChecksums) {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a.h5");
  convert(WaveFile(MPI_COMM_WORLD, data_set("si_small")), path);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  MPI_Barrier(MPI_COMM_WORLD);
  damage(path, size - 4000, 0.125);
  const WaveFile damaged(MPI_COMM_WORLD, path);
  expect_error(Fault::bad_file, "the checksum of band 8 is wrong", [&] { soundness(damaged); });
}

TEST(Soundness, SaysHowFarItIs) {
  double last = 0;
  const auto expect_more = [&](double done) {
    EXPECT_GT(done, last);
    last = done;
  };
  soundness(WaveFile(MPI_COMM_WORLD, data_set("si_small")), {.on_progress = expect_more});
  EXPECT_EQ(last, 1);
  compared(1);
}

void fail_on_last_rank(double) {
  if (rank() == ranks() - 1) throw std::runtime_error("the screen is full");
}

TEST(Soundness, WhatProgressThrowsOnOneRankReachesAll) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  const auto expect_thrown = [](const auto& work) { expect_error(Fault::internal, "the screen is full", work); };
  expect_thrown([&] { soundness(file, {.on_progress = fail_on_last_rank}); });
  expect_thrown([&] { unfold(file, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {.on_progress = fail_on_last_rank}); });
  expect_thrown([&] { density_of(file, {.on_progress = fail_on_last_rank}); });
}

/// A user of bands that communicates with nobody may fail on one rank.
TEST(Soundness, WhatAUserOfBandsThrowsOnOneRankReachesAll) {
  const WaveFile file(MPI_COMM_WORLD, data_set("si_small"));
  int calls = 0;
  const auto use = [&](const BandRange&, std::span<const Complex>) {
    if (rank() == ranks() - 1 && ++calls == 2) throw std::bad_alloc();
  };
  expect_error(Fault::bad_argument, "not enough memory", [&] { each_band(file, bands_of(file), use, {}); });
  EXPECT_EQ(calls, rank() == ranks() - 1 ? 2 : 0);
}

}  // namespace
}  // namespace seiche
