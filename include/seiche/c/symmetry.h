/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  What a symmetry operation does to plane waves and coefficients. docs/symmetry.md */
#ifndef SEICHE_C_SYMMETRY_H
#define SEICHE_C_SYMMETRY_H

#include "seiche/c/wavefile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where the waves of one k-point go under one operation: found once, used for all bands. */
typedef struct seiche_image seiche_image;

/** What is to be mapped. */
typedef struct seiche_image_request {
  size_t size;           /**< set by seiche_image_request_init(), and 1 component, full spheres, no time reversal */
  int rotation[9];       /**< R in rows, in units of the lattice */
  double translation[3]; /**< t, likewise */
  int time_reversal;
  int spinor;            /**< components of one wavefunction */
  int half_sphere;       /**< 1: of each pair G, -G one is given, and one is kept */
  double from[3], to[3]; /**< the k-point of the waves, and the one of their images; in units of b1, b2, b3 */
} seiche_image_request;

SEICHE_API seiche_status seiche_image_request_fill(seiche_image_request* request, size_t size);
static inline seiche_status seiche_image_request_init(seiche_image_request* request) {
  return seiche_image_request_fill(request, sizeof *request);
}

/** Local. The image of `waves`, any part of a sphere in any order, in the crystal of `header`. Error when `to` is not
 * the image of `from` up to a reciprocal lattice vector. */
SEICHE_API seiche_status seiche_image_create(seiche_image** image, const seiche_header* header,
                                             const seiche_image_request* request, const seiche_miller* waves,
                                             int64_t wave_count);
SEICHE_API seiche_status seiche_image_destroy(seiche_image** image);
/** Local. The images of the waves, in the order of these. */
SEICHE_API seiche_status seiche_image_get_waves(const seiche_image* image, seiche_miller* waves, int64_t wave_count);
/** Local. The coefficients of the images of `bands` bands: complex doubles, [band][component][wave]; `to` may be
 * `from`. */
SEICHE_API seiche_status seiche_image_apply(const seiche_image* image, int64_t bands, const void* from, void* to,
                                            int64_t coefficient_count);

#ifdef __cplusplus
}
#endif

#endif
