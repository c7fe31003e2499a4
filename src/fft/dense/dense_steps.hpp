// SPDX-License-Identifier: BSD-3-Clause
/// \file  Interface of the computing steps of dense transforms: 1D FFTs of some planes or columns, without
/// communication.
#pragma once

#include "fft/dense/dense_plan.hpp"
#include "pipeline/pipeline.hpp"

namespace seiche {

/// Memory layout of grid and spectrum at both ends of a transform.
struct DenseEnds {
  Strides grid{}, spectrum{};
  std::int64_t next_field = 0, next_spectrum = 0;  // strides between fields of a bundle
  bool own = true;                                 // in the plan's memory: transforms are in place
  bool plus = false, unscaled = false;
};

/// Returns the layout of fields.
inline DenseEnds ends_of(const DensePlan& plan) {
  const std::int64_t values = plan.kind.real ? 2 : 1;  // grid values per complex number
  return {.grid = {1, values * plan.rows_stride[1], values * plan.rows_stride[2]}, .spectrum = plan.columns_stride};
}
inline DenseEnds ends_of(const DenseArrays& arrays) {
  return {.grid = arrays.grid.stride,
          .spectrum = arrays.spectrum.stride,
          .next_field = arrays.grid.field_stride,
          .next_spectrum = arrays.spectrum.field_stride,
          .own = false,
          .plus = arrays.plus,
          .unscaled = arrays.unscaled};
}

/// Steps between the grid and columns along z. All functions return the event of their last kernel. Ranges are relative
/// to this rank's parts. Pipelines make progress during steps on the host.
template <class Value>
class RowSteps {
 public:
  using Complex = typename ComplexOf<Value>::type;
  virtual ~RowSteps() = default;

  /// 1D FFTs along x of some planes, and along y for slabs. `rows`: memory of the first plane.
  virtual Event rows_from_grid(const Value* grid, const Range& planes, Complex* rows, Pipeline& pipeline) const = 0;
  virtual Event rows_to_grid(Complex* rows, const Range& planes, Value* grid, Pipeline& pipeline) const = 0;
  /// 1D FFTs along y of pencils, between the ends of two exchanges.
  virtual Event middle_lines(bool backward, const Complex* from, Complex* into, std::int64_t planes,
                             Pipeline& pipeline) const = 0;
};

/// All steps of a plan, with a spectrum.
template <class Value>
class DenseSteps : public RowSteps<Value> {
 public:
  using Complex = typename ComplexOf<Value>::type;

  /// 1D FFTs along y at the end (or the beginning), if the spectrum has the planes of the grid.
  virtual Event rows_to_spectrum(const Complex* rows, const Range& planes, Complex* spectrum,
                                 Pipeline& pipeline) const = 0;
  virtual Event rows_from_spectrum(const Complex* spectrum, const Range& planes, Complex* rows,
                                   Pipeline& pipeline) const = 0;
  /// 1D FFTs along z of some rows of columns, between the plan's memory and the spectrum. They are in place if 1D FFTs
  /// along y follow.
  virtual Event columns_to_spectrum(Complex* columns, const Range& rows, Complex* spectrum,
                                    Pipeline& pipeline) const = 0;
  virtual Event columns_from_spectrum(const Complex* spectrum, const Range& rows, Complex* columns,
                                      Pipeline& pipeline) const = 0;
};

}  // namespace seiche
