/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Block-sparse matrices, products, files and density matrices from C, beside dense loops that are not ours. */
#include <unistd.h>

#include "expect.h"
#include "values.h"

enum { blocks = 3, order = 6 };
static const int32_t sizes[blocks] = {2, 3, 1};
static const int32_t first[blocks + 1] = {0, 2, 5, 6};
static const double one[2] = {1, 0}, zero[2] = {0, 0};

static int my_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/* The block row of a row. */
static int block_of(int row) { return row < first[1] ? 0 : row < first[2] ? 1 : 2; }

/* Element of a matrix in which block (0, 2) is zero. */
static double complex element(seiche_value value, int salt, int row, int column) {
  if (block_of(row) == 0 && block_of(column) == 2) return 0;
  const double imaginary = is_real(value) ? 0 : (row - 2 * column + salt) % 3;
  return (row * 5 + column * 3 + salt) % 7 - 3 + I * imaginary;
}

static seiche_block_layout* new_layout(void) {
  seiche_block_layout* layout = NULL;
  EXPECT_OK(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, blocks, sizes, blocks, NULL));
  return layout;
}

static seiche_block_matrix* new_matrix(const seiche_block_layout* layout, seiche_value value, int salt) {
  seiche_block_matrix* matrix = NULL;
  int32_t rows[9], columns[9];
  int64_t count = 0;
  EXPECT_OK(seiche_block_matrix_create(&matrix, layout, value, SEICHE_SYMMETRY_NONE));
  for (int32_t i = 0; i < blocks; ++i) {
    for (int32_t j = 0; j < blocks; ++j) {
      int owner = -1;
      EXPECT_OK(seiche_block_layout_owner(layout, i, j, &owner));
      if (owner == my_rank() && !(i == 0 && j == 2)) rows[count] = i, columns[count++] = j;
    }
  }
  EXPECT_OK(seiche_block_matrix_reserve(matrix, rows, columns, count));
  for (int64_t b = 0; b < count; ++b) {
    seiche_block block = {NULL, 0, 0};
    EXPECT_OK(seiche_block_matrix_block(matrix, rows[b], columns[b], &block));
    EXPECT(block.data != NULL && block.rows == sizes[rows[b]] && block.columns == sizes[columns[b]]);
    for (int c = 0; c < block.columns; ++c) {
      for (int r = 0; r < block.rows; ++r) {
        set(block.data, value, c * block.rows + r, element(value, salt, first[rows[b]] + r, first[columns[b]] + c));
      }
    }
  }
  return matrix;
}

/* Compares a matrix with expected[row][column]. */
static void expect_dense(const seiche_block_matrix* matrix, double complex expected[order][order], double allowed) {
  seiche_value value = SEICHE_FLOAT;
  double error = 0;
  EXPECT_OK(seiche_block_matrix_value(matrix, &value));
  void* all = new_values(order * order);
  EXPECT_OK(seiche_block_matrix_to_dense(matrix, all, order * order));
  for (int c = 0; c < order; ++c) {
    for (int r = 0; r < order; ++r) error = fmax(error, cabs(get(all, value, c * order + r) - expected[r][c]));
  }
  EXPECT(error <= allowed);
  free(all);
}

static void fill(seiche_value value, int salt, double complex into[order][order]) {
  for (int r = 0; r < order; ++r) {
    for (int c = 0; c < order; ++c) into[r][c] = element(value, salt, r, c);
  }
}

static void start_product(seiche_multiplier* multiplier, const seiche_product* product, seiche_block_matrix* c) {
  seiche_pending *pending, *second;
  int done = -1;
  EXPECT_OK(seiche_multiplier_start_multiply(&pending, multiplier, product, c));
  EXPECT_OK(seiche_multiplier_start_multiply(&second, multiplier, product, c));
  EXPECT_OK(seiche_pending_progress(pending, &done));
  EXPECT(done == 0 || done == 1);
  EXPECT_FAULT(seiche_pending_finish(second), SEICHE_BAD_ARGUMENT,
               "a started product of this multiplier is not finished");
  EXPECT_OK(seiche_pending_destroy(&second));
  EXPECT_OK(seiche_pending_finish(pending));
  EXPECT_OK(seiche_pending_destroy(&pending));
}

