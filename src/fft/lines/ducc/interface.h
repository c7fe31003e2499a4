/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  What the modules of DUCC's transforms offer: one for each set of instructions, loaded at run time. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ducc_kind { ducc_complex, ducc_to_real, ducc_from_real } ducc_kind;

/** A batch of lines, in elements of their own kind: points of a line are `stride` apart, lines `distance`. */
typedef struct ducc_lines {
  ducc_kind kind;
  int forward; /**< exp(-i) */
  int single;  /**< float instead of double */
  int64_t n, count;
  int64_t stride_in, distance_in, stride_out, distance_out;
  double scale;
} ducc_lines;

/** \return 0 where the transform could not be made: no memory, or steps that differ where lines stay in place */
typedef int ducc_run(const ducc_lines* lines, const void* in, void* out);

#ifdef __cplusplus
}
#endif
