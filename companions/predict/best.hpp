// SPDX-License-Identifier: BSD-3-Clause
/// \file  Predictions of transforms: with given settings, with the fastest settings, and of codes without Seiche.
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

/// Predicts a code with its own exchange on the same 1D FFTs. Each transform of a grid, or each band, is packed, sent
/// by one blocking call of MPI_Alltoallv between slabs, and unpacked, as in FFTW-MPI and FFTXlib of Quantum ESPRESSO.
/// The padding of their messages is not included.
Prediction own_exchange(const Machine& machine, const Where& where, const TransformCase& of);

}  // namespace seiche::predict
