/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  What the generated calls of tests/conformance do not have: fields, callbacks that fail or are on a device,
 * started calls that fail or are dropped, reports, and the order of ranks. */
#include <stdlib.h>

#include "expect.h"
#include "values.h"

static const int64_t shape[3] = {8, 6, 7};
enum { bands = 3, most = 4 };
static const seiche_miller all_waves[most] = {{1, 0, 2}, {0, 1, -1}, {2, -1, 1}, {1, 1, 0}};
static int rank, ranks;

static int64_t at(const seiche_view* view, const seiche_box* box, int64_t x, int64_t y, int64_t z) {
  return (x - box->low[0]) * view->stride[0] + (y - box->low[1]) * view->stride[1] +
         (z - box->low[2]) * view->stride[2];
}

/* The spectrum of a plane wave is 1 at it. */
static void fields(seiche_value value) {
  seiche_dense_fft* fft = NULL;
  seiche_field* field = NULL;
  seiche_box box, waves;
  seiche_view view;
  seiche_value told;
  const seiche_miller wave = {1, 2, 3};
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, value, shape, NULL));
  EXPECT_OK(seiche_dense_fft_value(fft, &told));
  EXPECT(told == value);
  EXPECT_OK(seiche_dense_fft_grid_box(fft, &box));
  EXPECT_OK(seiche_dense_fft_spectrum_box(fft, &waves));
  EXPECT_OK(seiche_field_create(&field, fft));
  EXPECT_OK(seiche_field_become_spectrum(field));
  EXPECT_OK(seiche_field_become_grid(field));
  EXPECT_OK(seiche_field_grid(field, &view));
  FOR_BOX(box) set(view.data, value, at(&view, &box, x, y, z), wave_at(value, wave, shape, x, y, z));
  EXPECT_OK(seiche_dense_fft_forward_field(fft, field));
  EXPECT_FAULT(seiche_field_grid(field, &view), SEICHE_BAD_ARGUMENT, "the field holds a spectrum");
  EXPECT_FAULT(seiche_dense_fft_forward_field(fft, field), SEICHE_BAD_ARGUMENT, "the field holds a spectrum");
  double error = 0;
  EXPECT_OK(seiche_field_spectrum(field, &view));
  FOR_BOX(waves) {
    const double known = x == wave.x && y == wave.y && z == wave.z;
    error = fmax(error, cabs(get(view.data, complex_of(value), at(&view, &waves, x, y, z)) - known));
  }
  EXPECT_OK(seiche_dense_fft_backward_field(fft, field));
  EXPECT_FAULT(seiche_field_spectrum(field, &view), SEICHE_BAD_ARGUMENT, "the field holds grid values");
  EXPECT_OK(seiche_field_grid(field, &view));
  FOR_BOX(box) {
    error = fmax(error, cabs(get(view.data, value, at(&view, &box, x, y, z)) - wave_at(value, wave, shape, x, y, z)));
  }
  EXPECT(error < rounding(value));
  EXPECT_OK(seiche_field_destroy(&field));
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
}

static seiche_sphere_fft* new_sphere(seiche_space space, int64_t count) {
  seiche_sphere_fft* fft = NULL;
  seiche_fft_options options;
  EXPECT_OK(seiche_fft_options_init(&options));
  options.space = space;
  EXPECT_OK(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, all_waves, count, &options));
  return fft;
}

static int fail(const seiche_grid_part* part, void* user) {
  (void)user;
  return part->band == 1 ? 7 : 0;
}

static int with_sentence(const seiche_grid_part* part, void* user) {
  (void)user;
  return part->band == 2 ? seiche_refuse(SEICHE_UNSUPPORTED, "the third band is too much") : SEICHE_OK;
}

static void callbacks_that_fail(void) {
  const int64_t waves = rank == 0 ? most : 0, count = bands * waves;
  seiche_sphere_fft* fft = new_sphere(SEICHE_SPACE_HOST, waves);
  void* in = new_values(count);
  EXPECT_FAULT(seiche_sphere_fft_round_trip(fft, in, count, 0, in, count, 0, bands, fail, NULL), SEICHE_BAD_ARGUMENT,
               "the callback returned 7 for band 1 (counted from 0)");
  EXPECT_FAULT(seiche_sphere_fft_to_grid(fft, in, count, 0, bands, with_sentence, NULL), SEICHE_UNSUPPORTED,
               "the third band is too much");
  EXPECT_FAULT(seiche_sphere_fft_to_grid(fft, in, count, 0, bands, fail, NULL), SEICHE_BAD_ARGUMENT,
               "the callback returned 7 for band 1"); /* not the message before */
  EXPECT_FAULT(seiche_sphere_fft_to_grid(fft, in, count, 0, bands, NULL, NULL), SEICHE_BAD_ARGUMENT,
               "the callback must not be NULL");
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
  free(in);
}

