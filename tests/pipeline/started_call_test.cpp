// SPDX-License-Identifier: BSD-3-Clause
/// \file  The frame of started calls, and the pool of their data.
#include "pipeline/started_call.hpp"

#include <memory>
#include <vector>

#include "pipeline/call_pool.hpp"
#include "pipeline/notes.hpp"
#include "pipeline/pipeline.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {
namespace {

int alive = 0;  // number of objects of Data
struct Data {
  explicit Data(int of) : number(of) { ++alive; }
  ~Data() { --alive; }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;
  int number;
};

TEST(CallPool, ReusesDataThatNoCallUses) {
  CallPool<Data> pool;
  int made = 0;
  const auto take = [&] { return pool.take([&] { return std::make_unique<Data>(made++); }); };
  auto first = take(), second = take();
  EXPECT_EQ(first->number, 0);
  EXPECT_EQ(second->number, 1);
  first.reset();
  EXPECT_EQ(take()->number, 0);
  EXPECT_EQ(pool.all().size(), 2U);
  compared(4);
}

TEST(CallPool, FreesDataOfCallsAtTheirEnd) {
  CallPool<Data> pool;
  const auto take = [&](int number) { return pool.take([&] { return std::make_unique<Data>(number); }); };
  auto used = take(1);
  take(2);
  pool.keep([](const Data& data) { return data.number != 2; });
  EXPECT_EQ(alive, 1);
  pool.close();
  EXPECT_EQ(alive, 1) << "a call uses it";
  used.reset();
  EXPECT_EQ(alive, 0);
  compared(3);
}

/// Counts its steps. It needs three calls of progress().
class Counted final : public StartedCall {
 public:
  explicit Counted(std::vector<int>& counts) : counts_(counts) {}
  void begin(int rank_with_error) {
    start([&] {
      together(world(), [&] {
        if (rank() == rank_with_error) throw Error(Fault::bad_argument, "not this");
      });
    });
  }

 private:
  bool advance() override { return ++counts_[0] == 3; }
  void complete() override { ++counts_[1]; }
  std::vector<int>& counts_;
};

TEST(StartedCall, CompletesOnce) {
  std::vector<int> counts{0, 0};
  Pending pending = started<Counted>(
      world(), [](Counted& call) { call.begin(-1); }, counts);
  EXPECT_FALSE(pending.progress());
  EXPECT_FALSE(pending.progress());
  EXPECT_TRUE(pending.progress());
  pending.finish();
  expect_error(Fault::bad_argument, "this started call is finished", [&] { pending.finish(); });
  expect_error(Fault::bad_argument, "this started call is finished", [&] { pending.progress(); });
  expect_equal(counts, std::vector<int>{3, 1});
}

TEST(StartedCall, KeepsAnErrorForItsEnd) {
  std::vector<int> counts{0, 0};
  Pending pending = started<Counted>(
      world(), [](Counted& call) { call.begin(ranks() - 1); }, counts);
  EXPECT_TRUE(pending.progress()) << "its end would not wait";
  expect_error(Fault::bad_argument, "not this", [&] { pending.finish(); });
  expect_equal(counts, std::vector<int>{0, 0});
}

TEST(StartedCall, RunsAddTheirTimeToAnAccount) {
  ProgressReport first, second;
  bool working = false, worked = false;
  const std::vector<Stage> stages{{[&](std::int64_t, int) {
                                     worked = working;
                                     for (const double begin = MPI_Wtime(); MPI_Wtime() < begin + 1e-4;) {
                                     }
                                   },
                                   nullptr}};
  Pipeline pipeline(world(), 2);
  const double start = MPI_Wtime();
  pipeline.run(50, stages, {.account = &first, .working = &working});
  EXPECT_TRUE(worked);
  EXPECT_FALSE(working);
  EXPECT_GE(first.worked, 5e-3);
  const double before = first.worked;
  pipeline.run(1, stages, {.account = &second});
  EXPECT_EQ(first.worked, before);
  EXPECT_GE(second.worked, 1e-4);
  EXPECT_LE(first.worked + second.worked, MPI_Wtime() - start);
  compared(6);
}

}  // namespace
}  // namespace seiche::testing
