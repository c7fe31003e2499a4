// SPDX-License-Identifier: BSD-3-Clause
/// \file  What a field of a dense grid is made of: memory, and the transforms that run in it.
#pragma once

#include <memory>

#include "fft/dense/dense_stages.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Items of its pipeline are chunks of the grid.
template <class Value>
struct Field<Value>::Body {
  /// Collective.
  explicit Body(std::shared_ptr<const DenseSetup<Value>> of);

  /// Collective. \pre the field is ready on all ranks
  void transform(bool forward, const RunOptions& how = {});
  /// \throws Error unless it holds what is to be transformed
  void require_ready(bool forward) const;

  std::shared_ptr<const DenseSetup<Value>> setup;
  std::int64_t number;  ///< among what was made on the communicator
  DenseMemory<Value> memory;
  DenseWork<Value> work;
};

}  // namespace seiche
