// SPDX-License-Identifier: BSD-3-Clause
/// \file  The part of cuFFT that Seiche uses, for builds without cuFFT: the emulated device has it by FFTW, and HIP by
/// hipFFT.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = float2;
using cufftDoubleComplex = double2;

enum cufftResult { CUFFT_SUCCESS = 0, CUFFT_ALLOC_FAILED = 2, CUFFT_INVALID_VALUE = 4, CUFFT_EXEC_FAILED = 6 };
enum cufftType {
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_C2C = 0x29,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c,
  CUFFT_Z2Z = 0x69
};
constexpr int CUFFT_FORWARD = -1, CUFFT_INVERSE = 1;

struct cufftPlan;
using cufftHandle = cufftPlan*;
cufftResult cufftPlanMany(cufftHandle* plan, int axes, int* shape, int* in_embed, int in_stride, int in_distance,
                          int* out_embed, int out_stride, int out_distance, cufftType type, int batch);
cufftResult cufftGetSize(cufftHandle plan, std::size_t* bytes);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftExecZ2Z(cufftHandle plan, double2* in, double2* out, int sign);
cufftResult cufftExecC2C(cufftHandle plan, float2* in, float2* out, int sign);
cufftResult cufftExecZ2D(cufftHandle plan, double2* in, double* out);
cufftResult cufftExecC2R(cufftHandle plan, float2* in, float* out);
cufftResult cufftExecD2Z(cufftHandle plan, double* in, double2* out);
cufftResult cufftExecR2C(cufftHandle plan, float* in, float2* out);
