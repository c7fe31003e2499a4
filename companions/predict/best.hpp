// SPDX-License-Identifier: BSD-3-Clause
/// \file  The settings that a prediction finds fastest.
#pragma once

#include <functional>

#include "predict/model.hpp"

namespace seiche::predict {

/// A transform: dense pairs, or `bands` bands of a sphere where radius is above 0.
struct TransformCase {
  GridShape shape;
  bool real = false;
  double radius = 0;
  std::int64_t bands = 16;
  bool looks_up = false;  ///< a kept plan is asked for each time, by a reduction
};

/// With these options, and what plans without a tuning file make of what is left open.
Prediction predicted(const Machine& machine, const Where& where, const TransformCase& of, const FftOptions& options);

/// The fastest of all decompositions, ways, and numbers of chunks, bands in flight and band groups that these ranks can
/// have.
Prediction best(const Machine& machine, const Where& where, const TransformCase& of);

}  // namespace seiche::predict
