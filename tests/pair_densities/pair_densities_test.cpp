// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of pair densities against sums by the definition, on the host and on devices, for a table of settings
/// in which each pair of settings occurs; and of their bits, messages and memory.
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "pair_densities/pair_case.hpp"
#include "support/pairwise.hpp"
#include "support/transforms.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {
namespace {

/// How a caller uses pair densities.
struct PairUse {
  bool started = false, longer_rows = false;
  bool there = false;  // coefficients of orbitals are in device memory
};

/// Checks all pairs, and sums of them.
template <class Value>
class CheckPairs {
 public:
  using Number = typename ComplexOf<Value>::type;

  CheckPairs(const PairCase& of, const PairDensityOptions& options, const PairUse& use)
      : of_(of),
        use_(use),
        data_(of),
        densities_(pair_densities<Value>(of, data_, options)),
        left_(stored(data_.left)),
        right_(stored(data_.right)) {}
  void check() {
    EXPECT_EQ(left_->count(), of_.left);
    sums();
    all_pairs();
  }

 private:
  GridOrbitals<Value> stored(const Bands<Value>& bands) {
    CallersRows<Number> rows(bands.in, bands.mine.size(), bands.rows(), use_.longer_rows, use_.there);
    return densities_.orbitals(bands.mine, rows.rows(), bands.bands);
  }
  void all_pairs() {
    Received<Number> received, other;
    const auto block = static_cast<std::size_t>(densities_.report().block);
    if (use_.started) {
      Pending call = densities_.start_compute(*left_, *right_, received.function());
      Pending second = densities_.start_compute(*left_, *right_, other.function());
      left_.reset();  // started calls keep the orbitals
      right_.reset();
      finished(std::move(second));
      finished(std::move(call));
      other.expect(of_, data_);
    } else {
      densities_.compute(*left_, *right_, received.function());
    }
    received.expect(of_, data_);
    for (std::size_t b = 0; b + 1 < received.blocks.size(); ++b) EXPECT_EQ(received.blocks[b], block);
    for (const std::size_t pairs : received.blocks) EXPECT_LE(pairs, block);
  }
  /// More sums than are on the grid at once.
  void sums() {
    constexpr std::int64_t count = 11;
    std::vector<Value> coefficients;
    for (const Wide& c : random_values(count * of_.left * of_.right, 7)) coefficients.push_back(part_of(c));
    const std::size_t waves = data_.waves.size(), pairs = coefficients.size() / count;
    std::vector<Wide> want(count * waves);
    for (std::size_t s = 0; s < count; ++s) {
      for (std::size_t p = 0; p < pairs; ++p) {
        for (std::size_t g = 0; g < waves; ++g) {
          want[s * waves + g] += Wide(coefficients[s * pairs + p]) * data_.densities[p * waves + g];
        }
      }
    }
    CallersRows<Number> out(std::vector<Number>(want.size(), Number(NAN, 0)), waves, count, use_.longer_rows, false);
    densities_.sum(*left_, *right_, coefficients, out.rows(), count);
    out.expect({want.begin(), want.end()}, 10 * data_.tolerance);
  }
  static Value part_of(const Wide& c) {
    if constexpr (std::is_floating_point_v<Value>) {
      return static_cast<Value>(c.real());
    } else {
      return static_cast<Value>(c);
    }
  }

  const PairCase& of_;
  PairUse use_;
  PairData<Value> data_;
  PairDensities<Value> densities_;
  std::optional<GridOrbitals<Value>> left_, right_;
};

/// Where plans and coefficients are.
struct PairPlace {
  Decomposition decomposition = Decomposition::automatic;
  Space space = Space::host;
  bool there = false;
};
constexpr std::array pair_places{
    PairPlace{Decomposition::slab}, PairPlace{Decomposition::pencil}, PairPlace{Decomposition::pencil_yz},
    PairPlace{Decomposition::automatic, Space::cuda, false}, PairPlace{Decomposition::automatic, Space::cuda, true}};

/// The settings of the table.
struct PairSettings {
  std::array<GridShape, 6> shapes{{{6, 5, 8}, {7, 11, 5}, {9, 8, 1}, {8, 1, 6}, {5, 4, 2}, {7, 6, 9}}};
  std::array<std::pair<std::int64_t, std::int64_t>, 6> counts_of_orbitals{
      {{3, 4}, {0, 3}, {2, 0}, {5, 1}, {1, 7}, {4, 5}}};
  std::array<int, 4> blocks{0, 1, 3, 8};
  std::array<double, 2> radii{1, 0.4};
  std::vector<Algorithm> algorithms = ways_here();
  std::vector<int> groups = dividing_groups();
  std::array<std::pair<int, int>, 4> windows_and_threads{{{0, 1}, {1, 2}, {3, 1}, {9, 2}}};

