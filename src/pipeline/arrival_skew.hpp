// SPDX-License-Identifier: BSD-3-Clause
/// \file  How far apart ranks come to collective calls.
#pragma once

#include <chrono>
#include <optional>

#include "comm/communicator_body.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"

namespace seiche {

/// Measures the arrival skew of a program without a common clock. Each call ends with a reduction, which all ranks
/// leave at nearly the same time. Each rank measures the time from there to its next call.
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
