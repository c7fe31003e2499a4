/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Started calls and exchanges of boxes from C, for every kind of value. */
#include "expect.h"
#include "values.h"

static const int64_t shape[3] = {8, 6, 7};
enum { bands = 3, most = 4 };
static const seiche_miller all_waves[most] = {{1, 0, 2}, {0, 1, -1}, {2, -1, 1}, {1, 1, 0}};

static int rank, ranks;

static void finish(seiche_pending* pending) {
  int done = -1;
  for (int i = 0; i < 3 * rank; ++i) EXPECT_OK(seiche_pending_progress(pending, &done));
  EXPECT_OK(seiche_pending_finish(pending));
  EXPECT_FAULT(seiche_pending_progress(pending, &done), SEICHE_BAD_ARGUMENT, "this started call is finished");
  EXPECT_OK(seiche_pending_destroy(&pending));
  EXPECT(pending == NULL);
}

static double difference(const void* a, const void* b, seiche_value value, int64_t count) {
  double most_of_all = 0;
  for (int64_t i = 0; i < count; ++i) most_of_all = fmax(most_of_all, cabs(get(a, value, i) - get(b, value, i)));
  return most_of_all;
}

static int double_values(const seiche_grid_part* part, void* user) {
  const seiche_value value = *(seiche_value*)user;
  const seiche_view* view = &part->component[0];
  for (int64_t z = 0; z < view->shape[2]; ++z) {
    for (int64_t y = 0; y < view->shape[1]; ++y) {
      for (int64_t x = 0; x < view->shape[0]; ++x) {
        const int64_t i = x * view->stride[0] + y * view->stride[1] + z * view->stride[2];
        set(view->data, value, i, 2 * get(view->data, value, i));
      }
    }
  }
  return 0;
}

/* Each started call gives the result of the ordinary one. */
static void spheres(seiche_value value) {
  seiche_sphere_fft* fft;
  seiche_pending* pending;
  seiche_box box;
  const seiche_value c = complex_of(value);
  const int64_t waves = rank == 0 ? most : 0, count = bands * waves;
  EXPECT_OK(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, value, shape, all_waves, waves, NULL));
  EXPECT_OK(seiche_sphere_fft_grid_box(fft, &box));
  const int64_t points = seiche_box_volume(&box), values = bands * points;
  void *in = new_values(count), *out = new_values(count), *want = new_values(count);
  void *grid = new_values(values), *other = new_values(values);
  double *v = new_values(points), *n = new_values(points), *m = new_values(points);
  const double weights[bands] = {1, 0.5, 0.25};
  for (int64_t i = 0; i < count; ++i) set(in, c, i, 1 + (double)i);
  for (int64_t i = 0; i < points; ++i) v[i] = 1 + 0.125 * (double)(i % 5);

  EXPECT_OK(seiche_sphere_fft_apply_potential(fft, in, count, 0, want, count, 0, bands, v, points));
  EXPECT_OK(seiche_sphere_fft_start_apply_potential(&pending, fft, in, count, 0, out, count, 0, bands, v, points));
  finish(pending);
  EXPECT(difference(out, want, c, count) == 0);
  EXPECT_OK(seiche_sphere_fft_add_potential(fft, in, count, 0, want, count, 0, bands, v, points));
  EXPECT_OK(seiche_sphere_fft_start_add_potential(&pending, fft, in, count, 0, out, count, 0, bands, v, points));
  finish(pending);
  EXPECT(difference(out, want, c, count) == 0);
  EXPECT_OK(seiche_sphere_fft_backward(fft, in, count, 0, grid, values, bands));
  EXPECT_OK(seiche_sphere_fft_start_backward(&pending, fft, in, count, 0, other, values, bands));
  finish(pending);
  EXPECT(difference(grid, other, value, values) == 0);
  EXPECT_OK(seiche_sphere_fft_start_forward(&pending, fft, grid, values, out, count, 0, bands));
  finish(pending);
  EXPECT(difference(out, in, c, count) < 100 * rounding(value));
  EXPECT_OK(seiche_sphere_fft_add_density(fft, in, count, 0, bands, weights, bands, n, points));
  EXPECT_OK(seiche_sphere_fft_start_add_density(&pending, fft, in, count, 0, bands, weights, bands, m, points));
  finish(pending);
  EXPECT(difference(n, m, SEICHE_DOUBLE, points) == 0);
  EXPECT_OK(
      seiche_sphere_fft_start_round_trip(&pending, fft, in, count, 0, out, count, 0, bands, double_values, &value));
  finish(pending);
  for (int64_t i = 0; i < count; ++i) set(want, c, i, 2 * get(in, c, i));
  EXPECT(difference(out, want, c, count) < 200 * rounding(value));
  EXPECT_OK(
      seiche_sphere_fft_start_add_round_trip(&pending, fft, in, count, 0, out, count, 0, bands, double_values, &value));
  finish(pending);
  for (int64_t i = 0; i < count; ++i) set(want, c, i, 4 * get(in, c, i));
  EXPECT(difference(out, want, c, count) < 400 * rounding(value));

  /* the whole grid on the last rank */
  const seiche_box whole = {{0, 0, 0}, {shape[0], shape[1], shape[2]}};
  const int64_t all = rank == ranks - 1 ? bands * seiche_box_volume(&whole) : 0;
  const seiche_box* mine = all > 0 ? &whole : NULL;
  void* there = new_values(all);
  EXPECT_OK(seiche_sphere_fft_backward_to_boxes(fft, in, count, 0, mine, there, all, bands));
  double error = 0;
  for (int64_t i = 0; i < all / bands; ++i) {
    double complex sum = 0;
    for (int64_t g = 0; g < most; ++g) {
      sum += (1 + (double)g) *
             wave_at(value, all_waves[g], shape, i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]);
    }
    error = fmax(error, cabs(sum - get(there, value, i)));
  }
  EXPECT(error < 100 * rounding(value));
  EXPECT_OK(seiche_sphere_fft_forward_from_boxes(fft, mine, there, all, out, count, 0, bands));
  EXPECT(difference(out, in, c, count) < 100 * rounding(value));

  EXPECT_OK(seiche_sphere_fft_start_backward(&pending, fft, in, count, 0, grid, values + 1, bands));
  EXPECT_FAULT(seiche_pending_finish(pending), SEICHE_BAD_ARGUMENT, "grid points with 1 components need");
  EXPECT_OK(seiche_pending_destroy(&pending));
  EXPECT_OK(seiche_sphere_fft_start_backward(&pending, fft, in, count, 0, grid, values, bands));
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
  EXPECT_OK(seiche_pending_destroy(&pending)); /* without finish */
  void* blocks[] = {in, out, want, grid, other, v, n, m, there};
  for (int i = 0; i < 9; ++i) free(blocks[i]);
}

