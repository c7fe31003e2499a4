/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Tuning from C chooses something that can be, and writes it to the tuning file; a recording holds what was
 * done. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"
#include "values.h"

static const int64_t shape[3] = {8, 6, 7};
static const seiche_miller waves[2] = {{1, 2, 3}, {0, 1, 0}};

static void products(const seiche_tune_request* request) {
  const int32_t sizes[3] = {2, 1, 3};
  const double one[2] = {1, 0};
  seiche_block_layout* layout = NULL;
  seiche_block_matrix *a = NULL, *single = NULL;
  seiche_product product;
  seiche_tune_report report = {.size = sizeof report};
  EXPECT_OK(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, 3, sizes, 3, NULL));
  EXPECT_OK(seiche_block_matrix_create(&a, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_create(&single, layout, SEICHE_FLOAT, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(a, one));
  EXPECT_OK(seiche_product_init(&product));
  product.a = product.b = a;
  EXPECT_OK(seiche_tune_product(&product, layout, NULL, request, &report));
  EXPECT(report.trials > 0 && report.seconds > 0 && report.layers >= 0 && report.band_groups == 0);
  EXPECT_FAULT(seiche_tune_product(NULL, layout, NULL, request, &report), SEICHE_MISUSE,
               "the product must not be NULL");
  EXPECT_FAULT(seiche_tune_product(&product, NULL, NULL, request, &report), SEICHE_MISUSE,
               "block_layout: the handle is NULL");
  EXPECT_FAULT(seiche_tune_product(&product, layout, NULL, request, NULL), SEICHE_MISUSE,
               "the output argument for the report");
  product.b = single;
  EXPECT_FAULT(seiche_tune_product(&product, layout, NULL, request, &report), SEICHE_BAD_ARGUMENT, "different types");
  EXPECT_OK(seiche_block_matrix_destroy(&single));
  EXPECT_OK(seiche_block_matrix_destroy(&a));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

static void boxes(const seiche_tune_request* request) {
  seiche_tune_report report = {.size = sizeof report};
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t z[2] = {shape[2] * rank / ranks, shape[2] * (rank + 1) / ranks};
  const seiche_box mine = {{0, 0, z[0]}, {8, 6, z[1]}}, wider = {{0, 0, z[0] - 1}, {8, 6, z[1] + 1}};
  const seiche_box_array source = seiche_contiguous_box(&mine, 0), target = seiche_contiguous_box(&wider, 0);
  for (seiche_value value = SEICHE_FLOAT; value <= SEICHE_COMPLEX_DOUBLE; ++value) {
    EXPECT_OK(seiche_tune_boxes(MPI_COMM_WORLD, value, shape, &source, 1, &target, 1, 2, request, &report));
    EXPECT(report.trials > 0 && report.seconds > 0 && report.window >= 1 && report.memory == 0);
  }
  EXPECT_FAULT(seiche_tune_boxes(MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &source, 1, &target, 1, 0, request, &report),
               SEICHE_BAD_ARGUMENT, "boxes: tuning needs at least one field (got 0)");
  EXPECT_FAULT(seiche_tune_boxes(MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL, 1, &target, 1, 1, request, &report),
               SEICHE_MISUSE, "tune_boxes: the array of 1 source must not be NULL");
  EXPECT_FAULT(seiche_tune_boxes(MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &source, 1, &target, 1, 1, request, NULL),
               SEICHE_MISUSE, "tune_boxes");
}

static void tuning(const char* path) {
  seiche_tune_request request;
  seiche_tune_report report = {.size = sizeof report};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_OK(seiche_tune_request_init(&request));
  EXPECT(request.budget == 10 && request.bands == 8 && request.skew == -1);
  request.budget = 0.05;
  request.skew = 0;
  EXPECT_OK(seiche_tune_dense(MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &request, &report));
  EXPECT(report.trials > 0 && report.seconds > 0 && report.skew == 0);
  EXPECT_OK(
      seiche_tune_sphere(MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, waves, rank == 0 ? 2 : 0, &request, &report));
  EXPECT(report.trials > 0 && report.band_groups >= 1);
  EXPECT(rank != 0 || access(path, R_OK) == 0);
  EXPECT_FAULT(seiche_tune_dense(MPI_COMM_WORLD, SEICHE_FLOAT, shape, &request, &report), SEICHE_UNSUPPORTED,
               "values of type 0 cannot be tuned");
  EXPECT_FAULT(seiche_tune_sphere(MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL, 2, &request, &report), SEICHE_MISUSE,
               "the array of 2 waves must not be NULL");
  products(&request);
  boxes(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) remove(path);
}

static void timeline(void) {
  seiche_timeline* recorded = NULL;
  seiche_sphere_fft* fft = NULL;
  const seiche_timeline_work* work = NULL;
  const seiche_timeline_transfer* transfers = NULL;
  int64_t works = 0, sent = 0;
  int rank, ranks;
  double complex coefficients[2] = {1, 2};
  struct {
    double values[8 * 6 * 7];
  } potential = {{0}};
  seiche_box box;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t count = rank == 0 ? 2 : 0;
  EXPECT_OK(seiche_sphere_fft_create(&fft, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, waves, count, NULL));
  EXPECT_OK(seiche_sphere_fft_grid_box(fft, &box));
  EXPECT_OK(seiche_timeline_start());
  EXPECT_OK(seiche_sphere_fft_apply_potential(fft, coefficients, count, 0, coefficients, count, 0, 1, potential.values,
                                              seiche_box_volume(&box)));
  EXPECT_OK(seiche_timeline_create(&recorded));
  EXPECT_OK(seiche_timeline_get_work(recorded, &work, &works));
  EXPECT_OK(seiche_timeline_get_transfers(recorded, &transfers, &sent));
  EXPECT(works > 0 && (ranks == 1 || sent > 0));
  for (int64_t i = 0; i < works; ++i) EXPECT(work[i].end >= work[i].begin && work[i].stage >= 0);
  for (int64_t i = 0; i < sent; ++i) EXPECT(transfers[i].arrived >= transfers[i].started);
  EXPECT_FAULT(seiche_timeline_get_work(recorded, NULL, &works), SEICHE_MISUSE, "the output argument for the entries");
  EXPECT_OK(seiche_timeline_destroy(&recorded));
  EXPECT_OK(seiche_timeline_create(&recorded));
  EXPECT_OK(seiche_timeline_get_work(recorded, &work, &works));
  EXPECT(works == 0);
  EXPECT_OK(seiche_timeline_destroy(&recorded));
  EXPECT_OK(seiche_sphere_fft_destroy(&fft));
}

int main(int argc, char** argv) {
  char path[64] = "";
  MPI_Init(&argc, &argv);
  snprintf(path, sizeof path, "/tmp/seiche-c-%ld.json", (long)getpid());
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  setenv("SEICHE_TUNING", path, 1);
  tuning(path);
  timeline();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
