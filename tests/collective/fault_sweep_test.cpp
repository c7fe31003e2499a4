// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that a fault of one rank in a collective call gives an Error on all ranks or on none, and that the next
/// call is right. The k-th allocation, or the k-th message or window, fails for all k.
#include "collective/calls.hpp"
#include "collective/one_rank_differs.hpp"
#include "support/allocations.hpp"

namespace seiche::testing {
namespace {

/// Faults of this process, which are caused one at a time.
struct Cause {
  const char* name;
  void (*begin)(std::int64_t k);
  bool (*end)();  // returns whether the fault has occurred
};
const std::vector<Cause> causes{{"allocation",
                                 [](std::int64_t k) {
                                   smallest_failing = 0;
                                   failing = k;
                                 },
                                 [] {
                                   smallest_failing = large;
                                   return std::exchange(failing, 0) == 0;
                                 }},
                                {"message or window", mpi_profile::fail_after, mpi_profile::has_failed}};

/// Makes the k-th event on the last rank fail during a call. Returns whether there were k events.
bool survives(const CollectiveCall& call, const Cause& cause, std::int64_t k, const std::vector<Complex>& expected) {
  const Watchdog watchdog(call.name + ", " + cause.name + " " + std::to_string(k));
  if (is_last()) cause.begin(k);
  const auto fault = fault_of([&] { call.run(); });
  const bool occurred = number_of_ranks_with(is_last() && cause.end()) > 0;
  const std::int64_t faults = number_of_ranks_with(fault.has_value());
  EXPECT_TRUE(faults == 0 || faults == ranks()) << now_running << ": " << (fault ? fault->what() : "no error");
  expect_close<Complex>(call.run(), expected, 1e-12);
  return occurred;
}

TEST(FaultSweep, OfOneRankReachesAllOrNone) {
  const auto data = std::make_shared<CallData>();
  for (const CollectiveCall& call : transforms(data)) {
    call.run();
    const auto values = call.run();
    const std::vector<Complex> expected(values.begin(), values.end());
    for (const Cause& cause : causes) {
      std::int64_t k = 1;
      while (survives(call, cause, k, expected)) k += k < 40 || long_suite() ? 1 : 1 + k / 8;
      if (rank() == 0) std::printf("%s: %lld %ss\n", call.name.c_str(), static_cast<long long>(k - 1), cause.name);
    }
  }
}

}  // namespace
}  // namespace seiche::testing