  std::vector<std::size_t> counts() const {
    return {shapes.size(),
            2,
            4,
            5,
            counts_of_orbitals.size(),
            blocks.size(),
            algorithms.size() + 1,
            groups.size(),
            pair_places.size(),
            radii.size(),
            windows_and_threads.size(),
            3,
            2,
            2,
            2};
  }
  void check(const Choice& row) const {
    const auto [left, right] = counts_of_orbitals[row[4]];
    const PairCase of{.shape = shapes[row[0]],
                      .components = 1 + static_cast<int>(row[1]),
                      .spread = static_cast<Spread>(row[3]),
                      .left = left,
                      .right = right,
                      .radius = radii[row[9]],
                      .on_last_rank = row[14] == 1,
                      .groups = groups[row[7]]};
    const PairPlace& place = pair_places[row[8]];
    const auto [window, threads] = windows_and_threads[row[10]];
    const PairDensityOptions options{
        .fft = {.policy = {.algorithm = row[6] == 0 ? Algorithm::automatic : algorithms[row[6] - 1],
                           .progress = row[11] == 1 ? Progress::thread : Progress::poll,
                           .window = window},
                .decomposition = place.decomposition,
                .threads = threads,
                .reproducible = row[11] == 2,
                .space = place.space},
        .block = blocks[row[5]]};
    const PairUse use{row[12] == 1, row[13] == 1, place.there};
    std::string name = "settings";
    for (const std::size_t value : row) name += " " + std::to_string(value);
    SCOPED_TRACE(name);
    switch (row[2]) {
      case 0:
        return CheckPairs<Complex>(of, options, use).check();
      case 1:
        return CheckPairs<double>(of, options, use).check();
      case 2:
        return CheckPairs<std::complex<float>>(of, options, use).check();
      default:
        return CheckPairs<float>(of, options, use).check();
    }
  }
};

TEST(PairDensities, EqualSumsByTheDefinition) {
  const PairSettings settings;
  for (unsigned seed = 1; seed <= (long_suite() ? 12U : 1U); ++seed) {
    for (const Choice& row : pairwise(settings.counts(), seed)) settings.check(row);
  }
}

TEST(PairDensities, UseOwnKernelsOnDevices) {
  const PairCase of{.shape = {24, 28, 30}, .left = 2, .right = 2, .radius = 0.5};
  EXPECT_EQ(pair_densities<Complex>(of, PairData<Complex>(of), {.fft = {.space = Space::cuda}}).report().pairs.library,
            "five kernels");
  CheckPairs<Complex>(of, {.fft = {.space = Space::cuda}, .block = 3}, {}).check();
  CheckPairs<double>(of, {.fft = {.space = Space::cuda}, .block = 1}, {.started = true}).check();
}

/// The density of two plane waves is one at the difference of their waves. Adding G0 to the waves of j moves it by G0.
TEST(PairDensities, OfPlaneWavesAreAtTheDifferenceOfTheirWaves) {
  const GridShape shape{9, 8, 10};
  const Miller of_i{-2, 1, 3}, of_j{1, -1, -1}, shift{1, 0, -1};
  std::vector<Miller> waves = waves_in(shape, false);
  if (rank() != ranks() - 1) waves.clear();
  PairDensities<Complex> densities(MPI_COMM_WORLD, shape, waves, {.fft = {.band_groups = 1}});
  const auto plane_wave = [&](const Miller& g) {
    const std::vector<Miller> mine(rank() == 0 ? 1 : 0, g);
    return densities.orbitals(mine, std::vector<Complex>(mine.size(), 1), 1);
  };
  const auto left = plane_wave(of_i);
  for (const Miller& moved : {Miller{}, shift}) {
    const Miller at{of_j.x - of_i.x + moved.x, of_j.y - of_i.y + moved.y, of_j.z - of_i.z + moved.z};
    std::vector<Complex> expected;
    for (const Miller& g : waves) expected.push_back(index_in(shape, g) == index_in(shape, at) ? 1 : 0);
    Received<Complex> received;
    densities.compute(left, plane_wave({of_j.x + moved.x, of_j.y + moved.y, of_j.z + moved.z}), received.function());
    expect_close<Complex>(received.densities, expected, 1e-14);
  }
}

template <class Value>
void expect_same_bits(const PairCase& of) {
  using Number = typename ComplexOf<Value>::type;
  std::vector<Number> first;
  for (const int groups : dividing_groups()) {
    for (const auto& [decomposition, threads, window] :
         {std::tuple{Decomposition::slab, 1, 1}, {Decomposition::pencil, 2, 4}}) {
      PairCase here = of;
      here.groups = groups;
      const PairData<Value> data(here);
      auto densities = pair_densities<Value>(here, data,
                                             {.fft = {.policy = {.window = window},
                                                      .decomposition = decomposition,
                                                      .threads = threads,
                                                      .reproducible = true},
                                              .block = window});
      Received<Number> received;
      densities.compute(on_the_grid(densities, data.left), on_the_grid(densities, data.right), received.function());
      // rho_ij(G) of all pairs and waves, without zeros where another rank has it
      const auto all = waves_in(of.shape, PairData<Value>::half, of.radius);
      std::vector<Number> whole(static_cast<std::size_t>(of.left * of.right) * all.size());
      for (std::size_t p = 0; p < received.pairs.size(); ++p) {
        for (std::size_t g = 0; g < data.waves.size(); ++g) {
          const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), data.waves[g]) - all.begin());
          const auto pair = static_cast<std::size_t>(received.pairs[p].i * of.right + received.pairs[p].j);
          whole[pair * all.size() + at] = received.densities[p * data.waves.size() + g];
        }
      }
      MPI_Allreduce(MPI_IN_PLACE, whole.data(), static_cast<int>(2 * whole.size()), MPI_DOUBLE, MPI_SUM,
                    MPI_COMM_WORLD);
      if (first.empty()) first = whole;
      EXPECT_EQ(std::memcmp(whole.data(), first.data(), whole.size() * sizeof(Number)), 0);
      compared();
    }
  }
}
TEST(PairDensities, HaveTheSameBitsForAnyNumberOfGroups) {
  expect_same_bits<Complex>({.shape = {6, 7, 8}, .spread = Spread::cyclic, .left = 2});
  expect_same_bits<double>({.shape = {7, 6, 9}, .components = 2, .right = 5});
}