/* Copies values between host and device memory, in the stream of the callback. */
static void copy_values(const seiche_device_bands* on, const void* from, void* into) {
  seiche_box local = {{0, 0, 0}, {0, 0, 0}};
  for (int a = 0; a < 3; ++a) local.high[a] = on->box.high[a] - on->box.low[a];
  const seiche_box_array array = seiche_contiguous_box(&local, 0);
  const int64_t count = on->count * seiche_box_volume(&local);
  seiche_box_options options;
  seiche_box_exchange* exchange;
  EXPECT_OK(seiche_box_options_init(&options));
  options.space = SEICHE_SPACE_CUDA;
  options.stream = on->stream;
  EXPECT_OK(seiche_box_exchange_create(&exchange, MPI_COMM_SELF, local.high, &array, 1, &array, 1, &options));
  EXPECT_OK(seiche_box_exchange_copy(exchange, SEICHE_COMPLEX_DOUBLE, from, count, into, count, on->count));
  EXPECT_OK(seiche_box_exchange_destroy(&exchange));
}

static int triple_on_device(const seiche_device_bands* on, void* user) {
  int64_t* points = user; /* NULL: the callback fails */
  if (points == NULL) return 7;
  const int64_t count = on->count * seiche_box_volume(&on->box);
  double complex* here = new_values(count);
  copy_values(on, on->values, here);
  for (int64_t i = 0; i < count; ++i) here[i] *= 3;
  copy_values(on, here, on->values);
  free(here);
  *points += count;
  return on->components == 1 && on->stream != 0 ? 0 : 1;
}

static void callbacks_on_a_device(void) {
  const int64_t waves = rank == 0 ? most : 0, count = bands * waves;
  seiche_sphere_fft* fft = new_sphere(SEICHE_SPACE_CUDA, waves);
  seiche_box box;
  int64_t here = 0, first = 0, points = 0;
  double error = 0;
  double complex *in = new_values(count), *out = new_values(count);
  for (int64_t i = 0; i < count; ++i) in[i] = 1 + (double)i * I;
  EXPECT_OK(seiche_sphere_fft_grid_box(fft, &box));
  EXPECT_OK(seiche_sphere_fft_bands_here(fft, bands, &here, &first));
  EXPECT_OK(seiche_sphere_fft_round_trip_on_device(fft, in, count, 0, out, count, 0, bands, triple_on_device, &points));
  EXPECT_OK(
      seiche_sphere_fft_add_round_trip_on_device(fft, in, count, 0, out, count, 0, bands, triple_on_device, &points));
  EXPECT_OK(seiche_sphere_fft_to_grid_on_device(fft, in, count, 0, bands, triple_on_device, &points));
  EXPECT(points == 3 * here * seiche_box_volume(&box));
  for (int64_t i = 0; i < count; ++i) error = fmax(error, cabs(out[i] - 6 * in[i]));
  EXPECT(error < 1e-12);
  EXPECT_FAULT(seiche_sphere_fft_to_grid_on_device(fft, in, count, 0, bands, triple_on_device, NULL),
               SEICHE_BAD_ARGUMENT, "the callback returned 7 for bands from 0");
  EXPECT_FAULT(seiche_sphere_fft_to_grid_on_device(fft, in, count, 0, bands, NULL, NULL), SEICHE_BAD_ARGUMENT,
               "the callback must not be NULL");
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
  fft = new_sphere(SEICHE_SPACE_HOST, waves);
  EXPECT_FAULT(seiche_sphere_fft_to_grid_on_device(fft, in, count, 0, bands, triple_on_device, &points),
               SEICHE_UNSUPPORTED, "fft: to_grid with a callback on a device needs a plan on a device");
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
  free(in), free(out);
}

static void started_calls(void) {
  const int64_t waves = rank == 0 ? most : 0, count = bands * waves;
  seiche_sphere_fft* fft = new_sphere(SEICHE_SPACE_HOST, waves);
  seiche_pending* pending;
  seiche_box box;
  int done = -1;
  EXPECT_OK(seiche_sphere_fft_grid_box(fft, &box));
  const int64_t values = bands * seiche_box_volume(&box);
  void *in = new_values(count), *grid = new_values(values);
  EXPECT_OK(seiche_sphere_fft_start_backward(&pending, fft, in, count, 0, grid, values, bands));
  for (int i = 0; i < 3 * rank; ++i) EXPECT_OK(seiche_pending_progress(pending, &done));
  EXPECT(rank == 0 || done == 0 || done == 1);
  EXPECT_OK(seiche_pending_finish(pending));
  EXPECT_FAULT(seiche_pending_progress(pending, &done), SEICHE_BAD_ARGUMENT, "this started call is finished");
  EXPECT_OK(seiche_pending_destroy(&pending));
  EXPECT(pending == NULL);
  EXPECT_OK(seiche_sphere_fft_start_backward(&pending, fft, in, count, 0, grid, values, bands));
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
  EXPECT_OK(seiche_pending_destroy(&pending)); /* without finish */
  free(in), free(grid);
}

