// SPDX-License-Identifier: BSD-3-Clause
/// \file  Complex numbers of kernels.
#pragma once

namespace seiche::cuda {

template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real x, y;
};

}  // namespace seiche::cuda
