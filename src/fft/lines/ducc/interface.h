/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  C interface of the DUCC modules, one per instruction set. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ducc_kind { ducc_complex, ducc_to_real, ducc_from_real } ducc_kind;

/** A batch of `count` 1D FFTs. Strides and distances count elements: values of one line, and neighbouring lines. */
typedef struct ducc_lines {
  ducc_kind kind;
  int forward; /**< exp(-i) */
  int single;  /**< float instead of double */
  int64_t n, count;
  int64_t stride_in, distance_in, stride_out, distance_out;
  double scale;
} ducc_lines;

/** \return 0 without memory, or if an in-place transform has different strides at both ends */
typedef int ducc_run(const ducc_lines* lines, const void* in, void* out);

#ifdef __cplusplus
}
#endif