/* What goes wrong on one rank is told at the end, on all. */
static void streams(void) {
  const int64_t count = rank == ranks - 1 ? most : 0;
  seiche_sphere_fft* fft = new_sphere(SEICHE_SPACE_HOST, count);
  seiche_sphere_stream* stream = NULL;
  void* in = new_values(2 * count);
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, with_sentence, NULL));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, 2 * count, 0, 2));
  EXPECT_OK(seiche_sphere_stream_add(stream, NULL, 0, 0, 0));
  EXPECT_OK(seiche_sphere_stream_finish(stream));
  EXPECT_FAULT(seiche_sphere_stream_add(stream, in, count, 0, 1), SEICHE_BAD_ARGUMENT, "this stream is finished");
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT, "this stream is finished");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, with_sentence, NULL));
  EXPECT_FAULT(seiche_sphere_stream_fail(stream, NULL), SEICHE_MISUSE, "sentence must not be NULL");
  if (rank == 0) EXPECT_OK(seiche_sphere_stream_fail(stream, "the band was not to be had"));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, count, 0, 1));
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT, "the band was not to be had");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, with_sentence, NULL));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, count / 2, 0, 1)); /* too few, on the rank that has some */
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT,
               "the array of input coefficients is too short (2)");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, fail, NULL));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, 2 * count, 0, 2));
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT, "returned 7 for band 1");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, fail, NULL)); /* without its end nothing is called */
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, NULL, NULL));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, count, 0, 1));
  EXPECT_OK(seiche_sphere_fft_destroy(&fft)); /* the plan may go first */
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT, "the callback must not be NULL");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_FAULT(seiche_sphere_stream_add(stream, in, count, 0, 1), SEICHE_MISUSE, "sphere_stream: the handle is NULL");
  free(in);
}

/* Slabs of two planes, and the same with one more plane on each side, in memory of the host for an exchange on a
 * device. */
static void boxes(seiche_space space) {
  enum { plane = 12 };
  const int64_t all[3] = {4, 3, 2 * ranks};
  const seiche_box mine = {{0, 0, 2 * rank}, {4, 3, 2 * rank + 2}}, halo = {{0, 0, 2 * rank - 1}, {4, 3, 2 * rank + 3}};
  const seiche_box_array source = seiche_contiguous_box(&mine, 0), target = seiche_contiguous_box(&halo, 0);
  double in[2 * plane], out[4 * plane], error = 0;
  for (int i = 0; i < 2 * plane; ++i) in[i] = 2 * plane * rank + i;
  seiche_box_options options;
  seiche_box_report report = {0};
  seiche_progress_report progress = {0};
  report.size = sizeof report, progress.size = sizeof progress;
  EXPECT_OK(seiche_box_options_init(&options));
  options.algorithm = SEICHE_ALGORITHM_PAIRWISE;
  options.space = space;
  seiche_box_exchange* exchange;
  EXPECT_OK(seiche_box_exchange_create(&exchange, MPI_COMM_WORLD, all, &source, 1, &target, 1, &options));
  EXPECT_OK(seiche_box_exchange_copy(exchange, SEICHE_DOUBLE, in, 2 * plane, out, 4 * plane, 1));
  for (int i = 0; i < 4 * plane; ++i) {
    error = fmax(error, fabs(out[i] - plane * ((2 * rank - 1 + i / plane + 2 * ranks) % (2 * ranks)) - i % plane));
  }
  EXPECT(error == 0);
  EXPECT_OK(seiche_box_exchange_report(exchange, &report));
  EXPECT(strcmp(report.algorithm, "pairwise") == 0 && report.sent == (ranks > 1 ? 2 * plane : 0));
  EXPECT(strcmp(report.messages, ranks > 1 ? "host" : "none") == 0);
  EXPECT(report.received == report.sent && report.own == 4 * plane - report.sent);
  EXPECT_OK(seiche_box_exchange_progress(exchange, &progress));
  EXPECT(progress.worked >= 0);
  EXPECT_OK(seiche_box_exchange_destroy(&exchange));
}

