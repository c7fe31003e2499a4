// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests all functions of sphere plans against sums by the definition, on the host and on devices, for tables of
/// settings in which each pair of settings occurs.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "fft/sphere_verbs.hpp"
#include "support/pairwise.hpp"
#include "support/transforms.hpp"

namespace seiche::testing {
namespace {

/// Where a plan and the arrays of its calls are.
struct Place {
  Decomposition decomposition = Decomposition::automatic;
  Space space = Space::host;
  bool bands_there = false, values_there = false;
};
constexpr std::array places{Place{Decomposition::slab},
                            Place{Decomposition::pencil},
                            Place{Decomposition::pencil_yz},
                            Place{Decomposition::automatic, Space::cuda, false, false},
                            Place{Decomposition::slab, Space::cuda, true, false},
                            Place{Decomposition::automatic, Space::cuda, false, true},
                            Place{Decomposition::slab, Space::cuda, true, true}};

struct Pace {
  int window, threads;
  bool reproducible, measured;
};
constexpr std::array paces{Pace{0, 1, false, false}, Pace{1, 1, true, false}, Pace{3, 2, false, true},
                           Pace{9, 2, true, true}};

/// The settings of a table, and a row of it.
struct Settings {
  std::array<GridShape, 7> shapes{{{12, 10, 15}, {5, 6, 7}, {10, 9, 23}, {1, 4, 12}, {9, 3, 1}, {2, 2, 2}, {6, 5, 2}}};
  std::array<std::int64_t, 4> bands{5, 1, 0, 13};
  std::vector<Algorithm> algorithms = ways_here();
  std::vector<int> groups{0, 1, ranks()};
  std::array<Progress, 3> progress{Progress::poll, Progress::thread, Progress::none};

  std::vector<std::size_t> counts() const {
    return {shapes.size(),
            5,
            bands.size(),
            2,
            algorithms.size() + 1,
            groups.size(),
            progress.size(),
            places.size(),
            paces.size(),
            2,
            2,
            2,
            4};
  }
  void check(const Choice& row) const {
    const SphereCase of{shapes[row[0]], static_cast<Spread>(row[1]), bands[row[2]], 1 + static_cast<int>(row[3])};
    const Place& place = places[row[7]];
    const Pace& pace = paces[row[8]];
    const FftOptions options{.policy = {.algorithm = row[4] == 0 ? Algorithm::automatic : algorithms[row[4] - 1],
                                        .progress = progress[row[6]],
                                        .window = pace.window},
                             .decomposition = place.decomposition,
                             .threads = pace.threads,
                             .reproducible = pace.reproducible,
                             .measured = pace.measured,
                             .band_groups = groups[row[5]],
                             .space = place.space};
    const Use use{row[9] == 1, row[10] == 1, row[11] == 1, place.bands_there, place.values_there};
    std::string name = "settings";
    for (const std::size_t value : row) name += " " + std::to_string(value);
    SCOPED_TRACE(name + ", " + std::string(name_of(options.policy.algorithm)));
    if (row[12] == 0) SphereVerbs<Complex>(Bands<Complex>(of), options, use).check();
    if (row[12] == 1) SphereVerbs<double>(Bands<double>(of), options, use).check();
    if (row[12] == 2) SphereVerbs<std::complex<float>>(Bands<std::complex<float>>(of), options, use).check();
    if (row[12] == 3) SphereVerbs<float>(Bands<float>(of), options, use).check();
  }
};

TEST(Sphere, FunctionsEqualSumsByTheDefinition) {
  const Settings settings;
  for (unsigned seed = 1; seed <= (long_suite() ? 12U : 1U); ++seed) {
    for (const Choice& row : pairwise(settings.counts(), seed)) settings.check(row);
  }
}

/// Plans of one communicator and set of waves, so that a plan in the cache is used again.
TEST(Sphere, BandsChangeFromCallToCall) {
  for (const std::int64_t bands : {4, 0, 1, 6}) {
    const Bands<Complex> of({.shape = {5, 6, 7}, .bands = bands});
    SphereVerbs<Complex>(of, {.policy = {.window = 3}}, {}).check();
  }
}

/// Returns uneven numbers of planes of the ranks of a band group. `without`: a rank that has none, if there are others.
std::vector<int> uneven_slabs(int members, std::int64_t planes, int without) {
  std::vector<int> slabs(static_cast<std::size_t>(members), 1);
  if (members > 1) slabs[static_cast<std::size_t>(without)] = 0;
  int& most = slabs[without == 0 ? slabs.size() - 1 : 0];
  most += static_cast<int>(planes) - std::accumulate(slabs.begin(), slabs.end(), 0);
  return slabs;
}

TEST(Sphere, SlabsHaveTheNumbersOfPlanesOfTheCaller) {
  const SphereCase of{{8, 9, 7}};
  for (const int groups : {1, ranks()}) {
    const int members = ranks() / groups;
    for (const int without : {0, members - 1}) {
      for (const Space space : {Space::host, Space::cuda}) {
        const std::vector<int> slabs = uneven_slabs(members, of.shape.nz, without);
        const FftOptions options{.band_groups = groups, .space = space, .slabs = slabs};
        const int member = rank() % members;
        std::int64_t low = 0;
        for (int m = 0; m < member; ++m) low += slabs[static_cast<std::size_t>(m)];
        const Box want{{{{0, 8}, {0, 9}, {low, low + slabs[static_cast<std::size_t>(member)]}}}};
        EXPECT_EQ(Bands<Complex>(of).plan(options).grid_box(), want);
        EXPECT_EQ(sphere_grid_boxes(ranks(), of.shape, options)[static_cast<std::size_t>(rank())], want);
        SphereVerbs<Complex>(Bands<Complex>(of), options, {}).check();
        SphereVerbs<double>(Bands<double>(of), options, {}).check();
        compared();
      }
    }
  }
}

TEST(Sphere, SlabsMustFitTheRanksAndTheGrid) {
  const GridShape shape{8, 9, 7};
  auto one_more = uneven_slabs(ranks(), shape.nz, 0), other_sum = uneven_slabs(ranks(), shape.nz - 1, 0);
  one_more.push_back(0);
  const auto fails = [&](const std::vector<int>& slabs, const std::string& sentence) {
    const FftOptions options{.band_groups = 1, .slabs = slabs};
    expect_error(Fault::bad_argument, sentence, [&] { SphereFft<Complex>(MPI_COMM_WORLD, shape, {}, options); });
    expect_error(Fault::bad_argument, sentence, [&] { sphere_grid_boxes(ranks(), shape, options); });
  };
  fails(one_more, "fft: " + std::to_string(ranks() + 1) + " slabs with 7 planes do not fit");
  fails(other_sum, "fft: " + std::to_string(ranks()) + " slabs with 6 planes do not fit");
}

/// Numbers of bands for which some groups have none, and numbers of groups that divide the ranks.
TEST(Sphere, BandGroupsHaveSeparateBands) {
  for (const std::int64_t bands : {1, 5}) {
    const Bands<Complex> full({{8, 9, 7}, Spread::sticks, bands});
    const Bands<double> half({{8, 9, 7}, Spread::scattered, bands});
    for (int groups = 1; groups <= ranks(); ++groups) {
      if (ranks() % groups > 0) continue;
      for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::alltoallv, Algorithm::shared}) {
        const FftOptions options{.policy = {.algorithm = algorithm, .window = groups},
                                 .decomposition = all_decompositions[static_cast<std::size_t>(bands + groups) % 3],
                                 .band_groups = groups};
        SphereVerbs<Complex>(full, options, {}).check();
        SphereVerbs<double>(half, options, {}).check();
      }
    }
  }
}

