// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests the cache of plans: which plans are found again, and how many stay open.
#include <deque>
#include <map>
#include <memory>

#include "support/bands.hpp"
#include "trace/mpi_profile.hpp"

namespace seiche::testing {
namespace {

constexpr GridShape shape{12, 10, 15};

/// Checks a plan of one wave.
void expect_doubles(SphereFft<Complex>& plan) {
  const std::vector<Complex> in{{3, 4}};
  std::vector<Complex> out(1);
  plan.round_trip(in, out, 1, double_values);
  expect_close<Complex>(out, std::vector<Complex>{{6, 8}}, 1e-12);
}

TEST(PlanCache, MadeAgainCostsOneSmallReduction) {
  const auto waves = share_of(waves_of_radius(3), true);
  const FftOptions options{.policy = {.algorithm = Algorithm::pairwise, .window = 3}};
  SphereFft<Complex> first(MPI_COMM_WORLD, shape, waves, options);
  const auto in = coefficients(waves, 1);
  std::vector<Complex> out(in.size()), again(in.size());
  first.round_trip(in, out, 1, double_values);
  mpi_profile::start_counting();
  SphereFft<Complex> second(MPI_COMM_WORLD, shape, waves, options);
  const auto calls = mpi_profile::counts();
  EXPECT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls.count("MPI_Allreduce"), 1U);
  second.round_trip(in, again, 1, double_values);
  expect_equal(again, out);
  auto fewer = waves;
  if (rank() == 0 && !fewer.empty()) fewer.pop_back();  // a change on one rank makes a new plan on all
  mpi_profile::start_counting();
  SphereFft<Complex> third(MPI_COMM_WORLD, shape, fewer, options);
  EXPECT_GT(mpi_profile::counts()["MPI_Allreduce"], 1);
}

/// Returns the number of communicators and windows that this process has created and not freed.
std::int64_t live_objects(const std::map<std::string, std::int64_t>& calls) {
  std::int64_t live = 0;
  for (const auto& [name, n] : calls) {
    if (name == "MPI_Comm_free" || name == "MPI_Win_free") {
      live -= n;
    } else if (name.find("MPI_Win_allocate") == 0 || name == "MPI_Win_create" || name == "MPI_Comm_dup" ||
               name == "MPI_Comm_split" || name == "MPI_Comm_split_type" || name == "MPI_Comm_create") {
      live += n;
    }
  }
  return live;
}

TEST(PlanCache, ThousandsOfPlansHoldFewCommunicators) {
  const FewPlans few(48);
  const int plans = ranks() == 1 ? 3000 : long_suite() ? 300 : 100;  // slow with more ranks than cores
  std::deque<SphereFft<Complex>> alive;
  mpi_profile::start_counting();
  std::int64_t most = 0, wrong = 0;
  for (int i = 0; i < plans; ++i) {
    const std::vector<Miller> waves{{rank(), i % 2, 0}};
    alive.emplace_back(MPI_COMM_WORLD, GridShape{8 + i % 50, 3 + i / 50 % 20, 1 + i / 1000}, waves, FftOptions{});
    const std::vector<Complex> in{{1.0 * i, -1}};
    std::vector<Complex> out(1);
    alive.back().round_trip(in, out, 1, double_values);
    wrong += std::abs(out[0] - 2.0 * in[0]) > 1e-9;
    most = std::max(most, live_objects(mpi_profile::counts()));
  }
  // a plan that was closed early is opened again
  expect_doubles(alive.front());
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(most, 48 + 8);  // split communicators are shared
  compared(plans);
}

/// Counts the windows and communicators that a round trip with each plan creates.
std::int64_t created_by(std::deque<SphereFft<Complex>>& plans) {
  mpi_profile::start_counting();
  for (auto& plan : plans) expect_doubles(plan);
  std::int64_t created = 0;
  for (const auto& [name, n] : mpi_profile::counts()) {
    const bool creates = name.rfind("MPI_Win_allocate", 0) == 0 || name == "MPI_Comm_dup" || name == "MPI_Comm_split";
    if (creates) created += n;
  }
  return created;
}

/// Programs use a plan for each k-point and spin in turn.
TEST(PlanCache, ManyPlansInTurnStayOpen) {
  std::deque<SphereFft<Complex>> plans;
  for (int i = 0; i < 24; ++i) {
    const std::vector<Miller> wave{{rank(), i % 2, 0}};
    plans.emplace_back(MPI_COMM_WORLD, GridShape{8, 5, 1 + i}, wave, FftOptions{});
  }
  EXPECT_GT(created_by(plans), 0);
  EXPECT_EQ(created_by(plans), 0);
  const FewPlans few(8);
  plans.emplace_back(MPI_COMM_WORLD, GridShape{9, 5, 1}, std::vector<Miller>{{rank(), 1, 0}}, FftOptions{});
  EXPECT_GT(created_by(plans), 0) << "plans beyond the limit are closed";
  EXPECT_GT(created_by(plans), 0);
  compared(4);
}

/// The last used plans are kept, up to a limit of memory. Closed plans keep less.
TEST(PlanCache, MemoryOfPlansIsReportedAndLimited) {
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  const auto waves = share_of(waves_of_radius(3), true);
  const auto in = coefficients(waves, 1);
  std::vector<Complex> out(in.size());
  const FftOptions options{.policy = {.algorithm = Algorithm::pairwise}};
  const auto used = [&](std::int64_t nz) {
    SphereFft<Complex> fft(fresh, {12, 10, nz}, waves, options);
    fft.round_trip(in, out, 1, double_values);
    return fft;
  };
  const std::int64_t own = used(15).report().memory;
  auto last = used(16);
  const std::int64_t two = last.report().kept_memory;
  EXPECT_EQ(two, own + last.report().memory) << "the memory of the destroyed plan counts";
  {
    const FewPlans few(1024, 1);
    auto other = used(17);
    EXPECT_EQ(other.report().kept_memory, other.report().memory) << "only the last plan is kept";
    other.close();
  }
  last.round_trip(in, out, 1, double_values);  // opens the plan again
  EXPECT_GE(last.report().kept_memory, last.report().memory);
  EXPECT_LT(last.report().kept_memory, two) << "a closed plan has no buffers";
  compared(4);
  MPI_Comm_free(&fresh);
}

/// The reduction has a bit for each plan, in words of 63 bits.
TEST(PlanCache, FindsAPlanAmongMany) {
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  const FftOptions options{.policy = {.algorithm = Algorithm::pairwise}, .library = LineLibrary::fftw};
  for (const bool again : {false, true}) {
    for (int nz = 1; nz <= 66; ++nz) {
      mpi_profile::start_counting();
      const DenseFft<Complex> fft(fresh, {1, 2, nz}, options);
      EXPECT_EQ(mpi_profile::counts()["MPI_Allreduce"] == 1, again) << nz;
      compared();
    }
  }
  MPI_Comm_free(&fresh);
}

/// A rank without waves has equal arguments for all plans. Plans are found all the same.
TEST(PlanCache, IsFoundAgainWhereARankHasNoWaves) {
  const bool first = rank() == 0;
  std::deque<SphereFft<Complex>> plans;
  const auto make = [&](int i) {
    const std::vector<Miller> one{{rank(), i, 0}};
    plans.emplace_back(MPI_COMM_WORLD, GridShape{7, 9, 3}, first ? std::vector<Miller>{} : one, FftOptions{});
  };
  const int different = ranks() == 1 ? 1 : 4;  // a single rank has no waves in any plan
  for (int i = 0; i < different; ++i) make(i);
  for (const int i : {0, 1, 2, 3, 0, 2}) {
    mpi_profile::start_counting();
    make(i);
    const auto calls = mpi_profile::counts();
    EXPECT_EQ(calls.size(), 1U) << "plan " << i << " was made again";
    EXPECT_EQ(calls.count("MPI_Allreduce"), 1U);
    compared(2);
    const std::vector<Complex> in(first ? 0 : 1, {1.0 * rank(), 4});
    std::vector<Complex> out(in.size()), want = in;
    for (Complex& value : want) value *= 2;
    plans.back().round_trip(in, out, 1, double_values);
    expect_close<Complex>(out, want, 1e-12);
  }
}

/// The end of the program closes plans, which is collective. Ranks that close them in different orders would hang.
TEST(PlanCache, ThoseOfManyCommunicatorsAreClosedInOneOrder) {
  std::vector<std::unique_ptr<char[]>> holes;  // makes addresses differ between ranks
  for (int i = 0; i < 512; ++i) holes.push_back(std::make_unique<char[]>(static_cast<std::size_t>(16 + i % 4 * 16)));
  for (int i = 0; i < 8; ++i) {
    MPI_Comm never_freed = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &never_freed);
    for (int n = 0; n < 32; ++n) holes[static_cast<std::size_t>(n + 32 * ((3 + 2 * rank()) * i % 16))].reset();
    SphereFft<Complex> fft(never_freed, {16, 5, 4}, std::vector<Miller>{{rank(), 1, 0}}, {});
    expect_doubles(fft);
  }
}

}  // namespace
}  // namespace seiche::testing
