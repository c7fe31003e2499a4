/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Callbacks for pair densities: list pairs and densities in the user's array, whose first value is their number.
 */
#include <complex.h>

#include "seiche/c/pair_densities.h"

#define LISTED(kind, type)                                                      \
  static inline int listed_##kind(const seiche_pair_block* block, void* user) { \
    double* seen = user;                                                        \
    int64_t at = 1 + (int64_t)seen[0];                                          \
    const type* density = block->densities;                                     \
    for (int64_t p = 0; p < block->count; ++p) {                                \
      seen[at++] = (double)block->pairs[2 * p];                                 \
      seen[at++] = (double)block->pairs[2 * p + 1];                             \
      for (int64_t g = 0; g < block->waves; ++g, ++density) {                   \
        seen[at++] = creal(*density);                                           \
        seen[at++] = cimag(*density);                                           \
      }                                                                         \
    }                                                                           \
    seen[0] = (double)(at - 1);                                                 \
    return 0;                                                                   \
  }

LISTED(complex32, float complex)
LISTED(complex64, double complex)