/* A potential v + b.sigma of v = 3, b = (1, 0, 2), and the density and magnetisation, of (2, i). */
static void four_fields(void) {
  seiche_sphere_fft* fft;
  seiche_pending* pending;
  seiche_box box;
  seiche_fft_options options;
  EXPECT_OK(seiche_fft_options_init(&options));
  options.components = 2;
  const int64_t count = rank == 0 ? 2 : 0;
  EXPECT_OK(
      seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, all_waves, count / 2, &options));
  EXPECT_OK(seiche_sphere_fft_grid_box(fft, &box));
  const int64_t points = seiche_box_volume(&box);
  double *v = new_values(4 * points), *n = new_values(4 * points);
  for (int64_t i = 0; i < points; ++i) v[i] = 3, v[points + i] = 1, v[3 * points + i] = 2;
  const double complex in[2] = {2, I};
  double complex out[2] = {0, 0};
  const double weight = 1, known[4] = {5, 0, 4, 3};
  EXPECT_OK(seiche_sphere_fft_start_apply_potential(&pending, fft, in, count, 0, out, count, 0, 1, v, 4 * points));
  finish(pending);
  EXPECT(count == 0 || (cabs(out[0] - (10 + I)) < 1e-13 && cabs(out[1] - (2 + I)) < 1e-13));
  EXPECT_OK(seiche_sphere_fft_start_add_density(&pending, fft, in, count, 0, 1, &weight, 1, n, 4 * points));
  finish(pending);
  double error = 0;
  for (int64_t i = 0; i < 4 * points; ++i) error = fmax(error, fabs(n[i] - known[i / points]));
  EXPECT(error < 1e-13);
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
  free(v), free(n);
}

static void dense(seiche_value value) {
  seiche_dense_fft* fft;
  seiche_pending* pending;
  seiche_box grid_box, spectrum_box;
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, value, shape, NULL));
  EXPECT_OK(seiche_dense_fft_grid_box(fft, &grid_box));
  EXPECT_OK(seiche_dense_fft_spectrum_box(fft, &spectrum_box));
  const int64_t points = seiche_box_volume(&grid_box), waves = seiche_box_volume(&spectrum_box);
  void *grid = new_values(points), *again = new_values(points), *spectrum = new_values(waves),
       *want = new_values(waves);
  for (int64_t i = 0; i < points; ++i) set(grid, value, i, 1 + (double)(i % 3));
  EXPECT_OK(seiche_dense_fft_forward(fft, grid, points, want, waves));
  EXPECT_OK(seiche_dense_fft_start_forward(&pending, fft, grid, points, spectrum, waves));
  finish(pending);
  EXPECT(difference(spectrum, want, complex_of(value), waves) == 0);
  EXPECT_OK(seiche_dense_fft_start_backward(&pending, fft, spectrum, waves, again, points));
  finish(pending);
  EXPECT(difference(grid, again, value, points) < 100 * rounding(value));
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
  free(grid), free(again), free(spectrum), free(want);
}

