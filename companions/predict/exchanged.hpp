// SPDX-License-Identifier: BSD-3-Clause
/// \file  The cost of an exchange along one route for a rank, forward and backward.
#pragma once

#include "exchange/exchange_interface.hpp"
#include "exchange/schedule.hpp"
#include "fft/resolved_options.hpp"
#include "predict/work.hpp"

namespace seiche::predict {

/// The ranks that exchange, by their global number, and the index of this rank among them.
struct Among {
  std::vector<int> ranks;
  int me = 0;
};

/// One exchange in parts (chunks), with the memory of source and target.
struct Leg {
  Among among;
  std::vector<Route> parts;
  TargetMemory target_memory = TargetMemory::own;
};

/// Returns the exchange algorithm between the given ranks.
Algorithm way_of(const FftOptions& options, const Where& where, const Among& among);

/// Adds the cost of `leg` forward and backward, and the memory of `slots` copies of it.
void add_leg(Work& work, const Leg& leg, Algorithm way, const Where& where, int slots);

/// Resolves automatic options as plans without a tuning file do.
FftOptions with_defaults(const FftOptions& asked, const Where& where);

}  // namespace seiche::predict
