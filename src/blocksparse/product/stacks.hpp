// SPDX-License-Identifier: BSD-3-Clause
/// \file  Stacks of small products: the work on one panel, shared out to threads, while one of them drives MPI.
#pragma once

#include <functional>
#include <vector>

#include "blocksparse/product/kernels.hpp"
#include "blocksparse/product/plan.hpp"

namespace seiche {

/// Block sizes by kind: equal sizes have equal kinds.
struct Kinds {
  BlockSizes sizes;                ///< of each kind
  std::vector<std::int32_t> kind;  ///< of each row, column or inner block of the share
  explicit Kinds(const BlockSizes& all);
};

/// Drives MPI while threads work.
struct MessageDriver {
  std::function<void()> poll;  ///< empty: nothing to drive
  bool any_thread = false;     ///< may tick, one at a time; else the first only
};

struct StackOptions {
  int threads = 1;
  double first_share = 1;  ///< work of thread 0, where the others have 1
};

/// What a block of the accumulator becomes when it has all its products: alpha times their sum, plus beta times the
/// block of `old` in its place.
template <class Value>
struct Scaling {
  Value alpha = 1, beta = 0;
  const BlockMatrix<Value>* old = nullptr;  ///< null: nothing is added
  Value of_old(const Value& value) const { return beta == Value(1) ? value : beta * value; }
};

/// Adds up the products of a plan in its accumulator, panel by panel.
template <class Value>
class Stacks {
 public:
  Stacks(ProductPlan<Value>& plan, const Scaling<Value>& scaling, const StackOptions& options);

  /// Does the products of one panel. Its rows are distributed over threads by their operations; a thread that has done
  /// its own takes rows from others. \return seconds in the driver
  double multiply(std::int64_t panel, const MessageDriver& driver) const;

  /// What the threads need to know.
  struct Task {
    ProductPlan<Value>& plan;
    Scaling<Value> scaling;
    StackOptions options;
    Kinds rows, columns, inner;
    KernelTable<Value> kernels;
  };

 private:
  Task task_;
};

}  // namespace seiche
