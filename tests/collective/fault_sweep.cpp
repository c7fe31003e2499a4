// SPDX-License-Identifier: BSD-3-Clause
#include "collective/fault_sweep.hpp"

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

}  // namespace

void sweep(const std::vector<CollectiveCall>& calls, const Steps& steps) {
  for (const CollectiveCall& call : calls) {
    call.run();
    const auto values = call.run();
    const std::vector<Complex> expected(values.begin(), values.end());
    for (const Cause& cause : causes) {
      const auto step = [&](std::int64_t k) {
        const bool each = k < steps.each || long_suite();
        return each ? 1 : 1 + static_cast<std::int64_t>(steps.growth * static_cast<double>(k));
      };
      std::int64_t k = 1;
      while (survives(call, cause, k, expected)) k += step(k);
      if (rank() == 0) std::printf("%s: %lld %ss\n", call.name.c_str(), static_cast<long long>(k - 1), cause.name);
    }
  }
}

}  // namespace seiche::testing
