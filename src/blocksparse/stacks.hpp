// SPDX-License-Identifier: BSD-3-Clause
/// \file  Stacks of small products: the work on one panel, shared out to threads, while one of them drives MPI.
#pragma once

#include <functional>
#include <vector>

#include "blocksparse/kernels.hpp"
#include "blocksparse/panels.hpp"
#include "blocksparse/survey.hpp"

namespace seiche {

/// C as it comes into being: rows and columns are places in the share.
template <class Value>
struct Growing {
  std::vector<std::int64_t> start;    ///< of each row
  std::vector<std::int32_t> columns;  ///< ascending
  std::vector<std::int64_t> offset;   ///< in `values`
  std::vector<char> filled;           ///< block holds values already
  std::vector<float> norms;           ///< of finished blocks, where asked for
  RawVector<Value> values;
};

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
  std::function<void()> tick;  ///< drives MPI; empty: nothing to drive
  bool any_thread_may_tick = false;
};

/// What came of it, added up over panels.
struct StackTimes {
  double poll = 0;                              ///< seconds in tick
  double operations_first = 0, operations = 0;  ///< of thread 0, of all
};

/// Does the products of one panel. `last`: C's blocks in it are finished then. Rows of a panel are dealt out to threads
/// by their operations; a thread that has done its own takes rows from others.
template <class Value>
void multiply_panel(const StackWork<Value>& work, const Panel& panel, bool last, StackTimes& times);

}  // namespace seiche
