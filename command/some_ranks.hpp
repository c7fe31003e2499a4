// SPDX-License-Identifier: BSD-3-Clause
/// \file  A communicator of some ranks, which is freed by its destructor.
#pragma once

#include "session.hpp"

namespace seiche::command {

class SomeRanks {
 public:
  /// Collective. Contains the ranks with `has_me`.
  SomeRanks(const Session& all, bool has_me) { MPI_Comm_split(all.comm, has_me ? 0 : MPI_UNDEFINED, all.rank, &comm_); }
  ~SomeRanks() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  SomeRanks(const SomeRanks&) = delete;
  SomeRanks& operator=(const SomeRanks&) = delete;
  MPI_Comm get() const { return comm_; }
  bool has_me() const { return comm_ != MPI_COMM_NULL; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace seiche::command