/// A case with its data.
class PairDensityCalls : public ::testing::Test {
 protected:
  /// Calls work(case, data) for each number of band groups.
  template <class Work>
  static void each_group(const PairCase& of, const Work& work) {
    for (const int groups : dividing_groups()) {
      PairCase here = of;
      here.groups = groups;
      work(here, PairData<Complex>(here));
    }
  }
};

TEST_F(PairDensityCalls, ShareOrbitalsBetweenObjects) {
  const PairCase of{.left = 4}, smaller{.left = 4, .right = 4, .radius = 0.5};
  const PairData<Complex> data(of), fewer(smaller);
  auto densities = pair_densities(of, data, {});
  auto left = on_the_grid(densities, data.left);
  densities.close();  // orbitals are not affected
  auto next = pair_densities(smaller, fewer, {.block = 2});
  const auto moved = std::move(left);
  Received<Complex> received;
  next.compute(moved, on_the_grid(next, fewer.right), received.function());
  received.expect(smaller, fewer);
}

TEST_F(PairDensityCalls, AcceptEqualSets) {
  each_group({}, [](const PairCase& of, const PairData<Complex>& data) {
    auto densities = pair_densities(of, data, {});
    const auto both = on_the_grid(densities, data.left);
    double norm = 0;
    densities.compute(both, both, [&](const PairBlock<Complex>& block) {
      for (std::size_t p = 0; p < block.pairs.size(); ++p) {
        if (block.pairs[p].i != block.pairs[p].j) continue;
        for (std::size_t g = 0; g < data.waves.size(); ++g) {
          if (data.waves[g] == Miller{}) norm += block.densities[p * data.waves.size() + g].real();
        }
      }
    });
    MPI_Allreduce(MPI_IN_PLACE, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double expected = 0;
    for (const Wide& c : data.left.whole) expected += std::norm(c);
    EXPECT_NEAR(norm, expected, 1e-12);
    compared();
  });
}

/// Messages of these algorithms start in any order, so that progress() needs no finish() on other ranks.
TEST_F(PairDensityCalls, ProgressAloneComputesAllPairs) {
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::shared}) {
    each_group({}, [&](const PairCase& of, const PairData<Complex>& data) {
      auto densities = pair_densities(of, data, {.fft = {.policy = {.algorithm = algorithm, .window = 2}}, .block = 1});
      Received<Complex> received;
      Pending call = densities.start_compute(on_the_grid(densities, data.left), on_the_grid(densities, data.right),
                                             received.function());
      while (!call.progress()) continue;
      EXPECT_GT(received.pairs.size() + 2, pairs_here(of).size());  // only items in flight are left
      call.finish();
      received.expect(of, data);
    });
  }
}

