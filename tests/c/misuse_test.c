/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Misuse of the C interface that tests/sweep does not have: it passes NULL, wrong handles, scalars and lengths
 * to all functions. */
#include "expect.h"

static const int64_t shape[3] = {8, 6, 7};

static void handles(void) {
  seiche_dense_fft *fft = NULL, *kept;
  seiche_field* field = NULL;
  seiche_box box;
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT(seiche_open_handles() == 1);
  EXPECT_FAULT(seiche_dense_fft_grid_box((seiche_dense_fft*)&box, &box), SEICHE_MISUSE, "was never created");
  kept = fft;
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
  EXPECT_OK(seiche_dense_fft_destroy(NULL));
  EXPECT_FAULT(seiche_dense_fft_destroy(&kept), SEICHE_MISUSE, "this handle was destroyed");
  EXPECT_FAULT(seiche_field_create(&field, kept), SEICHE_MISUSE, "dense_fft: this handle was destroyed");
  EXPECT(field == NULL);
}

static void creation(void) {
  seiche_dense_fft* fft = NULL;
  seiche_fft_options options;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT_FAULT(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, rank == ranks - 1 ? NULL : shape, NULL),
               SEICHE_MISUSE, "the shape of the grid must not be NULL");
  EXPECT_FAULT(seiche_dense_fft_create(&fft, MPI_COMM_NULL, SEICHE_DOUBLE, shape, NULL), SEICHE_MISUSE,
               "the communicator is MPI_COMM_NULL");
  EXPECT_FAULT(seiche_fft_options_init(NULL), SEICHE_MISUSE, "the output argument for the options must not be NULL");
  memset(&options, 0, sizeof options);
  EXPECT_FAULT(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &options), SEICHE_MISUSE,
               "the size of the struct is not set: initialize the struct first");
  EXPECT_FAULT(seiche_fft_options_fill(&options, sizeof options + 8), SEICHE_MISUSE,
               "exceeds the size in this library");
  EXPECT_OK(seiche_fft_options_init(&options));
  options.size += 8;
  EXPECT_FAULT(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &options), SEICHE_MISUSE,
               "exceeds the size in this library");
  EXPECT_OK(seiche_fft_options_init(&options));
  options.chunk_count = 2;
  EXPECT_FAULT(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &options), SEICHE_MISUSE,
               "the array of 2 chunks must not be NULL");
  /* an older program's struct ends early; the rest is as by default */
  EXPECT_OK(seiche_fft_options_init(&options));
  options.size = offsetof(seiche_fft_options, components);
  options.components = 77;
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &options));
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
}

static void two_plans(void) {
  seiche_sphere_fft *half = NULL, *full = NULL;
  const seiche_miller wave = {0, 0, 0};
  double values[2] = {0, 0};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_OK(seiche_sphere_fft_create(&half, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &wave, rank == 0, NULL));
  EXPECT_FAULT(seiche_sphere_fft_apply_perturbation(half, half, values, 1, 0, values, 1, 0, 1, values, 1),
               SEICHE_UNSUPPORTED, "fft: apply_perturbation needs full spheres, but this plan has a half sphere");
  EXPECT_OK(seiche_sphere_fft_create(&full, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, &wave, rank == 0, NULL));
  EXPECT_FAULT(seiche_sphere_fft_add_products(full, half, values, 1, 0, values, 1, 0, 1, values, 1, values, 1),
               SEICHE_BAD_ARGUMENT,
               "sphere_fft: the plans are for different types of values: create both for one type");
  EXPECT_OK(seiche_sphere_fft_destroy(&full));
  EXPECT_OK(seiche_sphere_fft_destroy(&half));
}

static void fields_of_others(void) {
  seiche_dense_fft *one = NULL, *other = NULL, *complex_one = NULL;
  seiche_field* field = NULL;
  const int64_t larger[3] = {8, 6, 9};
  EXPECT_OK(seiche_dense_fft_create(&one, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_OK(seiche_dense_fft_create(&other, MPI_COMM_WORLD, SEICHE_DOUBLE, larger, NULL));
  EXPECT_OK(seiche_dense_fft_create(&complex_one, MPI_COMM_WORLD, SEICHE_COMPLEX_DOUBLE, shape, NULL));
  EXPECT_OK(seiche_field_create(&field, one));
  EXPECT_FAULT(seiche_dense_fft_forward_field(other, field), SEICHE_BAD_ARGUMENT, "the field belongs to another plan");
  EXPECT_FAULT(seiche_dense_fft_forward_field(complex_one, field), SEICHE_BAD_ARGUMENT,
               "the field holds another type of values");
  EXPECT_OK(seiche_field_destroy(&field));
  EXPECT_OK(seiche_dense_fft_destroy(&complex_one));
  EXPECT_OK(seiche_dense_fft_destroy(&other));
  EXPECT_OK(seiche_dense_fft_destroy(&one));
}

static void reports(void) {
  seiche_dense_fft* fft = NULL;
  seiche_fft_report report = {0};
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_FAULT(seiche_dense_fft_report(fft, &report), SEICHE_MISUSE, "the size of the struct is not set");
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
}

/* The last rank cannot make a call, and all are told. */
static void refused_in_place(void) {
  const int32_t sizes[2] = {1, 2};
  int me, all;
  seiche_dense_fft* dense = NULL;
  seiche_sphere_fft* sphere = NULL;
  seiche_block_layout* layout = NULL;
  seiche_block_matrix* matrix = NULL;
  double elements[9];
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  const int last = me == all - 1;
  EXPECT_FAULT(seiche_refuse(SEICHE_BAD_FILE, "of this rank"), SEICHE_BAD_FILE, "of this rank");
  EXPECT_FAULT(seiche_refuse((seiche_status)9, "none"), SEICHE_BAD_ARGUMENT, "status must be 1 to 7 (got 9)");
  EXPECT_FAULT(last ? seiche_refuse_create(MPI_COMM_WORLD, SEICHE_BAD_FILE, "no plan")
                    : seiche_dense_fft_create(&dense, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL),
               SEICHE_BAD_FILE, "no plan");
  EXPECT_OK(seiche_dense_fft_create(&dense, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_FAULT(seiche_dense_fft_refuse(dense, SEICHE_MISUSE, last ? "no grid" : "none here"), SEICHE_MISUSE,
               all == 1 ? "no grid" : "none here");
  EXPECT_OK(seiche_dense_fft_destroy(&dense));
  EXPECT_OK(seiche_sphere_fft_create(&sphere, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL, 0, NULL));
  EXPECT_FAULT(last ? seiche_sphere_fft_refuse(sphere, SEICHE_MISUSE, "no bands")
                    : seiche_sphere_fft_backward(sphere, NULL, 0, 0, NULL, 0, 0),
               SEICHE_MISUSE, "no bands");
  EXPECT_OK(seiche_sphere_fft_destroy(&sphere));
  EXPECT_OK(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, 2, sizes, 2, NULL));
  EXPECT_OK(seiche_block_matrix_create(&matrix, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_FAULT(last ? seiche_block_matrix_refuse(matrix, SEICHE_MISUSE, "no room")
                    : seiche_block_matrix_to_dense(matrix, elements, 9),
               SEICHE_MISUSE, "no room");
  EXPECT_OK(seiche_block_matrix_destroy(&matrix));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  handles();
  creation();
  two_plans();
  fields_of_others();
  reports();
  refused_in_place();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
