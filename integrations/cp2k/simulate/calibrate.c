/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures on one core the work that charge.cpp and gaussians.c charge. Prints the rates of machines.json. */
#include <fftw3.h>
#include <libxsmm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../common/grid_library.h"
#include "grid_cpu_collocate.h"
#include "grid_cpu_integrate.h"

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*, const int*,
             int*);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the shortest mean time of a call in eleven batches of at least 20 ms. */
static double seconds_of(void (*work)(void)) {
  double least = INFINITY;
  work();
  for (int batch = 0; batch < 11; ++batch) {
    const double start = now();
    double end = start;
    int calls = 0;
    for (; end < start + 0.02; end = now(), ++calls) work();
    least = fmin(least, (end - start) / calls);
  }
  return least;
}

static double* filled(size_t n) {
  double* values = malloc(n * sizeof *values);
  if (!values) abort();
  for (size_t i = 0; i < n; ++i) values[i] = 0.5 - (double)(i * 7919 % 1000) / 1000;
  return values;
}

static int size;
static double *a, *b, *c;
static void product(void) {
  const double one = 1;
  dgemm_("N", "N", &size, &size, &size, &one, a, &size, b, &size, &one, c, &size);
}

static libxsmm_dmmfunction block_product;
static void small_product(void) { block_product(a, b, c); }

/* The constants of calls are those of blocks of a molecule of water, by BLAS and by LIBXSMM. */
static void products(void) {
  enum { large = 500, block = 23 };
  a = filled(large * large), b = filled(large * large), c = filled(large * large);
  size = large;
  const double flops = 2.0 * large * large * large / seconds_of(product);
  size = block;
  block_product = libxsmm_dmmdispatch(block, block, block, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  if (!block_product) abort();
  const double operations = 2.0 * block * block * block;
  printf("\"product_flops\": %.3g, \"product_call\": %.2g, \"block_call\": %.2g, ", flops,
         fmax(0, seconds_of(product) - operations / flops), fmax(0, seconds_of(small_product) - operations / flops));
}

static fftw_plan plan;
static void execute(void) { fftw_execute(plan); }

/* Lines of a plane, written in the other order, as in CP2K's transforms. */
static void lines(void) {
  int n = 125;
  fftw_complex *in = (fftw_complex*)filled(2 * 125 * 125), *out = (fftw_complex*)filled(2 * 125 * 125);
  plan = fftw_plan_many_dft(1, &n, n, in, NULL, 1, n, out, NULL, n, 1, FFTW_FORWARD, FFTW_ESTIMATE);
  printf("\"lines_flops\": %.3g, ", 5.0 * n * log2(n) * n / seconds_of(execute));
}

static void diagonalise(void) {
  const int n = size, work_size = 1 + 6 * n + 2 * n * n, integers_size = 3 + 5 * n;
  double *values = malloc((size_t)n * sizeof *values), *work = malloc((size_t)work_size * sizeof *work);
  int *integers = malloc((size_t)integers_size * sizeof *integers), info;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a[i * n + j] = b[i * n + j] + b[j * n + i];
  }
  dsyevd_("V", "U", &n, a, &n, values, work, &work_size, integers, &integers_size, &info);
  free(values), free(work), free(integers);
}

static void diagonalisation(void) {
  size = 500;
  printf("\"diagonal_flops\": %.3g, ", 6.0 * pow(size, 3) / seconds_of(diagonalise));
}

/* One product of two p functions on an orthorhombic grid. */
enum { points = 48, functions = 4 };
static const double dh[3][3] = {{0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}},
                    dh_inv[3][3] = {{5, 0, 0}, {0, 5, 0}, {0, 0, 5}};
static const double at[3] = {4.83, 4.71, 4.77}, to[3] = {0.61, 0.34, -0.27};
static const int all[3] = {points, points, points}, none[3] = {0, 0, 0};
static double radius, *grid;
static double density[functions][functions], matrix[functions][functions];
static void collocate(void) {
  grid_cpu_collocate_pgf_product(true, 0, GRID_FUNC_AB, 1, 0, 1, 0, 0.9, 1.1, 1, dh, dh_inv, at, to, all, all, none,
                                 none, radius, 0, 0, functions, functions, (const double(*)[functions])density, grid);
}
static void integrate(void) {
  grid_cpu_integrate_pgf_product(true, false, 0, 1, 0, 1, 0, 0.9, 1.1, dh, dh_inv, at, to, all, all, none, none, radius,
                                 0, 0, functions, functions, grid, matrix, NULL, NULL, NULL, NULL, NULL, NULL);
}

/* Fits a constant and a time for each point of the sphere to two radii. */
static void gaussians(void) {
  double seconds[2], volume[2];
  grid_library_init();
  grid = filled(points * points * points);
  for (int i = 0; i < functions * functions; ++i) density[i / functions][i % functions] = 0.1;
  for (int i = 0; i < 2; ++i) {
    radius = i == 0 ? 1.2 : 3.6;
    seconds[i] = (seconds_of(collocate) + seconds_of(integrate)) / 2;
    volume[i] = 4.18879 * pow(radius / dh[0][0], 3);
  }
  const double of_point = (seconds[1] - seconds[0]) / (volume[1] - volume[0]);
  printf("\"gaussian\": %.2g, \"gaussian_point\": %.2g", seconds[0] - of_point * volume[0], of_point);
}

int main(void) {
  printf("{");
  products();
  lines();
  diagonalisation();
  gaussians();
  printf("}\n");
  return 0;
}
