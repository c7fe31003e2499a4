/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Bands that come by and by, against their sum of squares in closed form; exchanges alone. */
#include "expect.h"
#include "values.h"

static const int64_t shape[3] = {8, 6, 7};
static const seiche_miller waves[2] = {{1, 0, 2}, {0, 1, -1}};
static int rank, ranks;

struct seen {
  seiche_value value;
  double norm; /* of the parts that came, |psi|^2 summed over points */
  int64_t last;
  int fails;
};

static int add_norm(const seiche_grid_part* part, void* user) {
  struct seen* seen = user;
  const seiche_view* v = part->component;
  if (part->band > seen->last) seen->last = part->band;
  for (int64_t z = 0; z < v->shape[2]; ++z)
    for (int64_t y = 0; y < v->shape[1]; ++y)
      for (int64_t x = 0; x < v->shape[0]; ++x) {
        const double complex psi = get(v->data, seen->value, x + y * v->stride[1] + z * v->stride[2]);
        seen->norm += creal(psi * conj(psi));
      }
  return seen->fails;
}

static double over_ranks(double mine) {
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/* sum over points of |psi|^2 is N times that of |c|^2; of real kinds each wave comes with its opposite. */
static void streams(seiche_value value) {
  const int64_t count = rank == ranks - 1 ? 2 : 0;
  const double points = 8 * 6 * 7 * (is_real(value) ? 2 : 1);
  struct seen seen = {value, 0, -1, 0};
  seiche_sphere_fft* fft = NULL;
  seiche_sphere_stream* stream = NULL;
  seiche_fft_options options;
  void* in = new_values(3 * count);
  for (int64_t i = 0; i < 3 * count; ++i) set(in, complex_of(value), i, 1.0 + (double)i);
  EXPECT_OK(seiche_fft_options_init(&options));
  options.window = 2;
  EXPECT_OK(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, value, shape, waves, count, &options));
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, add_norm, &seen));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, count, 0, 1));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, 3 * count, 0, 3));
  EXPECT_OK(seiche_sphere_stream_add(stream, NULL, 0, 0, 0));
  EXPECT_OK(seiche_sphere_stream_finish(stream));
  /* 1 + 4, then 1 + 4 + 9 + 16 + 25 + 36 */
  EXPECT(fabs(over_ranks(seen.norm) / (96 * points) - 1) < 100 * rounding(value));
  EXPECT((int64_t)over_ranks((double)seen.last) >= 3 - (ranks - 1));
  EXPECT_FAULT(seiche_sphere_stream_add(stream, in, count, 0, 1), SEICHE_BAD_ARGUMENT, "this stream is finished");
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT, "this stream is finished");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));

  /* what goes wrong on one rank is told at the end, on all */
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, add_norm, &seen));
  EXPECT_FAULT(seiche_sphere_stream_fail(stream, NULL), SEICHE_MISUSE, "sentence must not be NULL");
  if (rank == 0) EXPECT_OK(seiche_sphere_stream_fail(stream, "the band was not to be had"));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, count, 0, 1));
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT, "the band was not to be had");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, add_norm, &seen));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, count / 2, 0, 1)); /* too few, on the rank that has some */
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT,
               "the array of input coefficients is too short (1)");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  seen.fails = 7;
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, add_norm, &seen));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, count, 0, 1));
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT, "returned 7 for band 0");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));

  /* without its end nothing is called; the plan may go first */
  seen.fails = 0;
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, add_norm, &seen));
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_OK(seiche_sphere_stream_create(&stream, fft, NULL, NULL));
  EXPECT_OK(seiche_sphere_stream_add(stream, in, count, 0, 1));
  EXPECT_FAULT(seiche_sphere_stream_finish(stream), SEICHE_BAD_ARGUMENT, "the callback must not be NULL");
  EXPECT_OK(seiche_sphere_stream_destroy(&stream));
  EXPECT_FAULT(seiche_sphere_stream_add(stream, in, count, 0, 1), SEICHE_MISUSE, "sphere_stream: the handle is NULL");
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
  free(in);
}

/* They move bytes and lose a field's values; the plan works on. */
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 4; ++i) streams(all_values[i]);
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
