// SPDX-License-Identifier: BSD-3-Clause
/// \file  Wavefunctions in memory: from any layout to any other, each coefficient where it belongs, to the last bit.
#include "seiche/orbitals.hpp"
#include "seiche/wavefile.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "support/data.hpp"
#include "support/mpi_test.hpp"
#include "support/transforms.hpp"

namespace seiche {
namespace {

using testing::compared;
using testing::expect_error;
using Complex = std::complex<double>;

/// A made-up crystal's header: k-points of different sizes, two of them tiny.
OrbitalHeader made_up(int spins, int spinor, int bands, const std::vector<std::int64_t>& waves) {
  OrbitalHeader h;
  h.crystal.lattice = {{{5, 0, 0}, {0, 6, 0}, {0, 0, 7}}};
  h.spins = spins;
  h.spinor = spinor;
  h.bands = bands;
  for (const std::int64_t n : waves) h.kpoints.push_back({{}, 1.0 / static_cast<double>(waves.size()), n});
  return h;
}

Miller wave_at(int k, std::int64_t position) {
  return {static_cast<std::int32_t>(position - 3), static_cast<std::int32_t>(-k), static_cast<std::int32_t>(position)};
}

Complex value_at(int spin, int k, std::int64_t band, std::int64_t component, std::int64_t position) {
  return {static_cast<double>(band + 1000 * position), static_cast<double>(spin + 2 * k + 100 * component)};
}

PlaneWaveOwners cyclic(int groups) {
  return [groups](int k, std::span<const Miller> waves) {
    std::vector<int> owners;
    for (const Miller& g : waves) owners.push_back((g.z + k) % groups);
    return owners;
  };
}

/// All of it on the first rank, in two runs, which a layout cannot ask for: on one rank too, it does not lie as it
/// should.
Orbitals on_first_rank(const OrbitalHeader& h) {
  Orbitals orbitals{Communicator(MPI_COMM_WORLD), h, {}};
  if (testing::rank() != 0) return orbitals;
  for (int spin = 0; spin < h.spins; ++spin) {
    for (int k = 0; k < static_cast<int>(h.kpoints.size()); ++k) {
      const std::int64_t all = h.kpoints[static_cast<std::size_t>(k)].plane_waves;
      OrbitalPart part{spin, k, {0, h.bands}, {{0, 1}, {1, all}}, {}, {}};
      if (all == 1) part.positions.pop_back();
      for (std::int64_t i = 0; i < all; ++i) part.waves.push_back(wave_at(k, i));
      for (std::int64_t b = 0; b < h.bands; ++b) {
        for (std::int64_t c = 0; c < h.spinor; ++c) {
          for (std::int64_t i = 0; i < all; ++i) part.coefficients.push_back(value_at(spin, k, b, c, i));
        }
      }
      orbitals.parts.push_back(std::move(part));
    }
  }
  return orbitals;
}

/// \return coefficients on this rank, all of which were right
std::int64_t expect_right(const Orbitals& orbitals) {
  std::int64_t seen = 0;
  for (const OrbitalPart& part : orbitals.parts) {
    std::size_t at = 0;
    for (std::int64_t b = part.bands.low; b < part.bands.high; ++b) {
      for (std::int64_t c = 0; c < orbitals.header.spinor; ++c) {
        std::size_t wave = 0;
        for (const Range& run : part.positions) {
          for (std::int64_t i = run.low; i < run.high; ++i, ++at, ++wave) {
            EXPECT_EQ(part.waves[wave], wave_at(part.k, i));
            EXPECT_EQ(part.coefficients[at], value_at(part.spin, part.k, b, c, i));
          }
        }
      }
    }
    EXPECT_EQ(at, part.coefficients.size());
    seen += static_cast<std::int64_t>(at);
  }
  compared(seen);
  return seen;
}

void expect_complete(const Orbitals& orbitals) {
  std::int64_t here = expect_right(orbitals), all = 0, expected = 0;
  MPI_Allreduce(&here, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (const KPoint& k : orbitals.header.kpoints) expected += k.plane_waves;
  EXPECT_EQ(all, expected * orbitals.header.spins * orbitals.header.spinor * orbitals.header.bands);
}

/// Every way of splitting the ranks in three.
std::vector<OrbitalGrid> all_grids() {
  std::vector<OrbitalGrid> grids;
  const int n = testing::ranks();
  for (int k = 1; k <= n; ++k) {
    for (int b = 1; b <= n / k; ++b) {
      if (n % (k * b) == 0) grids.push_back({k, b, n / (k * b)});
    }
  }
  return grids;
}

TEST(Orbitals, AreMadeOfZerosWhereALayoutWantsThem) {
  const OrbitalHeader h = made_up(2, 2, 3, {5, 17, 1});
  std::vector<std::vector<Miller>> waves(h.kpoints.size());
  for (int k = 0; k < 3; ++k) {
    for (std::int64_t i = 0; i < h.kpoints[static_cast<std::size_t>(k)].plane_waves; ++i)
      waves[static_cast<std::size_t>(k)].push_back(wave_at(k, i));
  }
  const Communicator comm(MPI_COMM_WORLD);
  const OrbitalLayout layout{{1, 1, comm.size()}, cyclic(comm.size())};
  const Orbitals expected = redistribute(on_first_rank(h), layout), made = make_orbitals(comm, h, waves, layout);
  ASSERT_EQ(made.parts.size(), expected.parts.size());
  for (std::size_t i = 0; i < made.parts.size(); ++i) {
    const OrbitalPart &part = made.parts[i], &other = expected.parts[i];
    EXPECT_EQ(std::tie(part.spin, part.k, part.bands, part.positions, part.waves),
              std::tie(other.spin, other.k, other.bands, other.positions, other.waves));
    EXPECT_EQ(part.coefficients, std::vector<Complex>(other.coefficients.size()));
  }
  compared(static_cast<std::int64_t>(made.parts.size()));
  expect_error(Fault::bad_argument, "wrong number of lists of waves (2 lists, 3 k-points)", [&] {
    make_orbitals(comm, h, {waves[0], waves[1]}, layout);
  });
  expect_error(Fault::bad_argument, "k-point 1: wrong number of waves (5, but the header has 17)", [&] {
    make_orbitals(comm, h, {waves[0], waves[0], waves[2]}, layout);
  });
  expect_error(Fault::bad_argument, "rank", [&] { make_orbitals(comm, h, waves, {{comm.size() + 1, 1, 1}}); });
}

TEST(Orbitals, GoFromEveryGridToEveryOther) {
  const OrbitalHeader h = made_up(2, 1, 7, {13, 1, 29, 5});
  const Orbitals start = on_first_rank(h);
  for (const OrbitalGrid& from : all_grids()) {
    const Orbitals first = redistribute(start, {from, cyclic(from.waves)});
    expect_complete(first);
    for (const OrbitalGrid& to : all_grids()) {
      expect_complete(redistribute(first, {to}));
    }
  }
}

TEST(Orbitals, WhatStaysIsTakenOverWithoutACopy) {
  const OrbitalLayout bands{{1, testing::ranks(), 1}};
  Orbitals spread = redistribute(on_first_rank(made_up(2, 1, 7, {5, 40, 13})), bands);
  std::vector<const Complex*> places;
  for (const OrbitalPart& part : spread.parts) places.push_back(part.coefficients.data());
  const Orbitals copy = redistribute(spread, bands);
  const Orbitals same = redistribute(std::move(spread), bands);
  expect_complete(copy);
  expect_complete(same);
  ASSERT_EQ(same.parts.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_EQ(same.parts[i].coefficients.data(), places[i]);
    EXPECT_NE(copy.parts[i].coefficients.data(), places[i]);
  }
}

/// One k-point lies already as it should, the other goes to the last rank's side.
TEST(Orbitals, SomeStayAndOthersTravel) {
  const OrbitalHeader h = made_up(2, 2, 6, {11, 17});
  const auto owners = [](int groups, int moved) -> PlaneWaveOwners {
    return [groups, moved](int k, std::span<const Miller> waves) {
      std::vector<int> all(waves.size());
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = (static_cast<int>(i) + (k == 1 ? moved : 0)) % groups;
      return all;
    };
  };
  const int groups = testing::ranks();
  const Orbitals before = redistribute(on_first_rank(h), {{1, 1, groups}, owners(groups, 0)});
  expect_complete(redistribute(before, {{1, 1, groups}, owners(groups, 1)}));
  expect_complete(redistribute(Orbitals(before), {{1, 1, groups}, owners(groups, 1)}));
}

TEST(Orbitals, SpinorsGoByAnyWay) {
  const Orbitals start = on_first_rank(made_up(1, 2, 5, {17, 11, 3}));
  const int n = testing::ranks();
  for (const Algorithm algorithm : testing::ways_here()) {
    MoveOptions options;
    options.policy.algorithm = algorithm;
    const Orbitals spread = redistribute(start, {{1, 1, n}, cyclic(n)}, options);
    expect_complete(redistribute(spread, {{n, 1, 1}}, options));
  }
}

TEST(Orbitals, GoInStartedCalls) {
  const Orbitals start = on_first_rank(made_up(2, 1, 7, {29, 50, 13, 31}));
  const int n = testing::ranks();
  for (const Algorithm algorithm : testing::ways_here()) {
    MoveOptions options{.policy = {.algorithm = algorithm, .memory = 40000}};  // several routes
    Orbitals by_waves = start, by_bands = start;
    Pending first = start_redistribute(start, {{1, 1, n}, cyclic(n)}, by_waves, options);
    Pending second = start_redistribute(start, {{1, n, 1}}, by_bands, options);
    for (int i = 0; i < 3 * testing::rank(); ++i) second.progress();
    first.finish();
    second.finish();
    expect_complete(by_waves);
    expect_complete(by_bands);
    start_redistribute(by_bands, {{n, 1, 1}}, by_bands, options).finish();
    expect_complete(by_bands);
    std::optional<Pending> dropped(start_redistribute(start, {{1, n, 1}}, by_waves, options));
    dropped.reset();
  }
  Orbitals result = start;
  Pending wrong = start_redistribute(start, {{1, 1, n + 1}}, result);
  testing::expect_error(Fault::bad_argument, "ranks does not match", [&] { wrong.finish(); });
}

/// Little memory: many rounds, and several turns of k-points. Seven rounds may be under way at once, each with memory
/// at both ends, so that a round carries a fourteenth of what is allowed, and no more.
TEST(Orbitals, GoInSmallRounds) {
  const Orbitals start = on_first_rank(made_up(2, 1, 31, {97, 60, 101, 7, 7, 90}));
  const std::int64_t on_first = 2 * 31 * (97 + 60 + 101 + 7 + 7 + 90) * static_cast<std::int64_t>(sizeof(Complex));
  const int n = testing::ranks();
  for (const std::int64_t memory : {40000, 200000, 3000000}) {
    MoveOptions options;
    options.policy.memory = memory;
    double last = 0;
    std::int64_t rounds = 0;
    options.on_progress = [&](double done) {
      EXPECT_GE(done, last);
      last = done;
      ++rounds;
    };
    const Orbitals spread = redistribute(start, {{1, 1, n}}, options);
    EXPECT_NEAR(last, 1, 1e-12);
    EXPECT_GE(rounds * (memory / 14), on_first);
    expect_complete(spread);
    last = 0;
    rounds = 0;
    expect_complete(redistribute(spread, {{1, n, 1}}, options));
    EXPECT_NEAR(last, 1, 1e-12);
    if (n == 1) continue;  // which has all already
    EXPECT_GE(rounds * (memory / 14), on_first / n);
  }
}

TEST(Orbitals, MoreRanksThanBandsAndKPoints) {
  const Orbitals start = on_first_rank(made_up(1, 1, 2, {3}));
  const int n = testing::ranks();
  const Orbitals spread = redistribute(start, {{1, n, 1}});
  expect_complete(spread);
  expect_complete(redistribute(spread, {{n, 1, 1}}));
  compared();
}

TEST(Orbitals, GridMustFit) {
  const Orbitals start = on_first_rank(made_up(1, 1, 2, {3}));
  expect_error(Fault::bad_argument, "the product must equal the number of ranks", [&] {
    redistribute(start, {{1, testing::ranks() + 1, 1}});
  });
  expect_error(Fault::bad_argument, "does not match", [&] { redistribute(start, {{0, 1, 1}}); });
}

TEST(Orbitals, OwnersMustExist) {
  const Orbitals start = on_first_rank(made_up(1, 1, 2, {3}));
  const int n = testing::ranks();
  expect_error(Fault::bad_argument, "groups of waves", [&] {
    redistribute(start,
                 {{1, 1, n}, [n](int, std::span<const Miller> waves) { return std::vector<int>(waves.size(), n); }});
  });
  expect_error(Fault::bad_argument, "give one owner per wave", [&] {
    redistribute(start, {{1, 1, n}, [](int, std::span<const Miller>) { return std::vector<int>{0}; }});
  });
}

TEST(Orbitals, FilesMustHaveWhatIsRead) {
  const WaveFile file(MPI_COMM_WORLD, testing::data_set("si_small"));
  Orbitals orbitals{Communicator(MPI_COMM_WORLD), file.header(), {}};
  orbitals.header.bands = 9;
  expect_error(Fault::bad_argument, "1 spins, 8 k-points and 8 bands, but 1, 8 and 9 are requested",
               [&] { read_into(orbitals, file); });
}

TEST(Orbitals, PartsMustHoldEachCoefficientOnce) {
  Orbitals start = on_first_rank(made_up(1, 1, 2, {5, 4}));
  const OrbitalGrid grid{1, 1, testing::ranks()};
  if (testing::rank() == 0) {
    start.parts[1].positions = {{0, 3}};
    start.parts[1].waves.resize(3);
    start.parts[1].coefficients.resize(6);
  }
  expect_error(Fault::bad_argument, "do not hold each of the 4 waves", [&] { redistribute(start, {grid}); });
  if (testing::rank() == 0) start.parts[1].coefficients.resize(5);
  expect_error(Fault::bad_argument, "the sizes of a part do not match", [&] { redistribute(start, {grid}); });
  if (testing::rank() == 0) {
    start.parts[1].coefficients.resize(6);
    std::swap(start.parts[0], start.parts[1]);
  }
  expect_error(Fault::bad_argument, "ascend in spin, then k-point", [&] { redistribute(start, {grid}); });
}

/// One band of 500 waves at both ends of each of four stages is the least, to the byte.
TEST(Orbitals, AskForMoreMemoryWhereABandDoesNotFit) {
  const Orbitals start = on_first_rank(made_up(1, 1, 2, {500}));
  const OrbitalGrid grid{1, 1, testing::ranks()};
  MoveOptions options;
  options.policy.memory = 2 * 4 * 500 * static_cast<std::int64_t>(sizeof(Complex));
  expect_complete(redistribute(start, {grid}, options));
  --options.policy.memory;
  expect_error(Fault::bad_argument,
               "needs 1 MB of memory on a rank, which exceeds the limit of 0 MB: raise the limit, or use more",
               [&] { redistribute(start, {grid}, options); });
}

}  // namespace
}  // namespace seiche
