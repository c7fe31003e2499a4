// SPDX-License-Identifier: BSD-3-Clause
/// \file  Interface of the computing step of operators: 1D FFTs along z of some fields, products with functions of G,
/// and 1D FFTs back.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "fft/dense/dense_plan.hpp"
#include "pipeline/pipeline.hpp"

namespace seiche {

/// Numbers of fields of an operator.
struct OperatorFields {
  std::int64_t inputs = 1, outputs = 1;
  std::int64_t most() const { return std::max(inputs, outputs); }
  friend auto operator<=>(const OperatorFields&, const OperatorFields&) = default;
};

template <class Complex>
class ColumnOperation {
 public:
  virtual ~ColumnOperation() = default;
  /// Replaces some rows of columns. `columns`: memory of each field, of which the first ones are inputs, and the first
  /// ones are outputs. Returns the event of the last kernel. The pipeline makes progress during work on the host.
  virtual Event run(std::span<Complex* const> columns, const Range& rows, Pipeline& pipeline) const = 0;
  virtual std::int64_t memory() const = 0;  ///< bytes of factors on this rank
};

/// Factors of an operator, [output][input][z][y][x] of the spectrum. They include the scale of forward transforms.
template <class Complex>
struct OperatorFactors {
  OperatorFields fields;
  std::span<const Complex> values;
};

}  // namespace seiche
