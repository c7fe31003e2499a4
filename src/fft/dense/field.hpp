// SPDX-License-Identifier: BSD-3-Clause
/// \file  Implementation of fields: memory, and its transforms.
#pragma once

#include <memory>
#include <utility>

#include "fft/dense/transform_work.hpp"
#include "seiche/fft.hpp"

namespace seiche {

/// Implementation of a field. Pipeline items are chunks of the grid.
template <class Value>
struct Field<Value>::Body : std::enable_shared_from_this<Body> {
  /// Collective.
  explicit Body(std::shared_ptr<const DenseSetup<Value>> of) : work(std::move(of), 1, 1) {}

  /// Returns the implementation of a field. \throws Error after close()
  static Body& of(const Field& field) { return field.body(); }
  /// Checks the contents. \throws Error unless it contains the input of the transform
  void require_ready(bool forward) const;

  const std::shared_ptr<const DenseSetup<Value>>& setup() const { return work.setup(); }
  DenseMemory<Value>& memory() const { return work.own_memory(); }
  DenseWork<Value> work;
};

}  // namespace seiche
