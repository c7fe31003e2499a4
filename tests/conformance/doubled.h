/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Callbacks on the grid: double the values; the user's array receives their number and the largest real part. */
#include <complex.h>
#include <math.h>

#include "seiche/c/fft.h"

#define DOUBLED(kind, type)                                                                                    \
  static inline int doubled_##kind(const seiche_grid_part* part, void* user) {                                 \
    double* seen = user;                                                                                       \
    for (int c = 0; c < part->components; ++c) {                                                               \
      const seiche_view* view = &part->component[c];                                                           \
      for (int64_t z = 0; z < view->shape[2]; ++z) {                                                           \
        for (int64_t y = 0; y < view->shape[1]; ++y) {                                                         \
          for (int64_t x = 0; x < view->shape[0]; ++x) {                                                       \
            type* value = (type*)view->data + x * view->stride[0] + y * view->stride[1] + z * view->stride[2]; \
            seen[0] += 1;                                                                                      \
            seen[1] = fmax(seen[1], creal(*value));                                                            \
            *value += *value;                                                                                  \
          }                                                                                                    \
        }                                                                                                      \
      }                                                                                                        \
    }                                                                                                          \
    return 0;                                                                                                  \
  }

DOUBLED(real32, float)
DOUBLED(real64, double)
DOUBLED(complex32, float complex)
DOUBLED(complex64, double complex)
