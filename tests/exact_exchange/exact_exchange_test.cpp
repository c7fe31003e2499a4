// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of exact exchange against sums by the definition, on the host and on devices, for a table of settings
/// in which each pair of settings occurs; and of its bits, messages and memory.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "comm/check.hpp"
#include "exact_exchange/case.hpp"
#include "support/pairwise.hpp"
#include "support/transforms.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {
namespace {

/// How a caller uses exact exchange.
struct Use {
  bool started = false, adds = false, longer_rows = false;
  bool there = false;    // arrays are in device memory
  bool on_grid = false;  // occupied orbitals come as values on the grid
};

constexpr double tolerance = 2e-11;

/// Checks V_x of the targets and of the occupied orbitals, and the energy.
template <class Value>
class Check {
 public:
  Check(const Case& of, const ExactExchangeOptions& options, const Use& use)
      : of_(of),
        use_(use),
        data_(of),
        exchange_(make<Value>(of, data_, options)),
        kernel_(data_.kernel, use.there),
        result_(use.adds ? Result::adds : Result::replaces) {
    if (use.on_grid) {
      FftOptions fft = options.fft;
      fft.components = of.components;
      occupied_.emplace(from_grid(fft));
    } else {
      CallersArray<Complex> psi(data_.in_occupied(), use.there);
      occupied_.emplace(exchange_.occupied(data_.occupied.mine, psi.span(), of.weights));
    }
  }
  void check() {
    const auto nonzero = of_.weights.size() - std::count(of_.weights.begin(), of_.weights.end(), 0);
    EXPECT_EQ(occupied_->count(), std::int64_t(nonzero));
    std::vector<double> weights;
    for (std::int64_t i = 0; i < of_.targets; ++i) weights.push_back(i % 3 == 1 ? 0 : 1.5 - static_cast<double>(i));
    Rows in = rows(data_.in(), of_.targets);
    EXPECT_NEAR(exchange_.energy(*occupied_, kernel_.span(), in.rows(), weights), data_.energy(weights), 1e-11);
    if (of_.q == 0) own_pairs();
    targets();
  }

 private:
  using Rows = CallersRows<Complex>;
  Rows rows(const std::vector<Complex>& values, std::int64_t bands) const {
    return Rows(values, data_.targets.mine.size(), static_cast<std::size_t>(bands * of_.components), use_.longer_rows,
                use_.there);
  }
  OccupiedOrbitals<Value> from_grid(const FftOptions& options) {
    SphereFft<Value> sphere(MPI_COMM_WORLD, of_.shape, data_.occupied.mine, options);
    EXPECT_EQ(exchange_.grid_box(), sphere.grid_box());
    const std::int64_t count = std::ssize(of_.weights);
    EXPECT_EQ(exchange_.bands_here(count), sphere.bands_here(count));
    CallersArray<Value> grid(data_.occupied.on_grid(sphere), use_.there);
    return exchange_.occupied_on_grid(grid.span(), of_.weights);
  }
  void targets() {
    const auto want = data_.expected();
    Rows in = rows(data_.in(), of_.targets), out = rows(use_.adds ? data_.in() : nans(want.size()), of_.targets),
         same = rows(data_.in(), of_.targets);
    if (use_.started) {
      Pending call = exchange_.start_apply(*occupied_, kernel_.span(), in.rows(), out.rows(), of_.targets, result_);
      Pending in_place =
          exchange_.start_apply(*occupied_, kernel_.span(), same.rows(), same.rows(), of_.targets, result_);
      occupied_.reset();  // started calls keep the orbitals
      finished(std::move(in_place));
      finished(std::move(call));
    } else {
      exchange_.apply(*occupied_, kernel_.span(), in.rows(), out.rows(), of_.targets, result_);
      exchange_.apply(*occupied_, kernel_.span(), same.rows(), same.rows(), of_.targets, result_);
    }
    const auto results = use_.adds ? sum_of(want, data_.in()) : want;
    out.expect(results, tolerance);
    same.expect(results, tolerance);
    in.expect(data_.in(), 0);
  }
  void own_pairs() {
    const auto want = data_.expected_of_occupied();
    const auto before = use_.adds ? std::vector<Complex>(want.size(), Complex(1, 2)) : nans(want.size());
    Rows out = rows(before, occupied_->count());
    exchange_.apply_to_occupied(*occupied_, kernel_.span(), out.rows(), result_);
    out.expect(use_.adds ? sum_of(want, before) : want, tolerance);
  }
  static std::vector<Complex> nans(std::size_t size) { return std::vector<Complex>(size, Complex(NAN, 0)); }

