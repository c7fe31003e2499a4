// SPDX-License-Identifier: BSD-3-Clause
#include <cufft.h>
#include <fftw3.h>

#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "support/shared_library.hpp"

namespace {

/// Arguments of cufftPlanMany.
struct Many {
  std::vector<int> shape;
  int *in_embed, in_stride, in_distance, *out_embed, out_stride, out_distance, batch;
};

/// Functions of FFTW, loaded directly, because MKL may replace linked functions of FFTW.
#define SEICHE_FFTW_FUNCTIONS(prefix, Real, Complex)                                                               \
  struct {                                                                                                         \
    decltype(prefix##_plan_many_dft)* c2c = nullptr;                                                               \
    decltype(prefix##_plan_many_dft_c2r)* c2r = nullptr;                                                           \
    decltype(prefix##_plan_many_dft_r2c)* r2c = nullptr;                                                           \
    decltype(prefix##_execute_dft)* run_c2c = nullptr;                                                             \
    decltype(prefix##_execute_dft_c2r)* run_c2r = nullptr;                                                         \
    decltype(prefix##_execute_dft_r2c)* run_r2c = nullptr;                                                         \
    decltype(prefix##_destroy_plan)* destroy = nullptr;                                                            \
  }
