// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that a fault of one rank in calls on files, orbitals and densities gives an Error on all ranks or on
/// none, and that the next call is right.
#include "collective/fault_sweep.hpp"
#include "collective/file_calls.hpp"

namespace seiche::testing {
namespace {

TEST(FaultSweep, OfFiles) {
  const auto data = std::make_shared<FileData>();
  const Steps steps{.each = 20, .growth = 0.25};
  sweep(file_calls(data), steps);
  sweep(analysis_calls(data), steps);
}

}  // namespace
}  // namespace seiche::testing
