/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  What is closed on some ranks only is told there, by the names of the others, where closes are watched; and can
 * be closed by all of them after that. */
#include <stdlib.h>
#include <time.h>

#include "expect.h"

static const int64_t shape[3] = {8, 6, 7};
static int rank, ranks;
static int deaf; /* messages that are there are not seen */

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* there, MPI_Status* status) {
  if (!deaf) return PMPI_Iprobe(source, tag, comm, there, status);
  *there = 0;
  return MPI_SUCCESS;
}

static void watch(const char* seconds) { setenv("SEICHE_CLOSE_LIMIT", seconds, 1); }

/* That rank 1 did not come, and maybe others that were slow. */
static int names_rank_1(void) {
  const char *ranks_at = strstr(seiche_last_error(), "close: rank"),
             *end = strstr(seiche_last_error(), " did not call close");
  const char* one = strchr(seiche_last_error(), '1');
  return ranks_at != NULL && end != NULL && one != NULL && one < end;
}

/* All but rank 1 close, and are told; then all do. */
#define EXPECT_WATCHED(destroy, handle)                                                                              \
  do {                                                                                                               \
    watch("0.2");                                                                                                    \
    if (ranks > 1 && rank != 1) {                                                                                    \
      EXPECT_FAULT(destroy(&(handle)), SEICHE_BAD_ARGUMENT, "did not call close within 0.2 s (SEICHE_CLOSE_LIMIT)"); \
      EXPECT(names_rank_1());                                                                                        \
    }                                                                                                                \
    EXPECT((handle) != NULL);                                                                                        \
    MPI_Barrier(MPI_COMM_WORLD);                                                                                     \
    watch("100");                                                                                                    \
    EXPECT_OK(destroy(&(handle)));                                                                                   \
    EXPECT((handle) == NULL);                                                                                        \
  } while (0)

static void plans_and_fields(void) {
  const seiche_miller wave = {1, 2, 3};
  seiche_dense_fft* dense = NULL;
  seiche_field* field = NULL;
  seiche_sphere_fft* sphere = NULL;
  EXPECT_OK(seiche_dense_fft_create(&dense, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_OK(seiche_field_create(&field, dense));
  EXPECT_OK(seiche_sphere_fft_create(&sphere, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, &wave, rank == 0, NULL));
  EXPECT_WATCHED(seiche_sphere_fft_destroy, sphere);
  EXPECT_WATCHED(seiche_field_destroy, field);
  EXPECT_WATCHED(seiche_dense_fft_destroy, dense);
}

static void multipliers(void) {
  const int32_t sizes[3] = {2, 1, 3};
  seiche_block_layout* layout = NULL;
  seiche_block_matrix *a = NULL, *c = NULL;
  seiche_multiplier* multiplier = NULL;
  seiche_product product;
  EXPECT_OK(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, 3, sizes, 3, NULL));
  EXPECT_OK(seiche_block_matrix_create(&a, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_create(&c, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_multiplier_create(&multiplier, NULL));
  EXPECT_OK(seiche_product_init(&product));
  product.a = product.b = a;
  EXPECT_OK(seiche_multiplier_multiply(multiplier, &product, c));
  EXPECT_WATCHED(seiche_multiplier_destroy, multiplier);
  EXPECT_OK(seiche_block_matrix_destroy(&a));
  EXPECT_OK(seiche_block_matrix_destroy(&c));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

/* Rank 0 closes the first plan where the others close the second: all are told. */
static void another_order(void) {
  seiche_dense_fft *plans[2] = {NULL, NULL}, **mine = &plans[rank > 0], **later = &plans[rank == 0];
  watch("100");
  for (int i = 0; i < 2; ++i) EXPECT_OK(seiche_dense_fft_create(&plans[i], MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  if (ranks == 1) {
    EXPECT_OK(seiche_dense_fft_destroy(later));
    EXPECT_OK(seiche_dense_fft_destroy(mine));
    return;
  }
  EXPECT_FAULT(seiche_dense_fft_destroy(mine), SEICHE_BAD_ARGUMENT, "but rank 1 closes object");
  EXPECT(strstr(seiche_last_error(), "close objects in the same order on all ranks") != NULL);
  for (int i = 0; i < 2; ++i) EXPECT_OK(seiche_dense_fft_destroy(&plans[i]));
}

/* Only the last rank comes: the names of all others. */
static void alone(void) {
  seiche_dense_fft* fft = NULL;
  const char* names[] = {"", "rank 0 did", "ranks 0, 1 did", "ranks 0, 1, 2 did"};
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  watch("soon");
  EXPECT_FAULT(seiche_dense_fft_destroy(&fft), SEICHE_BAD_ARGUMENT,
               "SEICHE_CLOSE_LIMIT must be a positive number of seconds (got 'soon')");
  watch("-1");
  EXPECT_FAULT(seiche_dense_fft_destroy(&fft), SEICHE_BAD_ARGUMENT,
               "SEICHE_CLOSE_LIMIT must be a positive number of seconds (got '-1')");
  watch("0.2");
  if (ranks > 1 && rank == ranks - 1)
    EXPECT_FAULT(seiche_dense_fft_destroy(&fft), SEICHE_BAD_ARGUMENT, names[ranks - 1]);
  MPI_Barrier(MPI_COMM_WORLD);
  watch("100");
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
}

/* Rank 0 gives up at the moment at which the others come: these take it as there, and it comes again. */
static void at_the_limit(void) {
  const struct timespec moment = {0, 100000000};
  seiche_dense_fft *fft = NULL, *other = NULL;
  EXPECT_OK(seiche_dense_fft_create(&fft, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  EXPECT_OK(seiche_dense_fft_create(&other, MPI_COMM_WORLD, SEICHE_DOUBLE, shape, NULL));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && ranks > 1) {
    deaf = 1;
    watch("0.3");
    EXPECT_FAULT(seiche_dense_fft_destroy(&fft), SEICHE_BAD_ARGUMENT, "did not call close within 0.3 s");
    deaf = 0;
  } else {
    nanosleep(&moment, NULL);
  }
  watch("100");
  EXPECT_OK(seiche_dense_fft_destroy(&fft));
  EXPECT_OK(seiche_dense_fft_destroy(&other));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  plans_and_fields();
  multipliers();
  another_order();
  alone();
  at_the_limit();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
