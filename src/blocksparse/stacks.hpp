// SPDX-License-Identifier: BSD-3-Clause
/// \file  Stacks of small products: the work on one panel, shared out to threads, while one of them drives MPI.
#pragma once

#include <functional>
#include <vector>

#include "blocksparse/growing.hpp"
#include "blocksparse/kernels.hpp"
#include "blocksparse/panels.hpp"
#include "blocksparse/survey.hpp"

namespace seiche {

/// Kinds of block sizes: equal sizes have equal kinds.
struct Kinds {
  std::vector<std::int32_t> sizes;  ///< of each kind
  std::vector<std::int32_t> kind;   ///< of each row, column or inner block
};

template <class Value>
struct StackWork {
  const Survey<Value>* survey = nullptr;
  const Forecast* forecast = nullptr;
  Growing<Value>* c = nullptr;
  const KernelTable<Value>* kernels = nullptr;
  Kinds rows, columns, inner;  ///< rows and columns of the share; inner blocks, all
  Value alpha = 1;
  bool filter = false;  ///< skip products below row_eps
  bool norms = false;   ///< of finished blocks
  int threads = 1;
  double load = 1;             ///< share of thread 0, where the others have 1
  std::function<void()> poll;  ///< drives MPI; empty: nothing to drive
  bool any_thread_may_poll = false;
};

/// What came of it, added up over panels.
struct StackTimes {
  double poll = 0;  ///< seconds in tick
};

/// Does the products of one panel. `last`: C's blocks in it are finished then. Rows of a panel are dealt out to threads
/// by their operations; a thread that has done its own takes rows from others.
template <class Value>
void multiply_panel(const StackWork<Value>& work, const Panel& panel, bool last, StackTimes& times);

}  // namespace seiche
