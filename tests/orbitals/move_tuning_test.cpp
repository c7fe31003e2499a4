// SPDX-License-Identifier: BSD-3-Clause
/// \file  Moves that take their settings from the tuning file, and tuning that writes them.
#include <cstdlib>
#include <map>

#include "seiche/orbitals.hpp"
#include "support/mpi_test.hpp"
#include "trace/mpi_profile.hpp"
#include "tuning/policy.hpp"
#include "tuning/tuning_entries.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::expect_error;

/// All bands on each rank, of a part of the waves.
Orbitals by_waves(int bands, std::int64_t waves) {
  Orbitals orbitals{Communicator(MPI_COMM_WORLD), {}, {}};
  orbitals.header.crystal.lattice = {{{5, 0, 0}, {0, 6, 0}, {0, 0, 7}}};
  orbitals.header.bands = bands;
  orbitals.header.kpoints = {{{}, 1, waves}};
  const Range mine = block(waves, testing::ranks(), testing::rank());
  OrbitalPart part{0, 0, {0, bands}, {mine}, {}, {}};
  for (std::int64_t i = mine.low; i < mine.high; ++i) part.waves.push_back({static_cast<std::int32_t>(i), 0, 0});
  part.coefficients.resize(static_cast<std::size_t>(bands * mine.size()));
  for (int band = 0; band < bands; ++band) {
    for (std::int64_t i = 0; i < mine.size(); ++i) {
      part.coefficients[static_cast<std::size_t>(band * mine.size() + i)] = {static_cast<double>(band),
                                                                             static_cast<double>(mine.low + i)};
    }
  }
  orbitals.parts.push_back(std::move(part));
  return orbitals;
}

const TuneRequest short_request{.budget = 0.02, .skew = 0};
OrbitalLayout by_bands() { return {{1, testing::ranks(), 1}}; }

/// MPI's collectives and messages in one move, by name.
std::map<std::string, std::int64_t> calls_of(const Orbitals& orbitals, const MoveOptions& options = {}) {
  mpi_profile::start_counting();
  const Orbitals moved = redistribute(orbitals, by_bands(), options);
  auto calls = mpi_profile::counts();
  for (const OrbitalPart& part : moved.parts) {
    std::size_t at = 0;
    for (std::int64_t band = part.bands.low; band < part.bands.high; ++band) {
      for (std::size_t wave = 0; wave < part.waves.size(); ++wave) {
        EXPECT_EQ(part.coefficients[at++], std::complex<double>(static_cast<double>(band), static_cast<double>(wave)));
      }
    }
    compared(static_cast<std::int64_t>(at));
  }
  return calls;
}

class MoveTuning : public ::testing::Test {
 protected:
  MoveTuning() { ::setenv("SEICHE_TUNING", path.c_str(), 1); }
  ~MoveTuning() override { ::setenv("SEICHE_TUNING", "none", 1); }
  void write(const std::string& tuned_case, const Settings& settings) const {
    MPI_Barrier(MPI_COMM_WORLD);  // all have read what was there
    if (testing::rank() == 0) write_tuning(path, tuned_case, settings);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  testing::ScratchDirectory scratch;
  std::string path = scratch.file("tuning.json");
};

TEST_F(MoveTuning, WhatWonIsWhatLaterMovesUse) {
  const Orbitals orbitals = by_waves(24, 300);
  const auto report = tune_move(orbitals, by_bands(), short_request);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(tuned_cases().at(report.tuned_case), settings_of(report.options.policy));
  EXPECT_EQ(report.trials.front().settings, "alltoallv");
  EXPECT_GE(report.trials.size(), 8U);
  compared(3);
  if (testing::ranks() == 1) return;
  for (const auto& [way, call] : {std::pair{"alltoallv", "MPI_Alltoallv"}, {"ialltoallv", "MPI_Ialltoallv"}}) {
    write(report.tuned_case, {{"algorithm", way}, {"progress", "none"}, {"window", "2"}, {"memory", "16777216"}});
    EXPECT_GT(calls_of(orbitals)[call], 0);
    EXPECT_EQ(calls_of(orbitals, {.policy = {.algorithm = Algorithm::pairwise}})[call], 0) << "what the caller says";
    compared(2);
  }
}

/// A round for each band where there is room for no more.
TEST_F(MoveTuning, MemoryAndWindowAreUsedWhereABandHasRoom) {
  const Orbitals orbitals = by_waves(96, 300);
  const auto key = tune_move(orbitals, by_bands(), short_request).tuned_case;
  const auto rounds = [&](const char* window, std::int64_t memory) {
    write(key,
          {{"algorithm", "alltoallv"}, {"progress", "none"}, {"window", window}, {"memory", std::to_string(memory)}});
    return calls_of(orbitals)["MPI_Alltoallv"];
  };
  const std::int64_t band = 2 * 300 * 16 * testing::ranks();
  if (testing::ranks() > 1) {
    const std::int64_t many = rounds("4", 4 * band), fewer = rounds("1", 4 * band), one = rounds("1", 400 * band);
    EXPECT_GT(many, fewer);
    EXPECT_GT(fewer, one);
    EXPECT_EQ(rounds("1", 4 * band - 1), one) << "too little for any round: left to the rule";
  }
  compared(3);
}

TEST_F(MoveTuning, OtherMovesAreOtherCases) {
  const auto key = [](int bands, std::int64_t waves, const OrbitalLayout& to) {
    return tune_move(by_waves(bands, waves), to, short_request).tuned_case;
  };
  const std::string one = key(20, 300, by_bands());
  EXPECT_EQ(one.rfind("move of 1e1 bands of 1e2 waves to 1x", 0), 0U) << one;
  EXPECT_EQ(key(90, 900, by_bands()), one);
  EXPECT_NE(key(101, 300, by_bands()), one);
  EXPECT_NE(key(20, 1000, by_bands()), one);
  EXPECT_EQ(key(20, 300, {{1, 1, testing::ranks()}}) == one, testing::ranks() == 1);
  compared(5);
}

TEST_F(MoveTuning, UnusableSettingsAreIgnored) {
  const Orbitals orbitals = by_waves(24, 300);
  const auto key = tune_move(orbitals, by_bands(), short_request).tuned_case;
  for (const Settings& settings : {Settings{{"algorithm", "pigeon"}},
                                   {{"algorithm", "alltoallv"}, {"memory", "much"}},
                                   {{"algorithm", "alltoallv"}, {"memory", "-5"}}}) {
    write(key, settings);
    EXPECT_EQ(calls_of(orbitals)["MPI_Alltoallv"], 0);
    compared();
  }
  expect_error(Fault::bad_argument, "ranks", [&] { tune_move(orbitals, {{1, 1, testing::ranks() + 1}}); });
}

}  // namespace
}  // namespace seiche
