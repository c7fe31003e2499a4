// SPDX-License-Identifier: BSD-3-Clause
/// \file  What an exchange along one route costs a rank, there and back.
#pragma once

#include "exchange/exchange.hpp"
#include "exchange/schedule.hpp"
#include "fft/resolved_options.hpp"
#include "predict/work.hpp"

namespace seiche::predict {

/// The ranks that exchange, by their number in all, and which of them this one is.
struct Among {
  std::vector<int> ranks;
  int me = 0;
};

/// One exchange in parts (chunks), whose memory is that of their ends.
struct Leg {
  Among among;
  std::vector<Route> parts;
  TargetMemory target_memory = TargetMemory::own;
};

/// Who moves bytes among some of the ranks.
Algorithm way_of(const FftOptions& options, const Where& where, const Among& among);

/// Adds what `leg` costs there and back, and the memory of `slots` copies of it.
void add_leg(Work& work, const Leg& leg, Algorithm way, const Where& where, int slots);

/// What is automatic in `asked` as plans without a tuning file take it.
FftOptions settled(const FftOptions& asked, const Where& where);

}  // namespace seiche::predict