/* Slabs of two planes, and the same with one more plane on each side. */
static void boxes(seiche_value value, seiche_space space) {
  enum { fields = 2, plane = 12 };
  const int64_t all[3] = {4, 3, 2 * ranks};
  const seiche_box mine = {{0, 0, 2 * rank}, {4, 3, 2 * rank + 2}}, halo = {{0, 0, 2 * rank - 1}, {4, 3, 2 * rank + 3}};
  const seiche_box_array source = seiche_contiguous_box(&mine, 5), target = seiche_contiguous_box(&halo, 0);
  const int64_t from = 5 + fields * 2 * plane, into = fields * 4 * plane;
  void *in = new_values(from), *out = new_values(into);
  for (int64_t f = 0; f < fields; ++f) {
    for (int64_t i = 0; i < 2 * plane; ++i) {
      set(in, value, 5 + 2 * plane * f + i, (double)(1000 * f + 2 * plane * rank + i));
    }
  }
  seiche_box_options options;
  seiche_box_report report = {0};
  seiche_progress_report progress = {0};
  report.size = sizeof report, progress.size = sizeof progress;
  EXPECT_OK(seiche_box_options_init(&options));
  options.algorithm = SEICHE_ALGORITHM_PAIRWISE;
  options.space = space;
  seiche_box_exchange* exchange;
  seiche_pending* pending;
  EXPECT_FAULT(seiche_box_exchange_create(&exchange, MPI_COMM_WORLD, all, &source, 1, NULL, 1, &options), SEICHE_MISUSE,
               "box_exchange: the array of 1 target must not be NULL");
  EXPECT_OK(seiche_box_exchange_create(&exchange, MPI_COMM_WORLD, all, &source, 1, &target, 1, &options));
  for (int started = 0; started < 2; ++started) {
    for (int64_t i = 0; i < into; ++i) set(out, value, i, -1);
    if (started) {
      EXPECT_OK(seiche_box_exchange_start_copy(&pending, exchange, value, in, from, out, into, fields));
      finish(pending);
    } else {
      EXPECT_OK(seiche_box_exchange_copy(exchange, value, in, from, out, into, fields));
    }
    double error = 0;
    for (int64_t i = 0; i < into; ++i) {
      const int64_t f = i / (4 * plane), z = (2 * rank - 1 + i % (4 * plane) / plane + 2 * ranks) % (2 * ranks);
      error = fmax(error, cabs(get(out, value, i) - (double)(1000 * f + plane * z + i % plane)));
    }
    EXPECT(error == 0);
  }
  EXPECT_OK(seiche_box_exchange_report(exchange, &report));
  EXPECT(strcmp(report.algorithm, "pairwise") == 0 && report.sent == (ranks > 1 ? 2 * plane : 0));
  EXPECT(strcmp(report.messages, ranks > 1 ? "host" : "none") == 0);
  EXPECT(report.received == report.sent && report.own == 4 * plane - report.sent);
  EXPECT_OK(seiche_box_exchange_progress(exchange, &progress));
  EXPECT(progress.worked >= 0);
  /* both planes of a slab are in two halos, or in all three of one rank's periodic halo */
  EXPECT_OK(seiche_box_exchange_add_back(exchange, value, out, into, in, from, fields));
  EXPECT(cabs(get(in, value, 6) - 3 * (double)(2 * plane * rank + 1)) == 0);
  EXPECT_OK(seiche_box_exchange_start_add_back(&pending, exchange, value, out, into, in, from, fields));
  finish(pending);
  EXPECT(cabs(get(in, value, 6) - 5 * (double)(2 * plane * rank + 1)) == 0);
  EXPECT_FAULT(seiche_box_exchange_copy(exchange, value, in, from - 1, out, into, fields), SEICHE_BAD_ARGUMENT,
               "arrays are too short");
  EXPECT_FAULT(seiche_box_exchange_copy(exchange, (seiche_value)9, in, from, out, into, fields), SEICHE_BAD_ARGUMENT,
               "box_exchange: value");
  EXPECT_FAULT(seiche_box_exchange_start_copy(&pending, exchange, (seiche_value)9, in, from, out, into, fields),
               SEICHE_BAD_ARGUMENT, "box_exchange: value");
  EXPECT_OK(seiche_box_exchange_destroy(&exchange));
  free(in), free(out);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 4; ++i) {
    spheres(all_values[i]);
    dense(all_values[i]);
    boxes(all_values[i], SEICHE_SPACE_HOST);
    boxes(all_values[i], SEICHE_SPACE_CUDA);
  }
  four_fields();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
