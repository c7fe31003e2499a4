// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of fields: memory, and its transforms.
#pragma once

#include <memory>

#include "fft/dense/dense_stages.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Implementation of a field. Pipeline items are chunks of the grid.
template <class Value>
struct Field<Value>::Body : std::enable_shared_from_this<Body> {
  /// Collective.
  explicit Body(std::shared_ptr<const DenseSetup<Value>> of);

  /// Collective. \pre the field is ready on all ranks
  void transform(bool forward, const RunOptions& how = {});
  /// Checks the contents. \throws Error unless it contains the input of the transform
  void require_ready(bool forward) const;

  std::shared_ptr<const DenseSetup<Value>> setup;
  DenseMemory<Value> memory;
  DenseWork<Value> work;
};

}  // namespace seiche
