// SPDX-License-Identifier: BSD-3-Clause
/// \file  The objects behind the handles of operators on grids and of interpolations.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "c/c_fft.hpp"
#include "seiche/c/grid_operator.h"
#include "seiche/grid_interpolation.hpp"
#include "seiche/grid_operator.hpp"

namespace seiche::c {

struct GridOperatorObject : Object {
  GridOperatorObject(const Communicator& ranks, AnyValue<GridOperator> of) : comm(ranks), op(std::move(of)) {}
  Communicator comm;
  AnyValue<GridOperator> op;
};

struct GridInterpolationObject : Object {
  GridInterpolationObject(const Communicator& ranks, AnyValue<GridInterpolation> of)
      : comm(ranks), interpolation(std::move(of)) {}
  Communicator comm;
  AnyValue<GridInterpolation> interpolation;
};

inline std::array<std::array<double, 3>, 3> lattice_of(const double* vectors) {
  std::array<std::array<double, 3>, 3> lattice;
  for (std::size_t i = 0; i < 9; ++i) lattice[i / 3][i % 3] = vectors[i];
  return lattice;
}

}  // namespace seiche::c