  const Case& of_;
  Use use_;
  Data<Value> data_;
  ExactExchange<Value> exchange_;
  CallersArray<double> kernel_;
  Result result_;
  std::optional<OccupiedOrbitals<Value>> occupied_;
};

/// Where plans and arrays are.
struct Place {
  Decomposition decomposition = Decomposition::automatic;
  Space space = Space::host;
  bool there = false;
};
constexpr std::array places{Place{Decomposition::slab}, Place{Decomposition::pencil}, Place{Decomposition::pencil_yz},
                            Place{Decomposition::automatic, Space::cuda, false},
                            Place{Decomposition::automatic, Space::cuda, true}};

/// The settings of the table.
struct Settings {
  std::array<GridShape, 6> shapes{{{6, 5, 8}, {7, 11, 5}, {9, 8, 1}, {8, 1, 6}, {5, 4, 2}, {7, 6, 9}}};
  std::array<std::int64_t, 3> targets{5, 0, 3};
  std::array<std::vector<double>, 4> weights{
      {{1, 0.5, 2, 0.25}, {1, 0, -0.5, 2, 1}, {0, 0}, {1, 0.5, 0, 2, 0.25, 1, 0.75}}};
  std::vector<Algorithm> algorithms = ways_here();
  std::vector<int> groups = groups_here();
  std::array<std::pair<int, int>, 4> windows_and_threads{{{0, 1}, {1, 2}, {3, 1}, {5, 2}}};

  std::vector<std::size_t> counts() const {
    return {shapes.size(),
            2,
            2,
            5,
            targets.size(),
            weights.size(),
            algorithms.size() + 1,
            groups.size(),
            places.size(),
            4,
            windows_and_threads.size(),
            4,
            2,
            2,
            2,
            2};
  }
  void check(const Choice& row) const {
    const bool half = row[2] == 1;
    const Case of{shapes[row[0]],
                  1 + static_cast<int>(row[1]),
                  row[15] == 1 && !half ? 0.4 : 0,
                  static_cast<Spread>(row[3]),
                  targets[row[4]],
                  weights[row[5]]};
    const Place& place = places[row[8]];
    const auto [window, threads] = windows_and_threads[row[10]];
    const ExactExchangeOptions options{
        .fft = {.policy = {.algorithm = row[6] == 0 ? Algorithm::automatic : algorithms[row[6] - 1],
                           .progress = row[11] == 1 ? Progress::thread : Progress::poll,
                           .window = window},
                .decomposition = place.decomposition,
                .threads = threads,
                .reproducible = row[11] == 2,
                .band_groups = groups[row[7]],
                .space = place.space},
        .batch = static_cast<int>(row[9])};
    const bool all_count = std::count(of.weights.begin(), of.weights.end(), 0) == 0;
    const Use use{row[12] == 1, row[13] == 1, row[14] == 1, place.there, row[11] == 3 && all_count};
    std::string name = "settings";
    for (const std::size_t value : row) name += " " + std::to_string(value);
    SCOPED_TRACE(name);
    half ? Check<double>(of, options, use).check() : Check<Complex>(of, options, use).check();
  }
};

TEST(ExactExchange, EqualsSumsByTheDefinition) {
  const Settings settings;
  for (unsigned seed = 1; seed <= (long_suite() ? 12U : 1U); ++seed) {
    for (const Choice& row : pairwise(settings.counts(), seed)) settings.check(row);
  }
}

TEST(ExactExchange, UsesOwnKernelsOnDevices) {
  const FftOptions fft{.space = Space::cuda};
  const Case of{.shape = {24, 28, 30}, .targets = 2, .weights = {1, 0.5}};
  const Case half{.shape = {28, 24, 30}, .targets = 2, .weights = {1, 0.5}};
  EXPECT_EQ(make(of, Data(of), {.fft = fft}).report().pairs.library, "five kernels");
  Check<Complex>(of, {.fft = fft}, {}).check();
  Check<double>(half, {.fft = fft}, {}).check();
}

/// Returns V_x and the energy of all targets, computed by this rank alone.
template <class Value>
std::pair<std::vector<Complex>, double> alone(const Case& of, const std::vector<double>& weights) {
  const Data<Value> data(of);
  const ExactExchangeOptions options{.fft = {.reproducible = true, .components = of.components}};
  ExactExchange<Value> exchange(MPI_COMM_SELF, of.shape, data.targets.all, data.density_waves, options);
  const auto occupied = exchange.occupied(data.occupied.all, data.occupied.whole, of.weights);
  std::vector<double> kernel;
  for (const Miller& g : data.density_waves) kernel.push_back(kernel_of(g, of.q));
  const auto& in = data.targets.whole;
  std::vector<Complex> out(in.size()), mine;
  exchange.apply(occupied, kernel, in, out, of.targets);
  for (std::size_t row = 0; row < data.targets.rows(); ++row) {
    for (const std::size_t i : positions_of(data.targets.all, of.spread)) {
      mine.push_back(out[row * data.targets.all.size() + i]);
    }
  }
  return {mine, exchange.energy(occupied, kernel, in, weights)};
}

template <class Value>
void expect_same_bits(const Case& of) {
  const Data<Value> data(of);
  const std::vector<double> weights(static_cast<std::size_t>(of.targets), 0.7);
  const auto [expected, energy] = alone<Value>(of, weights);
  for (const int groups : groups_here()) {
    for (const int batch : {1, 3}) {
      for (const auto& [decomposition, threads, window] :
           {std::tuple{Decomposition::slab, 1, 1}, {Decomposition::pencil, 2, 4}}) {
        auto exchange = make<Value>(of, data,
                                    {.fft = {.policy = {.window = window},
                                             .decomposition = decomposition,
                                             .threads = threads,
                                             .reproducible = true,
                                             .band_groups = groups},
                                     .batch = batch});
        const auto occupied = make_occupied(exchange, of, data);
        std::vector<Complex> out(data.in().size());
        exchange.apply(occupied, data.kernel, data.in(), out, of.targets);
        EXPECT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof(Complex)), 0);
        EXPECT_EQ(exchange.energy(occupied, data.kernel, data.in(), weights), energy);
        compared();
      }
    }
  }
}
TEST(ExactExchange, HasTheSameBitsOnAnyNumberOfRanks) {
  expect_same_bits<Complex>({.shape = {6, 7, 8}, .spread = Spread::cyclic, .weights = {1, 0.3, 0.7, 1.1, 0.2, 0.9}});
  expect_same_bits<double>({.shape = {7, 6, 9}, .weights = {1, 0.3, 0.7, 1.1, 0.2}});
  expect_same_bits<Complex>({.components = 2, .q = 0.4});
}

