/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Block-sparse matrices from C: reports, owners, options of density matrices, and misuse. */
#include "expect.h"
#include "values.h"

enum { blocks = 3 };
static const int32_t sizes[blocks] = {2, 3, 1};

static seiche_block_layout* new_layout(void) {
  seiche_block_layout* layout = NULL;
  EXPECT_OK(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, blocks, sizes, blocks, NULL));
  return layout;
}

/* A matrix with `factor` on its diagonal. */
static seiche_block_matrix* new_matrix(const seiche_block_layout* layout, seiche_value value, double factor) {
  seiche_block_matrix* matrix = NULL;
  const double both[2] = {factor, 0};
  EXPECT_OK(seiche_block_matrix_create(&matrix, layout, value, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(matrix, both));
  return matrix;
}

/* A started product, whose blocks and costs are then known. */
static void products(void) {
  seiche_block_layout* layout = new_layout();
  seiche_block_matrix *x = new_matrix(layout, SEICHE_DOUBLE, 2), *c = new_matrix(layout, SEICHE_DOUBLE, 1);
  seiche_multiplier* multiplier = NULL;
  seiche_product_options options;
  seiche_product product;
  seiche_product_report report;
  seiche_pending *pending, *second;
  seiche_local_blocks mine;
  seiche_block block;
  seiche_value value;
  int done = -1;
  EXPECT_OK(seiche_product_options_init(&options));
  options.layers = 1;
  options.window = 2;
  EXPECT_OK(seiche_multiplier_create(&multiplier, &options));
  EXPECT_OK(seiche_product_init(&product));
  product.a = product.b = x;
  EXPECT_OK(seiche_multiplier_start_multiply(&pending, multiplier, &product, c));
  EXPECT_OK(seiche_multiplier_start_multiply(&second, multiplier, &product, c));
  EXPECT_OK(seiche_pending_progress(pending, &done));
  EXPECT(done == 0 || done == 1);
  EXPECT_FAULT(seiche_pending_finish(second), SEICHE_BAD_ARGUMENT,
               "a started product of this multiplier is not finished");
  EXPECT_OK(seiche_pending_destroy(&second));
  EXPECT_OK(seiche_pending_finish(pending));
  EXPECT_OK(seiche_pending_destroy(&pending));
  report.size = sizeof report;
  EXPECT_OK(seiche_multiplier_report(multiplier, &report));
  EXPECT(report.layers == 1 && report.skipped == 0 && report.kernels[0] != 0 && report.algorithm[0] != 0);
  EXPECT(report.error >= 0 && report.error < 1e-3 && report.memory >= 0 && report.seconds_total > 0);
  const int64_t costs[2] = {report.products, report.operations};
  int64_t all[2];
  MPI_Allreduce(costs, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(all[0] == blocks && all[1] == 2 * (8 + 27 + 1));
  EXPECT_OK(seiche_block_matrix_local(c, &mine));
  EXPECT(mine.row_count == 0 || mine.row_start[mine.row_count] == mine.block_count);
  EXPECT_OK(seiche_block_matrix_block(c, 1, 1, &block));
  EXPECT(block.data == NULL || (block.rows == 3 && block.columns == 3 && ((double*)block.data)[4] == 4));
  EXPECT_OK(seiche_block_matrix_value(c, &value));
  EXPECT(value == SEICHE_DOUBLE);
  EXPECT_OK(seiche_multiplier_destroy(&multiplier));
  EXPECT_OK(seiche_block_matrix_destroy(&c));
  EXPECT_OK(seiche_block_matrix_destroy(&x));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

/* Owners of one's own choice: all is on rank 0. */
static void owners(void) {
  int ranks, owner = -1;
  const int on_first[blocks] = {0, 0, 0};
  seiche_block_owners choice;
  seiche_block_layout* layout = NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT_OK(seiche_block_owners_init(&choice));
  choice.grid_rows = ranks;
  choice.grid_columns = 1;
  choice.row_owner = choice.column_owner = on_first;
  choice.row_count = choice.column_count = blocks;
  EXPECT_OK(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, blocks, sizes, blocks, &choice));
  EXPECT_OK(seiche_block_layout_owner(layout, 2, 1, &owner));
  EXPECT(owner == 0);
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

struct told {
  int calls, last_stage;
};

static void count_calls(int stage, int iteration, double residual, void* user) {
  struct told* told = user;
  told->calls += iteration >= 0 && residual >= 0;
  told->last_stage = stage;
}

/* K diagonal with two states below the others, S = 4. */
static void purification(void) {
  seiche_block_layout* layout = new_layout();
  seiche_block_matrix *k = new_matrix(layout, SEICHE_DOUBLE, 1), *s = new_matrix(layout, SEICHE_DOUBLE, 4), *p = NULL;
  seiche_purify_options options;
  seiche_product_options product;
  seiche_purify_report report = {.size = sizeof report};
  struct told told = {0, -1};
  seiche_block block;
  EXPECT_OK(seiche_block_matrix_block(k, 0, 0, &block));
  if (block.data != NULL) ((double*)block.data)[0] = ((double*)block.data)[3] = -2;
  EXPECT_OK(seiche_purify_options_init(&options));
  EXPECT_OK(seiche_product_options_init(&product));
  options.purifier = SEICHE_TC2;
  options.product = &product;
  options.on_progress = count_calls;
  options.user = &told;
  EXPECT_OK(seiche_purify(&p, k, s, 4, &options, &report));
  EXPECT(fabs(report.trace - 4) < 1e-9 && fabs(report.energy + 2) < 1e-9 && report.products > 0);
  EXPECT(told.calls > 0 && told.last_stage == 2);
  EXPECT_OK(seiche_block_matrix_destroy(&p));
  options.electrons_per_state = 1;
  EXPECT_OK(seiche_purify(&p, k, s, 2, &options, &report));
  EXPECT(fabs(report.trace - 2) < 1e-9 && fabs(report.energy + 1) < 1e-9 && report.entropy == 0);
  EXPECT_OK(seiche_block_matrix_destroy(&p));
  options.electrons_per_state = 2;
  options.temperature = 10; /* levels -0.5, -0.5, 0.25, 0.25, ... */
  EXPECT_OK(seiche_purify(&p, k, s, 3.5, &options, &report));
  EXPECT(fabs(report.trace - 3.5) < 1e-9 && report.entropy > 0 && report.homo == report.chemical_potential);
  EXPECT_OK(seiche_block_matrix_destroy(&p));
  options.temperature = 0;
  options.max_iterations = 1;
  EXPECT(seiche_purify(&p, k, s, 4, &options, NULL) != SEICHE_OK && strstr(seiche_last_error(), "converge") != NULL);
  options.max_iterations = 100;
  product.algorithm = (seiche_algorithm)99;
  EXPECT_FAULT(seiche_purify(&p, k, s, 4, &options, NULL), SEICHE_BAD_ARGUMENT, "algorithm is 99, but must be 0 to 10");
  EXPECT(p == NULL);
  EXPECT_OK(seiche_block_matrix_destroy(&s));
  EXPECT_OK(seiche_block_matrix_destroy(&k));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

static void misuse(void) {
  seiche_block_layout* layout = new_layout();
  seiche_block_matrix *x = new_matrix(layout, SEICHE_DOUBLE, 1), *y = new_matrix(layout, SEICHE_FLOAT, 1);
  seiche_block_matrix* none = NULL;
  seiche_multiplier* multiplier = NULL;
  seiche_product product;
  seiche_purify_report report = {0};
  double found;
  EXPECT_FAULT(seiche_block_matrix_read(&none, MPI_COMM_WORLD, "nowhere", SEICHE_DOUBLE, NULL, 0, NULL),
               SEICHE_BAD_FILE, "nowhere");
  EXPECT_FAULT(seiche_block_matrix_write(x, "nowhere/x", SEICHE_MATRIX_MARKET), SEICHE_UNWRITABLE, "nowhere/x");
  EXPECT_FAULT(seiche_block_matrix_trace_of_product(x, y, &found), SEICHE_BAD_ARGUMENT, "different types of values");
  EXPECT_FAULT(seiche_block_matrix_reserve(x, NULL, NULL, 2), SEICHE_MISUSE,
               "the array of 2 block rows must not be NULL");
  EXPECT_OK(seiche_multiplier_create(&multiplier, NULL));
  EXPECT_OK(seiche_product_init(&product));
  EXPECT_FAULT(seiche_multiplier_multiply(multiplier, &product, x), SEICHE_MISUSE, "block_matrix: the handle is NULL");
  product.a = x;
  product.b = y;
  EXPECT_FAULT(seiche_multiplier_multiply(multiplier, &product, x), SEICHE_BAD_ARGUMENT, "different types of values");
  EXPECT_FAULT(seiche_purify(&none, y, y, 2, NULL, NULL), SEICHE_BAD_ARGUMENT,
               "a type that this call does not support");
  EXPECT_FAULT(seiche_inverse_square_root(&none, y, multiplier, 100), SEICHE_BAD_ARGUMENT,
               "a type that this call does not support");
  EXPECT_FAULT(seiche_purify(&none, x, x, 2, NULL, &report), SEICHE_MISUSE,
               "purify_report: the size of the struct is not set");
  EXPECT_OK(seiche_multiplier_destroy(&multiplier));
  EXPECT_OK(seiche_block_matrix_destroy(&y));
  EXPECT_OK(seiche_block_matrix_destroy(&x));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  products();
  owners();
  purification();
  misuse();
  EXPECT(seiche_open_handles() == 0);
  const int code = verdict();
  MPI_Finalize();
  return code;
}
