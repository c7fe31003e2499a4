// SPDX-License-Identifier: BSD-3-Clause
/// \file  Stacks of small products: the computation of one panel, distributed over threads, while one of them calls MPI
/// for progress.
#pragma once

#include <functional>
#include <vector>

#include "blocksparse/product/kernels.hpp"
#include "blocksparse/product/product_plan.hpp"

namespace seiche {

/// Classes of block sizes: equal sizes have the same class.
struct Kinds {
  BlockSizes sizes;                ///< of each class
  std::vector<std::int32_t> kind;  ///< of each row, column or inner block of the share
  explicit Kinds(const BlockSizes& all);
};

/// Calls MPI for progress while threads compute.
struct MessageDriver {
  std::function<void()> poll;  ///< empty: no communication
  bool any_thread = false;     ///< whether any thread may poll, one at a time; otherwise only the first
};

struct StackOptions {
  int threads = 1;
  double first_share = 1;  ///< share of thread 0 relative to the other threads
};

/// The final value of a block of the accumulator: alpha times the sum of its products, plus beta times the
/// corresponding block of `old`.
template <class Value>
struct Scaling {
  Value alpha = 1, beta = 0;
  const BlockMatrix<Value>* old = nullptr;  ///< null: nothing is added
  Value of_old(const Value& value) const { return beta == Value(1) ? value : beta * value; }
};

/// Adds the products of a plan to its accumulator, panel by panel.
template <class Value>
class Stacks {
 public:
  Stacks(ProductPlan<Value>& plan, const Scaling<Value>& scaling, const StackOptions& options);

  /// Computes the products of one panel. Rows are distributed over threads by their operations; a thread without
  /// remaining rows takes rows of others. \return seconds of polling
  double multiply(std::int64_t panel, const MessageDriver& driver) const;

  /// The data shared by the threads.
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
