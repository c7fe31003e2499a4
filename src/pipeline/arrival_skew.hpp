// SPDX-License-Identifier: BSD-3-Clause
/// \file  Spread of the ranks' arrival times at collective calls.
#pragma once

#include <chrono>
#include <optional>

#include "comm/communicator_body.hpp"
#include "seiche/communicator.hpp"
#include "seiche/error.hpp"

namespace seiche {

/// Measures the arrival skew of a program without a common clock. Each call ends with a reduction, which all ranks
/// leave at nearly the same time. Each rank measures the time from this point to its next call.
class ArrivalSkew final : public KeptOnCommunicator {
 public:
  void come();  ///< Marks the arrival of this rank at a call.
  /// Collective. Marks the end of a call, and agrees on an error as agree() does.
  void leave(const Communicator& comm, const std::optional<Error>& fault);
  /// Returns the time between the first and the last arrival in seconds, averaged over recent calls.
  double skew() const { return skew_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> left_;
  std::chrono::nanoseconds away_{0};  // time between the last call and this one
  double skew_ = 0;
};

}  // namespace seiche
