// SPDX-License-Identifier: BSD-3-Clause
/// \file  The settings with the shortest predicted time.
#pragma once

#include <functional>

#include "predict/model.hpp"

namespace seiche::predict {

/// A transform: pairs of dense transforms, or `bands` bands of a sphere if radius is positive.
struct TransformCase {
  GridShape shape;
  bool real = false;
  double radius = 0;
  std::int64_t bands = 16;
  bool looks_up = false;  ///< a cached plan is requested in each call, which needs a reduction
};

/// Predicts the time with these options; automatic ones are resolved as in plans without a tuning file.
Prediction predicted(const Machine& machine, const Where& where, const TransformCase& of, const FftOptions& options);

/// Returns the prediction of the fastest decomposition, exchange algorithm, and numbers of chunks, bands in flight and
/// band groups for these ranks.
Prediction best(const Machine& machine, const Where& where, const TransformCase& of);

}  // namespace seiche::predict
