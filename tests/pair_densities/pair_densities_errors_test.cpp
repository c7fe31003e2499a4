// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that wrong arguments of pair densities, and errors of functions, give an error on all ranks, also if
/// they occur on one rank.
#include "pair_densities/pair_case.hpp"

namespace seiche::testing {
namespace {

bool on_last() { return rank() == ranks() - 1; }

template <class Work>
void rejected(const std::string& part, Work&& work) {
  expect_error(Fault::bad_argument, part, std::forward<Work>(work));
}

class PairDensityErrors : public ::testing::Test {
 protected:
  const PairCase of_{};
  const PairData<Complex> data_{of_};
  PairDensities<Complex> densities_ = pair_densities(of_, data_, {});
  GridOrbitals<Complex> left_ = on_the_grid(densities_, data_.left), right_ = on_the_grid(densities_, data_.right);
  std::vector<Complex> coefficients_ = std::vector<Complex>(2 * 12, 0.5),
                       sums_ = std::vector<Complex>(2 * data_.waves.size());
  static void nothing(const PairBlock<Complex>&) {}

  void TearDown() override {
    auto densities = pair_densities(of_, data_, {});
    Received<Complex> received;
    densities.compute(on_the_grid(densities, data_.left), on_the_grid(densities, data_.right), received.function());
    received.expect(of_, data_);
  }
  /// Checks that each call with these orbitals gives an error.
  void reject_all(const GridOrbitals<Complex>& left, const GridOrbitals<Complex>& right, const std::string& part) {
    rejected(part, [&] { densities_.compute(left, right, nothing); });
    rejected(part, [&] { densities_.start_compute(left, right, nothing).finish(); });
    rejected(part, [&] { densities_.sum(left, right, coefficients_, sums_, 2); });
  }
};

TEST_F(PairDensityErrors, OfOptionsAndWaves) {
  rejected("pair densities: the block must not be negative (got -1)",
           [&] { pair_densities(of_, data_, {.block = on_last() ? -1 : 1}); });
  PairCase wrong = of_;
  wrong.components = 3;
  rejected("fft: the number of components must be 1, or 2 for spinors (got 3)",
           [&] { pair_densities(wrong, data_, {}); });
  wrong = of_;
  wrong.groups = ranks() + 1;
  rejected("fft: the number of band groups must divide the number of ranks (got ",
           [&] { pair_densities(wrong, data_, {}); });
  expect_error(Fault::unsupported, "the space 'cuda' supports slabs only (got decomposition pencil)", [&] {
    pair_densities(of_, data_, {.fft = {.decomposition = Decomposition::pencil, .space = Space::cuda}});
  });
  auto other = data_;
  if (on_last()) other.waves.push_back({4, 0, 0});
  rejected("fft: wave (4,0,0) does not fit a grid of 6 x 5 x 8 points", [&] { pair_densities(of_, other, {}); });
  other = data_;
  if (on_last()) other.waves.push_back(data_.waves.front());
  rejected("fft: duplicate wave", [&] { pair_densities(of_, other, {}); });
}

TEST_F(PairDensityErrors, OfWavesThatDifferBetweenGroups) {
  if (ranks() == 1) GTEST_SKIP() << "needs several groups";
  PairCase grouped = of_;
  grouped.groups = ranks();
  PairData<Complex> data(grouped);
  if (on_last()) std::swap(data.waves[0], data.waves[1]);
  rejected("density_waves", [&] { pair_densities(grouped, data, {}); });
}

TEST_F(PairDensityErrors, OfArrays) {
  auto shorter = data_.left.in;
  if (on_last()) shorter.pop_back();
  rejected("coefficients is too short (", [&] { densities_.orbitals(data_.left.mine, shorter, 3); });
  rejected("fft: wrong number of bands (-1): pass 0 to ",
           [&] { densities_.orbitals(data_.left.mine, data_.left.in, -1); });
  auto waves = data_.left.mine;
  if (on_last()) waves.push_back({0, 3, 0});
  rejected("fft: wave (0,3,0) does not fit", [&] { densities_.orbitals(waves, data_.left.in, 0); });
  auto few = sums_;
  if (on_last()) few.pop_back();
  rejected("output coefficients is too short (", [&] { densities_.sum(left_, right_, coefficients_, few, 2); });
  rejected("pair densities: 3 sums of 3 x 4 pairs need 36 coefficients (got 24)", [&] {
    std::vector<Complex> more(3 * data_.waves.size());
    densities_.sum(left_, right_, coefficients_, more, 3);
  });
  if (ranks() == 1) return;
  if (on_last()) coefficients_[1] = 0;
  rejected("coefficients", [&] { densities_.sum(left_, right_, coefficients_, sums_, 2); });
  rejected("count", [&] { densities_.orbitals(data_.left.mine, data_.left.in, on_last() ? 1 : 2); });
}

TEST_F(PairDensityErrors, OfOrbitalsOfOtherObjects) {
  const auto foreign = [&](const GridOrbitals<Complex>& orbitals) {
    const std::string part = "pair densities: the orbitals have another communicator, grid, ";
    reject_all(orbitals, right_, part);
    reject_all(left_, orbitals, part);
  };
  PairCase other = of_;
  other.shape = {6, 6, 8};
  const auto stored = [&](const PairDensityOptions& options = {}) {
    auto densities = pair_densities(other, data_, options);
    std::vector<Complex> coefficients = data_.left.in;
    coefficients.resize(2 * coefficients.size());
    return densities.orbitals(data_.left.mine, coefficients, 3);
  };
  foreign(stored());
  other = of_;
  other.components = 2;
  foreign(stored());
  other = of_;
  foreign(stored({.fft = {.space = Space::cuda}}));
  MPI_Comm duplicate = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  {
    PairDensities<Complex> same(duplicate, of_.shape, data_.waves, {.fft = {.band_groups = 1}});
    foreign(same.orbitals(data_.left.mine, data_.left.in, 3));
  }
  MPI_Comm_free(&duplicate);
  if (ranks() == 1) return;
  other.groups = ranks();
  auto densities = pair_densities(other, PairData<Complex>(other), {});
  foreign(densities.orbitals(data_.left.mine, data_.left.in, 3));
}

TEST_F(PairDensityErrors, OfFunctions) {
  rejected("pair densities: the function is empty: pass a function", [&] { densities_.compute(left_, right_, {}); });
  for (const int groups : dividing_groups()) {
    PairCase grouped = of_;
    grouped.groups = groups;
    const PairData<Complex> data(grouped);
    auto densities = pair_densities(grouped, data, {.block = 1});
    const auto left = on_the_grid(densities, data.left), right = on_the_grid(densities, data.right);
    std::int64_t calls = 0;
    rejected("no room for this pair", [&] {
      densities.compute(left, right, [&](const PairBlock<Complex>& block) {
        ++calls;
        if (rank() == 0 && block.pairs[0].i == 1) throw Error(Fault::bad_argument, "no room for this pair");
      });
    });
    if (rank() == 0) {
      EXPECT_LT(calls, std::ssize(pairs_here(grouped)));
    }
    const std::string of_itself = "fft: a callback used the plan that called it: ";
    rejected(of_itself, [&] { densities.compute(left, right, [&](const PairBlock<Complex>&) { densities.close(); }); });
  }
}

TEST_F(PairDensityErrors, OfClosedObjects) {
  const auto kept = std::move(left_);
  reject_all(left_, right_, "pair densities: these orbitals are moved from");
  rejected("pair densities: these orbitals are moved from", [&] { left_.count(); });
  for (int twice = 0; twice < 2; ++twice) densities_.close();
  const std::string closed = "pair densities: this object is closed or moved from: create another";
  reject_all(kept, right_, closed);
  rejected(closed, [&] { densities_.orbitals(data_.left.mine, data_.left.in, 3); });
  rejected(closed, [&] { densities_.report(); });
}

}  // namespace
}  // namespace seiche::testing
