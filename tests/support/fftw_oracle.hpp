// SPDX-License-Identifier: BSD-3-Clause
/// \file  Transforms by FFTW, the reference for results.
#pragma once

#include <fftw3.h>

#include <array>
#include <vector>

#include "support/oracle.hpp"
#include "support/shared_library.hpp"

namespace seiche::testing {

/// Returns the transform of one whole field by FFTW, on every rank.
inline std::vector<Wide> by_fftw(std::vector<Wide> values, const GridShape& shape, int sign) {
  static const SharedLibrary library{"libfftw3.so.3"};
  decltype(fftw_plan_many_dft)* plan = nullptr;  // loaded directly, because MKL may replace linked functions of FFTW
  decltype(fftw_execute)* execute = nullptr;
  decltype(fftw_destroy_plan)* destroy = nullptr;
  library.find(plan, "fftw_plan_many_dft");
  library.find(execute, "fftw_execute");
  library.find(destroy, "fftw_destroy_plan");
  auto* data = reinterpret_cast<fftw_complex*>(values.data());
  const std::array n{static_cast<int>(shape.nz), static_cast<int>(shape.ny), static_cast<int>(shape.nx)};
  const auto made = plan(3, n.data(), 1, data, nullptr, 1, 0, data, nullptr, 1, 0, sign, FFTW_ESTIMATE);
  execute(made);
  destroy(made);
  return values;
}

}  // namespace seiche::testing