/// A case with its data.
class ExactExchangeCalls : public ::testing::Test {
 protected:
  const Case of_{};
  const Data<> data_{of_};
  const std::vector<Complex>&in_ = data_.in(), expected_ = data_.expected();
  std::vector<Complex> out_ = std::vector<Complex>(in_.size());
};

TEST_F(ExactExchangeCalls, HaveTheSameBitsOnDevicesForAnyNumberOfGroups) {
  std::vector<std::vector<Complex>> results;
  for (const int groups : groups_here()) {
    auto exchange =
        make(of_, data_, {.fft = {.reproducible = true, .band_groups = groups, .space = Space::cuda}, .batch = 2});
    results.emplace_back(in_.size());
    exchange.apply(make_occupied(exchange, of_, data_), data_.kernel, in_, results.back(), of_.targets);
    expect_equal(results.back(), results.front());
  }
}

TEST_F(ExactExchangeCalls, ShareOccupiedOrbitalsBetweenObjects) {
  const Case other{.q = 0.4};
  const Data<> other_data(other);
  auto exchange = make(of_, data_, {});
  auto occupied = make_occupied(exchange, of_, data_);
  exchange.close();  // orbitals are not affected
  auto next = make(of_, data_, {.batch = 3});
  const auto moved = std::move(occupied);
  next.apply(moved, data_.kernel, in_, out_, of_.targets);
  next.apply(make_occupied(next, other, other_data), other_data.kernel, in_, out_, of_.targets, Result::adds);
  expect_close<Complex>(out_, sum_of(expected_, other_data.expected()), 4e-11);
}

/// Messages of these algorithms start in any order, so that progress() needs no finish() on other ranks.
TEST_F(ExactExchangeCalls, ProgressAloneComputesTheFirstTargets) {
  for (const Algorithm algorithm : {Algorithm::pairwise, Algorithm::shared}) {
    for (const int groups : groups_here()) {
      auto exchange =
          make(of_, data_, {.fft = {.policy = {.algorithm = algorithm, .window = 2}, .band_groups = groups}});
      const auto occupied = make_occupied(exchange, of_, data_);
      Pending call = exchange.start_apply(occupied, data_.kernel, in_, out_, of_.targets);
      while (!call.progress()) continue;
      EXPECT_GT(exchange.progress().worked, 0);
      call.finish();
      expect_close<Complex>(out_, expected_, tolerance);
    }
  }
}

TEST_F(ExactExchangeCalls, MayBeDroppedAndOutliveTheObject) {
  for (const int groups : groups_here()) {
    auto exchange = make(of_, data_, {.fft = {.policy = {.window = 2}, .band_groups = groups}, .batch = 1});
    const auto occupied = make_occupied(exchange, of_, data_);
    std::vector<Complex> undefined(in_.size());
    {
      Pending dropped = exchange.start_apply(occupied, data_.kernel, in_, undefined, of_.targets);
      for (int i = 0; i < 7 * (rank() + 1); ++i) dropped.progress();
    }
    Pending call = exchange.start_apply(occupied, data_.kernel, in_, out_, of_.targets);
    exchange.close();  // the call keeps the plans
    call.finish();
    expect_close<Complex>(out_, expected_, tolerance);
    expect_error(Fault::bad_argument, "this started call is finished: start another", [&] { call.progress(); });
  }
}

