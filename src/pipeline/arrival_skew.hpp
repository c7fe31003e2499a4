// SPDX-License-Identifier: BSD-3-Clause
/// \file  How far apart ranks come to collective calls.
#pragma once

#include <chrono>
#include <optional>

#include "comm/communicator_body.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"

namespace seiche {

/// The arrival skew of a program, seen without a common clock: a call ends with a reduction, which all ranks leave at
/// nearly the same time, and each rank knows how long after that it came to the next call.
class ArrivalSkew final : public KeptOnCommunicator {
 public:
  void come();  ///< This rank comes to a call.
  /// Collective. Ends the call, and agrees on a fault as agree() does.
  void leave(const Communicator& comm, const std::optional<Error>& fault);
  /// Seconds between the first rank to come and the last, over the last dozens of calls.
  double skew() const { return skew_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> left_;
  std::chrono::nanoseconds away_{0};  // between the last call and this one
  double skew_ = 0;
};

}  // namespace seiche
