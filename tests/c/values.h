/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Numbers of any kind of value as complex doubles, so that a test is written once for all kinds. */
#ifndef SEICHE_TESTS_VALUES_H
#define SEICHE_TESTS_VALUES_H

#include <complex.h>
#include <math.h>
#include <seiche.h>
#include <stdlib.h>

static const seiche_value all_values[4] = {SEICHE_FLOAT, SEICHE_DOUBLE, SEICHE_COMPLEX_FLOAT, SEICHE_COMPLEX_DOUBLE};

static inline int is_real(seiche_value value) { return value == SEICHE_FLOAT || value == SEICHE_DOUBLE; }
static inline int is_single(seiche_value value) { return value == SEICHE_FLOAT || value == SEICHE_COMPLEX_FLOAT; }
/* The kind of a spectrum. */
static inline seiche_value complex_of(seiche_value value) {
  return is_single(value) ? SEICHE_COMPLEX_FLOAT : SEICHE_COMPLEX_DOUBLE;
}
static inline double rounding(seiche_value value) { return is_single(value) ? 2e-6 : 1e-13; }

static inline void* new_values(int64_t count) { return calloc((size_t)count + 1, sizeof(double complex)); }

static inline double complex get(const void* values, seiche_value value, int64_t i) {
  if (value == SEICHE_FLOAT) return ((const float*)values)[i];
  if (value == SEICHE_DOUBLE) return ((const double*)values)[i];
  if (value == SEICHE_COMPLEX_FLOAT) return ((const float complex*)values)[i];
  return ((const double complex*)values)[i];
}

static inline void set(void* values, seiche_value value, int64_t i, double complex number) {
  if (value == SEICHE_FLOAT) ((float*)values)[i] = (float)creal(number);
  if (value == SEICHE_DOUBLE) ((double*)values)[i] = creal(number);
  if (value == SEICHE_COMPLEX_FLOAT) ((float complex*)values)[i] = (float complex)number;
  if (value == SEICHE_COMPLEX_DOUBLE) ((double complex*)values)[i] = number;
}

/* The plane wave (g.x, g.y, g.z) at a point of a grid; its real part doubled for kinds that are real. */
static inline double complex wave_at(seiche_value value, seiche_miller g, const int64_t shape[3], int64_t x, int64_t y,
                                     int64_t z) {
  const double turns = (double)(g.x * x) / (double)shape[0] + (double)(g.y * y) / (double)shape[1] +
                       (double)(g.z * z) / (double)shape[2];
  const double complex wave = cexp(2 * acos(-1.0) * I * turns);
  return is_real(value) ? 2 * creal(wave) : wave;
}

/* visit(x, y, z) for all points of a box, as its memory has them. */
#define FOR_BOX(box)                                       \
  for (int64_t z = (box).low[2]; z < (box).high[2]; ++z)   \
    for (int64_t y = (box).low[1]; y < (box).high[1]; ++y) \
      for (int64_t x = (box).low[0]; x < (box).high[0]; ++x)

#endif
