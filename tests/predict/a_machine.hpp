// SPDX-License-Identifier: BSD-3-Clause
/// \file  A machine with round numbers, for predictions that can be worked out by hand.
#pragma once

#include "predict/machine.hpp"

namespace seiche::testing {

/// Four cores on a node. Lines of 8 at 1 Gflop/s and of 32 at 3, columns a third faster; half of that while all
/// compute.
inline predict::Machine a_machine() {
  predict::Machine machine;
  machine.name = "made up";
  machine.cores = 4;
  machine.cache = 1e9;
  machine.wake = 1e-5;
  machine.computing = {{1, 8e9, 2e9, {{8, 1e9, 1e9, 1e9, 1e9}, {32, 3e9, 3e9, 3e9, 3e9}}},
                       {4, 4e9, 1e9, {{8, 0.5e9, 0.5e9, 0.5e9, 0.5e9}, {32, 1.5e9, 1.5e9, 1.5e9, 4e9}}}};
  machine.inside = predict::Link{1e-6, 2e-6, 1e10, 1e-10};
  machine.between = predict::Link{1e-5, 3e-6, 1e9, 4e-10};
  machine.disk = predict::Disk{2e8, 4e8};
  machine.products = {{1, 1e9}, {100, 5e9}};
  return machine;
}

}  // namespace seiche::testing