static void reports(void) {
  seiche_dense_fft* dense = NULL;
  seiche_sphere_fft* sphere = new_sphere(SEICHE_SPACE_HOST, 0);
  seiche_fft_options options;
  seiche_fft_report report = {sizeof report, -1, -1, -1, -1, -1, "", "", "", "", "", -1, ""};
  seiche_progress_report progress = {sizeof progress, -1, -1, -1, -1, -1};
  seiche_value told;
  double here[8 * 6 * 7];
  seiche_box box;
  const int chunks[2] = {3, 1};
  EXPECT_OK(seiche_fft_options_init(&options));
  options.decomposition = SEICHE_DECOMPOSITION_PENCIL;
  options.algorithm = SEICHE_ALGORITHM_PAIRWISE;
  options.chunks = chunks;
  options.chunk_count = 2;
  EXPECT_OK(seiche_dense_fft_create(&dense, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &options));
  EXPECT_OK(seiche_dense_fft_report(dense, &report));
  EXPECT(ranks == 1 || strcmp(report.decomposition, "pencil") == 0);
  EXPECT(ranks == 1 || strcmp(report.algorithm, "pairwise") == 0);
  EXPECT(strcmp(report.messages, ranks == 1 ? "none" : "host") == 0);
  EXPECT(report.memory > 0 && report.bytes_sent >= 0 && report.band_groups == 1);
  EXPECT_OK(seiche_dense_fft_progress(dense, &progress));
  EXPECT(progress.worked == 0 && progress.polls == 0);
  EXPECT_OK(seiche_dense_fft_destroy(&dense));
  EXPECT_OK(seiche_sphere_fft_report(sphere, &report));
  EXPECT(report.memory > 0 && report.library[0] != 0);
  EXPECT_OK(seiche_sphere_fft_progress(sphere, &progress));
  EXPECT(progress.waited == 0);
  EXPECT_OK(seiche_sphere_fft_value(sphere, &told));
  EXPECT(told == SEICHE_COMPLEX_DOUBLE);
  EXPECT_OK(seiche_sphere_fft_grid_box(sphere, &box));
  EXPECT_FAULT(seiche_sphere_fft_spread(sphere, NULL, NULL, 0, here, seiche_box_volume(&box)), SEICHE_BAD_ARGUMENT,
               "points of a target box"); /* no box of any rank */
  EXPECT_OK(seiche_sphere_fft_destroy(&sphere));
}

static void slabs(void) {
  seiche_sphere_fft* fft = NULL;
  seiche_fft_options options;
  seiche_box box;
  int planes[64] = {0};
  planes[ranks - 1] = (int)shape[2]; /* the last rank has the grid */
  EXPECT_OK(seiche_fft_options_init(&options));
  options.band_groups = 1;
  options.slabs = planes;
  options.slab_count = ranks;
  EXPECT_OK(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, all_waves, 0, &options));
  EXPECT_OK(seiche_sphere_fft_grid_box(fft, &box));
  EXPECT(seiche_box_volume(&box) == (rank == ranks - 1 ? shape[0] * shape[1] * shape[2] : 0));
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
  options.slabs = NULL;
  EXPECT_FAULT(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, all_waves, 0, &options),
               SEICHE_MISUSE, "slabs must not be NULL");
}

static void order(void) {
  MPI_Comm reversed;
  int place = -1;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  EXPECT_OK(seiche_order_ranks(reversed, &place));
  EXPECT(place == ranks - 1 - rank); /* there is no topology */
  EXPECT_FAULT(seiche_order_ranks(reversed, NULL), SEICHE_MISUSE, "order_ranks: rank must not be NULL");
  MPI_Comm_free(&reversed);
  MPI_Comm_dup(MPI_COMM_WORLD, &reversed);
  setenv("SEICHE_TOPOLOGY", "/nowhere", 1);
  if (ranks > 1) {
    EXPECT_FAULT(seiche_order_ranks(reversed, &place), SEICHE_BAD_FILE, "cannot read the topology file /nowhere");
  }
  setenv("SEICHE_TOPOLOGY", "nodes", 1);
  EXPECT_OK(seiche_order_ranks(reversed, &place));
  EXPECT(place == rank); /* all ranks are on one node */
  unsetenv("SEICHE_TOPOLOGY");
  MPI_Comm_free(&reversed);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 4; ++i) fields(all_values[i]);
  callbacks_that_fail();
  callbacks_on_a_device();
  started_calls();
  streams();
  boxes(SEICHE_SPACE_HOST);
  boxes(SEICHE_SPACE_CUDA);
  reports();
  slabs();
  order();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
