// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests that a fault of one rank in transforms gives an Error on all ranks or on none, and that the next call
/// is right.
#include "collective/fault_sweep.hpp"
#include "collective/transform_calls.hpp"

namespace seiche::testing {
namespace {

TEST(FaultSweep, OfTransforms) { sweep(transform_calls(std::make_shared<CallData>())); }

}  // namespace
}  // namespace seiche::testing
