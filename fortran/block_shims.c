/* SPDX-License-Identifier: BSD-3-Clause */
#include "shims.h"

/* Owners are of grid rows and columns from 0, as ranks are. */
int seiche_fortran_block_layout_create(seiche_block_layout** layout, MPI_Fint comm, const int32_t* row_sizes,
                                       int64_t row_count, const int32_t* column_sizes, int64_t column_count,
                                       const int* grid, const int* row_owner, const int* column_owner, int given) {
  seiche_block_owners owners;
  seiche_block_owners_init(&owners);
  if (given) {
    owners.grid_rows = grid[0];
    owners.grid_columns = grid[1];
    owners.row_owner = row_owner;
    owners.column_owner = column_owner;
    owners.row_count = row_count;
    owners.column_count = column_count;
  }
  return seiche_block_layout_create(layout, seiche_comm_of(comm), row_sizes, row_count, column_sizes, column_count,
                                    &owners);
}

int seiche_fortran_block_matrix_read(seiche_block_matrix** matrix, MPI_Fint comm, const char* path, int value,
                                     const int32_t* block_sizes, int64_t block_count,
                                     const seiche_block_layout* layout) {
  return seiche_block_matrix_read(matrix, seiche_comm_of(comm), path, (seiche_value)value, block_sizes, block_count,
                                  layout);
}

/* Where the values of all blocks of this rank lie. */
int seiche_fortran_block_matrix_values(const seiche_block_matrix* matrix, const void** values, int64_t* count) {
  seiche_local_blocks blocks;
  const seiche_status status = seiche_block_matrix_local(matrix, &blocks);
  if (status != SEICHE_OK) return status;
  *values = blocks.values;
  *count = blocks.value_count;
  return SEICHE_OK;
}

/* Options as Fortran's numbers have them, in the order of type(product_options). */
enum { algorithm, progress, window, threads, panels, layers, whole_panels };
enum { eps, communication_share };

static seiche_product_options options_of(const int* numbers, int64_t memory, const double* reals) {
  seiche_product_options options;
  seiche_product_options_init(&options);
  options.algorithm = (seiche_algorithm)numbers[algorithm];
  options.progress = (seiche_progress)numbers[progress];
  options.window = numbers[window];
  options.threads = numbers[threads];
  options.panels = numbers[panels];
  options.layers = numbers[layers];
  options.whole_panels = numbers[whole_panels];
  options.memory = memory;
  options.eps = reals[eps];
  options.communication_share = reals[communication_share];
  return options;
}

int seiche_fortran_multiplier_create(seiche_multiplier** multiplier, const int* numbers, int64_t memory,
                                     const double* reals) {
  const seiche_product_options options = options_of(numbers, memory, reals);
  return seiche_multiplier_create(multiplier, &options);
}

int seiche_fortran_multiply(seiche_multiplier* multiplier, const seiche_block_matrix* a, const seiche_block_matrix* b,
                            seiche_block_matrix* c, const double* factors, const int* ops) {
  seiche_product product;
  seiche_product_init(&product);
  product.a = a;
  product.b = b;
  product.alpha[0] = factors[0];
  product.alpha[1] = factors[1];
  product.beta[0] = factors[2];
  product.beta[1] = factors[3];
  product.op_a = (seiche_transpose)ops[0];
  product.op_b = (seiche_transpose)ops[1];
  return seiche_multiplier_multiply(multiplier, &product, c);
}

int seiche_fortran_tune_product(const seiche_block_matrix* a, const seiche_block_matrix* b,
                                const seiche_block_layout* c, const int* ops, const int* numbers, int64_t memory,
                                const double* reals, const seiche_tune_request* request, seiche_tune_report* report) {
  const seiche_product_options options = options_of(numbers, memory, reals);
  seiche_product product;
  seiche_product_init(&product);
  product.a = a;
  product.b = b;
  product.op_a = (seiche_transpose)ops[0];
  product.op_b = (seiche_transpose)ops[1];
  return seiche_tune_product(&product, c, &options, request, report);
}

/* reals: trace, energy, idempotency, norm, error_bound, homo, lumo, chemical_potential; counts: iterations,
 * root_iterations, products. */
int seiche_fortran_purify(seiche_block_matrix** p, const seiche_block_matrix* k, const seiche_block_matrix* s,
                          double electrons, int purifier, int max_iterations, int electrons_per_state,
                          const int* numbers, int64_t memory, const double* product_reals,
                          seiche_purify_function on_progress, void* user, double* reals, int* counts) {
  const seiche_product_options product = options_of(numbers, memory, product_reals);
  seiche_purify_options options;
  seiche_purify_report report = {.size = sizeof report};
  seiche_purify_options_init(&options);
  options.purifier = (seiche_purifier)purifier;
  options.max_iterations = max_iterations;
  options.electrons_per_state = electrons_per_state;
  options.product = &product;
  options.on_progress = on_progress;
  options.user = user;
  const seiche_status status = seiche_purify(p, k, s, electrons, &options, &report);
  if (status != SEICHE_OK) return status;
  reals[0] = report.trace;
  reals[1] = report.energy;
  reals[2] = report.idempotency;
  reals[3] = report.norm;
  reals[4] = report.error_bound;
  reals[5] = report.homo;
  reals[6] = report.lumo;
  reals[7] = report.chemical_potential;
  counts[0] = report.iterations;
  counts[1] = report.root_iterations;
  counts[2] = report.products;
  return SEICHE_OK;
}
