/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Before MPI starts and after it has ended there are sentences; ten thousand times create and destroy leave the
 * process as large as a thousand did. */
#include "leaks.h"

static int rank, ranks;
static const int32_t sizes[3] = {2, 1, 3};
static seiche_block_layout* kept_layout = NULL;

static void plans(int turn) {
  const int64_t shape[3] = {4, 3, 5 + turn % 20}; /* more plans than are kept */
  const seiche_miller wave = {1, 0, 0};
  seiche_dense_fft* dense = NULL;
  seiche_sphere_fft* sphere = NULL;
  EXPECT_OK(seiche_dense_fft_create(&dense, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_OK(seiche_sphere_fft_create(&sphere, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &wave, rank == 0, NULL));
  if (turn % 20 == 0) { /* memory that ranks share is dearer */
    seiche_field* field = NULL;
    EXPECT_OK(seiche_field_create(&field, dense));
    EXPECT_OK(seiche_field_destroy(&field));
  }
  EXPECT_OK(seiche_sphere_fft_destroy(&sphere));
  EXPECT_OK(seiche_dense_fft_destroy(&dense));
}

static void matrices(int turn) {
  const int32_t block[1] = {turn % 3};
  seiche_block_layout* layout = NULL;
  seiche_block_matrix *matrix = NULL, *copy = NULL;
  int owner = -1;
  EXPECT_OK(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, 3, sizes, 3, NULL));
  EXPECT_OK(seiche_block_layout_owner(layout, block[0], block[0], &owner));
  EXPECT_OK(seiche_block_matrix_create(&matrix, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_reserve(matrix, block, block, owner == rank));
  EXPECT_OK(seiche_block_matrix_create_copy(&copy, matrix));
  EXPECT_OK(seiche_block_matrix_destroy(&copy));
  EXPECT_OK(seiche_block_matrix_destroy(&matrix));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

/* A product opens memory that ranks share. */
static void multipliers(int turn) {
  seiche_multiplier* multiplier = NULL;
  seiche_block_matrix *one = NULL, *square = NULL;
  seiche_product product;
  const double shift[2] = {turn, 0};
  EXPECT_OK(seiche_block_matrix_create(&one, kept_layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_create(&square, kept_layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(one, shift));
  EXPECT_OK(seiche_multiplier_create(&multiplier, NULL));
  EXPECT_OK(seiche_product_init(&product));
  product.a = product.b = one;
  EXPECT_OK(seiche_multiplier_multiply(multiplier, &product, square));
  EXPECT_OK(seiche_multiplier_destroy(&multiplier));
  EXPECT_OK(seiche_block_matrix_destroy(&square));
  EXPECT_OK(seiche_block_matrix_destroy(&one));
}

/* What fails leaves nothing either. */
static void failures(int turn) {
  const int64_t empty[3] = {4, 0, 5 + turn % 20};
  seiche_dense_fft* dense = NULL;
  EXPECT_FAULT(seiche_dense_fft_create(&dense, MPI_COMM_WORLD, SEICHE_DOUBLE, empty, NULL), SEICHE_BAD_ARGUMENT,
               "grid dimensions must be positive (got 4 x 0 x ");
}

int main(int argc, char** argv) {
  seiche_dense_fft* fft = NULL;
  const int64_t shape[3] = {4, 4, 4};
  EXPECT_FAULT(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL), SEICHE_MISUSE,
               "MPI is not initialized: call MPI_Init first");
  EXPECT(strcmp(seiche_version(), "0.2.0") == 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int times = 10000; /* pools of MPI fill slowly: MPICH's on three ranks takes thousands of plans */
  EXPECT_NO_LEAK(plans, times);
  EXPECT_NO_LEAK(matrices, times);
  EXPECT_OK(seiche_block_layout_create(&kept_layout, MPI_COMM_WORLD, sizes, 3, sizes, 3, NULL));
  EXPECT_NO_LEAK(multipliers, times / 10);
  EXPECT_OK(seiche_block_layout_destroy(&kept_layout));
  EXPECT_NO_LEAK(failures, times);
  EXPECT(seiche_open_handles() == 0);
  int code = verdict();
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_SELF, SEICHE_DOUBLE, shape, NULL));
  MPI_Finalize();
  failed = 0;
  EXPECT_FAULT(seiche_dense_fft_destroy(&fft), SEICHE_MISUSE,
               "MPI is already finalized: make this call before MPI_Finalize");
  return code != 0 || failed != 0;
}