static void products(seiche_value value, int started) {
  const double alpha[2] = {2, is_real(value) ? 0 : 1}, beta[2] = {-1, 0};
  double complex a[order][order], b[order][order], c[order][order], sum[order][order];
  seiche_block_layout* layout = new_layout();
  seiche_block_matrix *x = new_matrix(layout, value, 1), *y = new_matrix(layout, value, 2);
  seiche_block_matrix *z = new_matrix(layout, value, 3), *added = NULL;
  seiche_multiplier* multiplier = NULL;
  seiche_product_options options;
  seiche_product product;
  seiche_product_report report;
  fill(value, 1, a);
  fill(value, 2, b);
  fill(value, 3, c);
  expect_dense(x, a, 0);
  EXPECT_OK(seiche_product_options_init(&options));
  options.layers = 1;
  options.window = 2;
  EXPECT_OK(seiche_multiplier_create(&multiplier, &options));
  EXPECT_OK(seiche_product_init(&product));
  product.a = x;
  product.b = y;
  product.op_b = SEICHE_TRANSPOSE_CONJUGATE;
  memcpy(product.alpha, alpha, sizeof alpha);
  memcpy(product.beta, beta, sizeof beta);
  started ? start_product(multiplier, &product, z) : EXPECT_OK(seiche_multiplier_multiply(multiplier, &product, z));
  for (int r = 0; r < order; ++r) {
    for (int s = 0; s < order; ++s) {
      sum[r][s] = a[r][s] - 0.5 * b[r][s];
      c[r][s] *= -1;
      for (int k = 0; k < order; ++k) c[r][s] += (alpha[0] + I * alpha[1]) * a[r][k] * conj(b[s][k]);
    }
  }
  expect_dense(z, c, 1000 * rounding(value));
  report.size = sizeof report;
  EXPECT_OK(seiche_multiplier_report(multiplier, &report));
  EXPECT(report.layers == 1 && report.operations >= 0 && report.skipped == 0 && report.kernels[0] != 0);
  EXPECT(report.error >= 0 && report.error < 1e-3);
  const int64_t mine[2] = {report.products, report.operations};
  int64_t all[2];
  MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(all[0] > 0 && all[1] >= 2 * all[0]); /* a product of 1 x 1 blocks is two operations */
  EXPECT(report.memory > 0 && report.panels >= 1 && report.window >= 1 && report.seconds_total > 0);
  EXPECT(report.algorithm[0] != 0 && report.seconds_work <= report.seconds_total);
  double bound = -1;
  EXPECT_OK(seiche_block_matrix_error_bound(z, &bound));
  EXPECT(bound == report.error);

  const double half[2] = {-0.5, 0};
  EXPECT_OK(seiche_block_matrix_create_sum(&added, one, x, half, y));
  expect_dense(added, sum, rounding(value));
  EXPECT_OK(seiche_block_matrix_destroy(&added));
  EXPECT_OK(seiche_multiplier_destroy(&multiplier));
  EXPECT_OK(seiche_block_matrix_destroy(&z));
  EXPECT_OK(seiche_block_matrix_destroy(&y));
  EXPECT_OK(seiche_block_matrix_destroy(&x));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

static void numbers(seiche_value value) {
  double complex a[order][order], b[order][order];
  double trace = 0, norm = 0, both = 0, found = -1, dropped = -1;
  seiche_block_layout *layout = new_layout(), *product = NULL;
  seiche_block_matrix *x = new_matrix(layout, value, 1), *y = new_matrix(layout, value, 2), *copy = NULL;
  seiche_block_matrix* turned = NULL;
  seiche_local_blocks mine;
  fill(value, 1, a);
  fill(value, 2, b);
  for (int r = 0; r < order; ++r) {
    trace += creal(a[r][r]);
    for (int c = 0; c < order; ++c) norm += creal(a[r][c] * conj(a[r][c])), both += creal(conj(a[r][c]) * b[r][c]);
  }
  EXPECT_OK(seiche_block_matrix_trace(x, &found));
  EXPECT(fabs(found - trace) < 1e-5);
  EXPECT_OK(seiche_block_matrix_norm(x, &found));
  EXPECT(fabs(found - sqrt(norm)) < 1e-5);
  EXPECT_OK(seiche_block_matrix_trace_of_product(x, y, &found));
  EXPECT(fabs(found - both) < 1e-4);
  EXPECT_OK(seiche_block_matrix_local(x, &mine));
  EXPECT(mine.row_count == 0 || mine.row_start[mine.row_count] == mine.block_count);

  EXPECT_OK(seiche_block_matrix_create_copy(&copy, x));
  EXPECT_OK(seiche_block_matrix_scale(copy, zero));
  EXPECT_OK(seiche_block_matrix_drop_below(copy, 1e-3, &dropped));
  EXPECT(dropped == 0);
  EXPECT_OK(seiche_block_matrix_local(copy, &mine));
  EXPECT(mine.block_count == 0);
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(copy, one));
  EXPECT_OK(seiche_block_matrix_trace(copy, &found));
  EXPECT(found == order);
  double low = 0, high = 0;
  EXPECT_OK(seiche_block_matrix_spectrum(copy, &low, &high));
  EXPECT(low <= 1 && high >= 1 && high < 1.1);
  EXPECT_OK(seiche_block_layout_create_product(&product, layout, layout));
  EXPECT_OK(seiche_block_matrix_create_redistributed(&turned, x, product, SEICHE_TRANSPOSE_YES));
  for (int r = 0; r < order; ++r) {
    for (int c = 0; c < order; ++c) b[c][r] = a[r][c];
  }
  expect_dense(turned, b, 0);
  EXPECT_OK(seiche_block_matrix_destroy(&turned));
  EXPECT_OK(seiche_block_matrix_destroy(&copy));
  EXPECT_OK(seiche_block_matrix_destroy(&y));
  EXPECT_OK(seiche_block_matrix_destroy(&x));
  EXPECT_OK(seiche_block_layout_destroy(&product));
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
  EXPECT_FAULT(seiche_block_layout_owner(layout, 3, 1, &owner), SEICHE_BAD_ARGUMENT, "block (3, 1) is outside 3 x ");
  EXPECT_OK(seiche_block_layout_destroy(&layout));
  choice.grid_columns = -1;
  EXPECT_FAULT(seiche_block_layout_create(&layout, MPI_COMM_WORLD, sizes, blocks, sizes, blocks, &choice),
               SEICHE_BAD_ARGUMENT, "x -1): give 0 and 0");
}