TEST_F(ExactExchangeCalls, SplitLargeMessages) {
  // one rank per group: pair transforms send no messages
  auto exchange = make(of_, data_, {.fft = {.policy = {.algorithm = Algorithm::pairwise}, .band_groups = ranks()}});
  const auto occupied = make_occupied(exchange, of_, data_);
  set_count_limit(50);
  exchange.apply(occupied, data_.kernel, in_, out_, of_.targets);
  set_count_limit(std::numeric_limits<std::int32_t>::max());
  expect_close<Complex>(out_, expected_, tolerance);
}

TEST(ExactExchangeMessages, AreHalvedForOccupiedOrbitals) {
  if (ranks() == 1) GTEST_SKIP() << "counts messages";
  const Case of{.targets = 8, .weights = std::vector<double>(8, 1.0)};
  const Data data(of);
  auto exchange = make(of, data, {.fft = {.policy = {.algorithm = Algorithm::alltoallv}, .band_groups = 1}});
  const auto occupied = make_occupied(exchange, of, data);
  std::vector<Complex> out(data.in().size());
  const auto exchanges = [&](const auto& call) {
    mpi_profile::start_counting();
    call();
    return mpi_profile::counts()["MPI_Alltoallv"];
  };
  const auto all = exchanges([&] { exchange.apply(occupied, data.kernel, data.in(), out, 8); });
  const auto half = exchanges([&] { exchange.apply_to_occupied(occupied, data.kernel, out); });
  // 2 for each of 64 and 36 pairs; 8 for the targets, 1 for the check of the kernel
  EXPECT_EQ(all - half, 2 * 64 + 8 - (2 * 36 + 1));
  compared();
}

TEST(ExactExchangeMessages, ContainEachOrbitalOncePerSetOfTargets) {
  if (ranks() == 1) GTEST_SKIP() << "needs messages between band groups";
  const Case of{.targets = 4 * ranks(), .weights = std::vector<double>(static_cast<std::size_t>(2 * ranks()), 1.0)};
  const Data data(of);
  std::vector<Complex> out(data.in().size());
  for (const int batch : {4, 2, 1}) {
    // one rank per group: pair transforms send no messages
    auto exchange = make(
        of, data, {.fft = {.policy = {.algorithm = Algorithm::alltoallv}, .band_groups = ranks()}, .batch = batch});
    const auto occupied = make_occupied(exchange, of, data);
    mpi_profile::start_counting();
    exchange.apply(occupied, data.kernel, data.in(), out, of.targets);
    EXPECT_EQ(mpi_profile::counts()["MPI_Isend"], 4 / batch * 2 * (ranks() - 1));
    compared();
  }
}

TEST(ExactExchangeMemory, IsReported) {
  const Case of{.components = 2};
  const Data data(of);
  for (const Space space : {Space::host, Space::cuda}) {
    const FftOptions fft{.policy = {.window = 3}, .band_groups = ranks(), .space = space};
    auto exchange = make(of, data, {.fft = fft}), small = make(of, data, {.fft = fft, .batch = 1});
    EXPECT_EQ(exchange.report().batch, 8);
    EXPECT_EQ(small.report().batch, 1);
    EXPECT_EQ(exchange.report().orbitals.band_groups, ranks());
    EXPECT_EQ(exchange.report().pairs.band_groups, ranks());
    const std::int64_t orbital = 2 * exchange.grid_box().volume() * std::int64_t{sizeof(Complex)};
    EXPECT_EQ(exchange.report().memory - small.report().memory, 7 * 2 * orbital);
    const auto occupied = make_occupied(exchange, of, data);
    EXPECT_EQ(occupied.memory(), exchange.bands_here(4) * orbital);
    const std::int64_t rounds = 3;  // with a window of 3 and several groups
    const std::int64_t messages = space == Space::host ? rounds * (ranks() - 1) * orbital
                                  : ranks() == 1       ? 0
                                                       : ranks() * orbital;
    EXPECT_GE(small.report().memory,
              small.report().orbitals.memory + small.report().pairs.memory + 2 * orbital + messages);
    const double before = exchange.progress().worked;
    std::vector<Complex> out(data.in().size());
    exchange.apply(occupied, data.kernel, data.in(), out, of.targets);
    EXPECT_GT(exchange.progress().worked, before);
    compared(8);
  }
}

}  // namespace
}  // namespace seiche::testing