TEST_F(PairDensityCalls, MayBeDroppedAndOutliveTheObject) {
  each_group({}, [](const PairCase& of, const PairData<Complex>& data) {
    auto densities = pair_densities(of, data, {.fft = {.policy = {.window = 2}}, .block = 1});
    const auto left = on_the_grid(densities, data.left), right = on_the_grid(densities, data.right);
    Received<Complex> undefined, received;
    {
      Pending dropped = densities.start_compute(left, right, undefined.function());
      for (int i = 0; i < 7 * (rank() + 1); ++i) dropped.progress();
    }
    Pending call = densities.start_compute(left, right, received.function());
    densities.close();  // the call keeps the plans
    call.finish();
    received.expect(of, data);
    expect_error(Fault::bad_argument, "this started call is finished: start another", [&] { call.progress(); });
  });
}

TEST_F(PairDensityCalls, AreLeftByOneRank) {
  if (ranks() == 1) GTEST_SKIP() << "needs another rank";
  each_group({}, [](const PairCase& of, const PairData<Complex>& data) {
    auto densities = pair_densities(of, data, {});
    const auto left = on_the_grid(densities, data.left), right = on_the_grid(densities, data.right);
    Received<Complex> received;
    std::optional<Pending> call(densities.start_compute(left, right, received.function()));
    if (rank() == ranks() - 1) {
      call.reset();
      compared();
    } else {
      expect_error(Fault::bad_argument, " left a started call or stream without finish()", [&] { call->finish(); });
    }
  });
}

TEST(PairDensityMessages, ContainEachOrbitalOfOneSetOnce) {
  if (ranks() == 1) GTEST_SKIP() << "needs messages between band groups";
  const PairCase of{.left = 2 * ranks(), .right = 3, .groups = ranks()};
  const PairData<Complex> data(of);
  auto densities = pair_densities(of, data, {.fft = {.policy = {.algorithm = Algorithm::alltoallv}}});
  const auto left = on_the_grid(densities, data.left), right = on_the_grid(densities, data.right);
  Received<Complex> received;
  mpi_profile::start_counting();
  densities.compute(left, right, received.function());
  EXPECT_EQ(mpi_profile::counts()["MPI_Isend"], 2 * (ranks() - 1));
  received.expect(of, data);
}

TEST(PairDensityMemory, IsReported) {
  const PairCase of{.components = 2, .groups = ranks()};
  const PairData<Complex> data(of);
  for (const Space space : {Space::host, Space::cuda}) {
    const FftOptions fft{.policy = {.window = 3}, .space = space};
    auto densities = pair_densities(of, data, {.fft = fft}),
         small = pair_densities(of, data, {.fft = fft, .block = 32});
    EXPECT_EQ(densities.report().block, 64);
    EXPECT_EQ(densities.report().band_groups, ranks());
    EXPECT_EQ(densities.report().pairs.band_groups, 1);
    const std::int64_t orbital = 2 * of.shape.volume() * std::int64_t{sizeof(Complex)};
    const auto left = on_the_grid(densities, data.left);
    EXPECT_EQ(left.memory(), (of.left - rank() + ranks() - 1) / ranks() * orbital);
    if (space == Space::host) {
      const std::int64_t density = std::ssize(data.waves) * std::int64_t{sizeof(Complex)}, rounds = 3;
      EXPECT_EQ(densities.report().memory - small.report().memory, 2 * 32 * density);
      EXPECT_EQ(densities.report().memory,
                densities.report().pairs.memory + 128 * density + (ranks() > 1 ? rounds * (ranks() - 1) : 0) * orbital);
    }
    const double before = densities.progress().worked;
    Received<Complex> received;
    densities.compute(left, on_the_grid(densities, data.right), received.function());
    EXPECT_GT(densities.progress().worked, before);
    received.expect(of, data);
  }
}

}  // namespace
}  // namespace seiche::testing