/// Bundles of which the last one is not full.
TEST(Sphere, ManyBandsOnADevice) {
  const FftOptions options{.policy = {.window = 2}, .band_groups = 1, .space = Space::cuda};
  SphereVerbs<double>(Bands<double>({{5, 6, 7}, Spread::cyclic, 37}), options, {}).check();
  SphereVerbs<std::complex<float>>(Bands<std::complex<float>>({{4, 3, 2}, Spread::sticks, 37}), options, {}).check();
}

TEST(Sphere, LargePrimes) {
  const GridShape shape = long_suite() ? GridShape{97, 97, 97} : GridShape{31, 47, 53};
  const Bands<Complex> of({shape, Spread::sticks, 1});
  for (const auto decomposition : all_decompositions) {
    SphereVerbs<Complex>(of, {.decomposition = decomposition}, {}).check();
  }
}

TEST(Sphere, WithMkl) {
  if (!is_here(LineLibrary::mkl)) GTEST_SKIP() << "MKL is not here";
  for (const auto decomposition : all_decompositions) {
    for (const bool reproducible : {true, false}) {
      const FftOptions options{
          .library = LineLibrary::mkl, .decomposition = decomposition, .reproducible = reproducible};
      SphereVerbs<Complex>(Bands<Complex>({{5, 6, 7}, Spread::cyclic, 3}), options, {}).check();
      SphereVerbs<double>(Bands<double>({{10, 9, 23}, Spread::scattered, 3}), options, {}).check();
      SphereVerbs<std::complex<float>>(Bands<std::complex<float>>({{10, 9, 23}, Spread::blocks, 3}), options, {})
          .check();
      SphereVerbs<float>(Bands<float>({{5, 6, 7}, Spread::sticks, 3}), options, {}).check();
    }
  }
}

}  // namespace
}  // namespace seiche::testing
