// SPDX-License-Identifier: BSD-3-Clause
/// \file  Calls in two parts: a function start_...() starts a call, and finish() completes it. The caller works
/// between.
///
/// Several started calls may exist, of one plan or several. All ranks start and finish them in the same order, relative
/// to each other and to their other collective calls. From the start to finish(), the caller must not change any array
/// of the call, and must not read its results.
#pragma once

#include <memory>

#include "seiche/cxx20.hpp"

namespace seiche {

class StartedCall;

/// A started call. It keeps the memory of its plan. One thread at a time may use it (see communicator.hpp).
///
/// If destroyed without finish(), it completes the exchanges and does no more work. Then the destructor is collective,
/// and the results are undefined. If another rank calls finish() meanwhile, it throws an Error that names this rank.
class Pending {
 public:
  ~Pending();
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;
  /// Local. Makes progress: polls messages, and computes items whose messages have arrived. Never waits for other
  /// ranks. Exchange algorithms `alltoallv`, `alltoall` and `ialltoallv` start messages only in collective calls;
  /// others also start them here. Callbacks may be called. \return true if finish() would not wait for messages \throws
  /// Error after finish()
  bool progress();
  /// Collective. Completes the call. \throws the error of the call, on all ranks; or Error if it is finished already
  void finish();

  /// For internal use; functions start_...() create it.
  explicit Pending(std::unique_ptr<StartedCall> call);

 private:
  StartedCall& call() const;
  std::unique_ptr<StartedCall> call_;
};

}  // namespace seiche
