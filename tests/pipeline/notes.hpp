// SPDX-License-Identifier: BSD-3-Clause
/// \file  The communicator of all ranks, and an exchange that moves nothing and counts the calls of the pipeline.
#pragma once

#include <cstdint>

#include "exchange/exchange_interface.hpp"
#include "seiche/communicator.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

inline const Communicator& world() {
  static const Communicator only = Communicator(MPI_COMM_WORLD);
  return only;
}

/// Carries one number; complains when touched while on its way.
class Notes : public Exchange {
 public:
  std::byte* source() override { return nullptr; }
  TargetPatch target(int) override { return {}; }
  void start(Toward, Payload) override {
    EXPECT_FALSE(in_flight);
    in_flight = true;
    ++starts;
  }
  bool poll() override {
    ++polls;
    return true;
  }
  void finish() override {
    finishes += in_flight ? 1 : 0;
    in_flight = false;
  }
  bool in_flight = false;
  std::int64_t item = -1, stage = -1, starts = 0, finishes = 0, polls = 0;
};

}  // namespace seiche::testing
