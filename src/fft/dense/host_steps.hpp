// SPDX-License-Identifier: BSD-3-Clause
/// \file  Computing steps of dense transforms by functions of the host.
#pragma once

#include "fft/dense/dense_lines.hpp"

namespace seiche {

template <class Value>
class HostSteps final : public DenseSteps<Value> {
 public:
  using Complex = typename ComplexOf<Value>::type;

  HostSteps(const DensePlan& plan, const DenseEnds& ends) : lines_(plan, ends) {}

  Event rows_from_grid(const Value* grid, const Range& planes, Complex* rows, Pipeline& pipeline) const override {
    lines_.rows_from_grid(grid, planes, rows, between(pipeline));
    return {};
  }
  Event rows_to_grid(Complex* rows, const Range& planes, Value* grid, Pipeline& pipeline) const override {
    lines_.rows_to_grid(rows, planes, grid, between(pipeline));
    return {};
  }
  Event middle_lines(bool backward, const Complex* from, Complex* into, std::int64_t planes,
                     Pipeline& pipeline) const override {
    lines_.middle_lines(backward, from, into, planes, between(pipeline));
    return {};
  }
  Event rows_to_spectrum(const Complex* rows, const Range& planes, Complex* spectrum,
                         Pipeline& pipeline) const override {
    lines_.rows_to_spectrum(rows, planes, spectrum, between(pipeline));
    return {};
  }
  Event rows_from_spectrum(const Complex* spectrum, const Range& planes, Complex* rows,
                           Pipeline& pipeline) const override {
    lines_.rows_from_spectrum(spectrum, planes, rows, between(pipeline));
    return {};
  }
  Event columns_to_spectrum(Complex* columns, const Range& rows, Complex* spectrum, Pipeline& pipeline) const override {
    lines_.columns_to_spectrum(columns, rows, spectrum, between(pipeline));
    return {};
  }
  Event columns_from_spectrum(const Complex* spectrum, const Range& rows, Complex* columns,
                              Pipeline& pipeline) const override {
    lines_.columns_from_spectrum(spectrum, rows, columns, between(pipeline));
    return {};
  }

 private:
  /// Makes progress between tiles.
  static auto between(Pipeline& pipeline) {
    return [&pipeline] { pipeline.poll(); };
  }

  DenseLines<Value> lines_;
};

}  // namespace seiche