static void files(const char* path) {
  double complex a[order][order];
  seiche_block_layout* layout = new_layout();
  seiche_block_matrix *x = new_matrix(layout, SEICHE_DOUBLE, 1), *read = NULL;
  const seiche_value kinds[4] = {SEICHE_FLOAT, SEICHE_DOUBLE, SEICHE_COMPLEX_FLOAT, SEICHE_COMPLEX_DOUBLE};
  fill(SEICHE_DOUBLE, 1, a);
  EXPECT_OK(seiche_block_matrix_write(x, path, SEICHE_MATRIX_MARKET));
  for (int i = 0; i < 4; ++i) {
    EXPECT_OK(seiche_block_matrix_read(&read, MPI_COMM_WORLD, path, kinds[i], sizes, blocks, i == 1 ? layout : NULL));
    expect_dense(read, a, 0);
    EXPECT_OK(seiche_block_matrix_destroy(&read));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (my_rank() == 0) remove(path);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FAULT(seiche_block_matrix_read(&read, MPI_COMM_WORLD, path, SEICHE_DOUBLE, NULL, 0, NULL), SEICHE_BAD_FILE,
               path);
  EXPECT_FAULT(seiche_block_matrix_read(&read, MPI_COMM_WORLD, NULL, SEICHE_DOUBLE, NULL, 0, NULL), SEICHE_MISUSE,
               "the path must not be NULL");
  EXPECT_FAULT(seiche_block_matrix_write(x, path, (seiche_matrix_format)8), SEICHE_BAD_ARGUMENT,
               "format is 8, but must be");
  EXPECT_OK(seiche_block_matrix_destroy(&x));
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

/* K diagonal with two states below the others, S = 4: P S has the lower two occupied. */
static void purification(seiche_purifier purifier) {
  seiche_block_layout* layout = new_layout();
  seiche_block_matrix *k = NULL, *s = NULL, *p = NULL, *root = NULL;
  seiche_multiplier* multiplier = NULL;
  seiche_purify_options options;
  seiche_product_options product;
  seiche_purify_report report = {.size = sizeof report};
  struct told told = {0, -1};
  const double four[2] = {4, 0};
  double complex expected[order][order];
  memset(expected, 0, sizeof expected);
  EXPECT_OK(seiche_block_matrix_create(&k, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_create(&s, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(k, one));
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(s, four));
  seiche_block block;
  EXPECT_OK(seiche_block_matrix_block(k, 0, 0, &block));
  if (block.data != NULL) ((double*)block.data)[0] = ((double*)block.data)[3] = -2;
  EXPECT_OK(seiche_purify_options_init(&options));
  EXPECT_OK(seiche_product_options_init(&product));
  options.purifier = purifier;
  options.product = &product;
  options.on_progress = count_calls;
  options.user = &told;
  EXPECT_OK(seiche_purify(&p, k, s, 4, &options, &report));
  expected[0][0] = expected[1][1] = 0.5;
  expect_dense(p, expected, 1e-9);
  EXPECT(fabs(report.trace - 4) < 1e-9 && fabs(report.energy + 2) < 1e-9 && report.products > 0);
  EXPECT(told.calls > 0 && told.last_stage == 2);
  EXPECT_OK(seiche_block_matrix_destroy(&p));
  EXPECT_FAULT(seiche_purify(&p, k, s, 3, NULL, NULL), SEICHE_BAD_ARGUMENT, "electrons");
  options.electrons_per_state = 1;
  EXPECT_OK(seiche_purify(&p, k, s, 2, &options, &report));
  expected[0][0] = expected[1][1] = 0.25;
  expect_dense(p, expected, 1e-9);
  EXPECT(fabs(report.trace - 2) < 1e-9 && fabs(report.energy + 1) < 1e-9);
  EXPECT_OK(seiche_block_matrix_destroy(&p));
  options.electrons_per_state = 2;
  EXPECT(report.entropy == 0);
  options.temperature = 10; /* levels -0.5, -0.5, 0.25, 0.25, ... */
  EXPECT_OK(seiche_purify(&p, k, s, 3.5, &options, &report));
  EXPECT(fabs(report.trace - 3.5) < 1e-9 && report.entropy > 0 && report.homo == report.chemical_potential);
  EXPECT_OK(seiche_block_matrix_destroy(&p));
  options.temperature = -1;
  EXPECT_FAULT(seiche_purify(&p, k, s, 4, &options, NULL), SEICHE_BAD_ARGUMENT, "invalid temperature (-1)");
  options.temperature = 0;
  options.max_iterations = 1;
  EXPECT(seiche_purify(&p, k, s, 4, &options, NULL) != SEICHE_OK && strstr(seiche_last_error(), "converge") != NULL);
  options.max_iterations = 100;
  product.algorithm = (seiche_algorithm)99;
  EXPECT_FAULT(seiche_purify(&p, k, s, 4, &options, NULL), SEICHE_BAD_ARGUMENT, "algorithm is 99, but must be 0 to 10");
  EXPECT(p == NULL);

  EXPECT_OK(seiche_multiplier_create(&multiplier, NULL));
  EXPECT_OK(seiche_inverse_square_root(&root, s, multiplier, 100));
  for (int i = 0; i < order; ++i) expected[i][i] = 0.5;
  expect_dense(root, expected, 1e-12);
  EXPECT_OK(seiche_block_matrix_destroy(&root));
  EXPECT_OK(seiche_multiplier_destroy(&multiplier));
  EXPECT_OK(seiche_block_matrix_destroy(&s));
  EXPECT_OK(seiche_block_matrix_destroy(&k));
  EXPECT_OK(seiche_block_layout_destroy(&layout));
}

/* K couples the first two functions by -1.5 i: its lowest state is (1, -i, 0, ...). S = 4. */
static void purification_of_complex_matrices(void) {
  seiche_block_layout* layout = new_layout();
  seiche_block_matrix *k = NULL, *s = NULL, *real = NULL, *p = NULL, *root = NULL;
  seiche_multiplier* multiplier = NULL;
  seiche_purify_report report = {.size = sizeof report};
  seiche_block block;
  const double four[2] = {4, 0};
  double complex expected[order][order];
  memset(expected, 0, sizeof expected);
  EXPECT_OK(seiche_block_matrix_create(&k, layout, SEICHE_COMPLEX_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_create(&s, layout, SEICHE_COMPLEX_DOUBLE, SEICHE_HERMITIAN));
  EXPECT_OK(seiche_block_matrix_create(&real, layout, SEICHE_DOUBLE, SEICHE_SYMMETRY_NONE));
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(k, one));
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(s, four));
  EXPECT_OK(seiche_block_matrix_add_to_diagonal(real, four));
  EXPECT_OK(seiche_block_matrix_block(k, 0, 0, &block));
  if (block.data != NULL) {
    double complex* values = block.data;
    values[0] = values[3] = -0.5;
    values[1] = 1.5 * I;
    values[2] = -1.5 * I;
  }
  EXPECT_OK(seiche_purify(&p, k, s, 2, NULL, &report));
  expected[0][0] = expected[1][1] = 0.25;
  expected[0][1] = 0.25 * I;
  expected[1][0] = -0.25 * I;
  expect_dense(p, expected, 1e-9);
  EXPECT(fabs(report.trace - 2) < 1e-9 && fabs(report.energy + 1) < 1e-9);
  EXPECT_OK(seiche_block_matrix_destroy(&p));
  EXPECT_FAULT(seiche_purify(&p, k, real, 2, NULL, NULL), SEICHE_BAD_ARGUMENT, "different types of values");
  EXPECT_FAULT(seiche_purify(&p, real, s, 2, NULL, NULL), SEICHE_BAD_ARGUMENT, "different types of values");

  EXPECT_OK(seiche_multiplier_create(&multiplier, NULL));
  EXPECT_OK(seiche_inverse_square_root(&root, s, multiplier, 100));
  memset(expected, 0, sizeof expected);
  for (int i = 0; i < order; ++i) expected[i][i] = 0.5;
  expect_dense(root, expected, 1e-12);
  EXPECT_OK(seiche_block_matrix_destroy(&root));
  EXPECT_OK(seiche_multiplier_destroy(&multiplier));
  EXPECT_OK(seiche_block_matrix_destroy(&real));
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
  const double imaginary[2] = {0, 1};
  double found;
  EXPECT_FAULT(seiche_block_layout_create(&layout, MPI_COMM_WORLD, NULL, 3, sizes, blocks, NULL), SEICHE_MISUSE,
               "the array of 3 sizes of block rows must not be NULL");
  layout = new_layout();
  EXPECT_FAULT(seiche_block_matrix_create(&none, layout, SEICHE_DOUBLE, (seiche_symmetry)4), SEICHE_BAD_ARGUMENT,
               "symmetry is 4, but must be 0 to 3");
  EXPECT_FAULT(seiche_block_matrix_create(&none, (seiche_block_layout*)x, SEICHE_DOUBLE, SEICHE_SYMMETRIC),
               SEICHE_MISUSE, "block_layout: this handle is a seiche_block_matrix");
  EXPECT_FAULT(seiche_block_matrix_scale(x, imaginary), SEICHE_BAD_ARGUMENT, "factors of a real matrix must be real");
  EXPECT_FAULT(seiche_block_matrix_scale(x, NULL), SEICHE_MISUSE, "a factor must not be NULL");
  EXPECT_FAULT(seiche_block_matrix_trace_of_product(x, y, &found), SEICHE_BAD_ARGUMENT, "different types of values");
  EXPECT_FAULT(seiche_block_matrix_trace(x, NULL), SEICHE_MISUSE, "trace must not be NULL");
  EXPECT_FAULT(seiche_block_matrix_to_dense(x, &found, 1), SEICHE_BAD_ARGUMENT,
               "there are 36 elements, but the array holds 1");
  EXPECT_FAULT(seiche_block_matrix_reserve(x, NULL, NULL, 2), SEICHE_MISUSE,
               "the array of 2 block rows must not be NULL");
  EXPECT_OK(seiche_multiplier_create(&multiplier, NULL));
  EXPECT_OK(seiche_product_init(&product));
  EXPECT_FAULT(seiche_multiplier_multiply(multiplier, &product, x), SEICHE_MISUSE, "block_matrix: the handle is NULL");
  product.a = x;
  product.b = y;
  EXPECT_FAULT(seiche_multiplier_multiply(multiplier, &product, x), SEICHE_BAD_ARGUMENT, "different types of values");
  EXPECT_FAULT(seiche_multiplier_multiply(multiplier, NULL, x), SEICHE_MISUSE, "the product must not be NULL");
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
  char path[64] = "";
  MPI_Init(&argc, &argv);
  snprintf(path, sizeof path, "/tmp/seiche-c-%ld.mtx", (long)getpid());
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) {
    products(all_values[i], 0);
    products(all_values[i], 1);
    numbers(all_values[i]);
  }
  owners();
  files(path);
  purification(SEICHE_TRS4);
  purification(SEICHE_TC2);
  purification_of_complex_matrices();
  misuse();
  EXPECT(seiche_open_handles() == 1); /* the layout that a failing create was given in its place */
  const int code = verdict();
  MPI_Finalize();
  return code;
}
