// SPDX-License-Identifier: BSD-3-Clause
/// \file  The objects behind the handles of operators on grids.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "c/c_fft.hpp"
#include "seiche/c/grid_operator.h"
#include "seiche/grid_operator.hpp"

namespace seiche::c {

struct GridOperatorObject : Object {
  GridOperatorObject(const Communicator& ranks, AnyValue<GridOperator> of) : comm(ranks), op(std::move(of)) {}
  Communicator comm;
  AnyValue<GridOperator> op;
};

inline std::array<std::array<double, 3>, 3> lattice_of(const double* vectors) {
  std::array<std::array<double, 3>, 3> lattice;
  for (std::size_t i = 0; i < 9; ++i) lattice[i / 3][i % 3] = vectors[i];
  return lattice;
}

}  // namespace seiche::c
