// SPDX-License-Identifier: BSD-3-Clause
/// \file  Causes each fault of one rank in collective calls: the k-th allocation, message or window fails, for all k.
#pragma once

#include <vector>

#include "collective/collective_call.hpp"

namespace seiche::testing {

/// Which faults are caused: the first ones of a kind, then steps that grow by a part of their number. The long suite
/// causes all.
struct Steps {
  std::int64_t each = 40;
  double growth = 0.125;
};

/// Checks that faults of the last rank give an Error on all ranks or on none, and that the next call is right.
void sweep(const std::vector<CollectiveCall>& calls, const Steps& steps = {});

}  // namespace seiche::testing
