// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that a fault of one rank in calls on matrices gives an Error on all ranks or on none, and that the next
/// call is right.
#include "collective/fault_sweep.hpp"
#include "collective/matrix_calls.hpp"

namespace seiche::testing {
namespace {

TEST(FaultSweep, OfMatrices) {
  const auto data = std::make_shared<MatrixData>();
  sweep(matrix_calls(data));
  sweep(solver_calls(data), {.each = 6, .growth = 1});
}

}  // namespace
}  // namespace seiche::testing
