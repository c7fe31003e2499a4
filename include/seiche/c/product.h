/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Filtered products of block-sparse matrices, with communication hidden behind work, and density matrices from
 * them. docs/blocksparse.md */
#ifndef SEICHE_C_PRODUCT_H
#define SEICHE_C_PRODUCT_H

#include "seiche/c/blocksparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Alike on all ranks but for `memory`. */
typedef struct seiche_product_options {
  size_t size; /**< set by seiche_product_options_init() */
  seiche_algorithm algorithm;
  seiche_progress progress;
  int window;       /**< panels in memory; 0: by rule, 1: exchange and work take turns */
  int threads;      /**< OpenMP threads of this rank; 1 */
  int panels;       /**< into which a rank cuts its work; 0: by size */
  int layers;       /**< of the inner index; 1: the 2D product; 0: what costs least */
  int whole_panels; /**< 1: send blocks whether needed or not; 0 */
  int reserved;
  int64_t memory; /**< bytes a product may take on a rank besides its operands; 0: no limit */
  double eps;     /**< A_ik B_kj is skipped where |A_ik| |B_kj| < eps / (blocks in row i), C_ij dropped below eps; 0 */
  double communication_share; /**< work of the thread that drives communication, of the others'; -1: measured */
} seiche_product_options;

SEICHE_API seiche_status seiche_product_options_fill(seiche_product_options* options, size_t size);
static inline seiche_status seiche_product_options_init(seiche_product_options* options) {
  return seiche_product_options_fill(options, sizeof *options);
}

/** What a product did and cost on this rank. Set `size` to sizeof(seiche_product_report). */
typedef struct seiche_product_report {
  size_t size;
  double error, filter_error; /**< bounds on the Frobenius norm of the error of C, and its part from the filter */
  int64_t products, skipped;  /**< small products done, and skipped by the filter */
  int64_t operations;         /**< of floating point */
  int64_t bytes_received, bytes_sent, memory;
  int panels, layers, window;
  int reserved;
  double seconds_work, seconds_wait, seconds_total;
  char algorithm[16]; /**< that moved blocks of A and B */
  char kernels[16];   /**< "libxsmm" or "blas" */
} seiche_product_report;

/** C = alpha op(A) op(B) + beta C; factors are a real and an imaginary part. */
typedef struct seiche_product {
  size_t size; /**< set by seiche_product_init() */
  const seiche_block_matrix *a, *b;
  double alpha[2], beta[2]; /**< 1 and 0 */
  seiche_transpose op_a, op_b;
} seiche_product;

SEICHE_API seiche_status seiche_product_fill(seiche_product* product, size_t size);
static inline seiche_status seiche_product_init(seiche_product* product) {
  return seiche_product_fill(product, sizeof *product);
}

/** Does products, and keeps memory and what it measured from one to the next. */
typedef struct seiche_multiplier seiche_multiplier;
SEICHE_API seiche_status seiche_multiplier_create(seiche_multiplier** multiplier,
                                                  const seiche_product_options* options);
/** Collective over the ranks of its products. */
SEICHE_API seiche_status seiche_multiplier_destroy(seiche_multiplier** multiplier);
/** Collective. Error where kinds of value or shapes do not fit, or the memory would be exceeded. */
SEICHE_API seiche_status seiche_multiplier_multiply(seiche_multiplier* multiplier, const seiche_product* product,
                                                    seiche_block_matrix* c);
/** Of the last product. */
SEICHE_API seiche_status seiche_multiplier_report(const seiche_multiplier* multiplier, seiche_product_report* report);

/** How the occupied states are found; all give the same density matrix. */
typedef enum seiche_purifier SEICHE_INT {
  SEICHE_TRS4 = 0,
  SEICHE_TC2 = 1,
  SEICHE_MCWEENY = 2,
  SEICHE_SIGN = 3
} seiche_purifier;

/** Called on every rank after each iteration. Stage 0: S^(-1/2); 1: the chemical potential; 2: the purification. */
typedef void (*seiche_purify_function)(int stage, int iteration, double residual, void* user);

/** How to purify. */
typedef struct seiche_purify_options {
  size_t size; /**< set by seiche_purify_options_init() */
  seiche_purifier purifier;
  int max_iterations;                    /**< 100; as many again for S^(-1/2) */
  const seiche_product_options* product; /**< of all products; NULL: as initialised, with eps 1e-10 */
  seiche_purify_function on_progress;    /**< NULL */
  void* user;                            /**< for on_progress */
  int electrons_per_state;               /**< 2, closed shell; 1: K and the electrons are those of one spin */
} seiche_purify_options;

SEICHE_API seiche_status seiche_purify_options_fill(seiche_purify_options* options, size_t size);
static inline seiche_status seiche_purify_options_init(seiche_purify_options* options) {
  return seiche_purify_options_fill(options, sizeof *options);
}

/** What is known of a density matrix P. Set `size` to sizeof(seiche_purify_report). */
typedef struct seiche_purify_report {
  size_t size;
  double trace, energy;     /**< Tr(P S), electrons; Tr(P K) */
  double idempotency, norm; /**< |P S P - n P|_F, n = electrons_per_state; |P|_F */
  double error_bound;       /**< on |P - exact P|_F */
  double homo, lumo, chemical_potential;
  int iterations, root_iterations, products;
  int reserved;
  int64_t memory; /**< the most that a product was predicted to take on this rank */
} seiche_purify_report;

/** Collective. The density matrix of `electrons` electrons; K and S are of doubles, on the same layout.
 * `report` may be NULL. Error when K or S is not symmetric, S not positive definite, or it does not converge. */
SEICHE_API seiche_status seiche_purify(seiche_block_matrix** p, const seiche_block_matrix* k,
                                       const seiche_block_matrix* s, double electrons,
                                       const seiche_purify_options* options, seiche_purify_report* report);
/** Collective. S^(-1/2) of a positive definite matrix of doubles. */
SEICHE_API seiche_status seiche_inverse_square_root(seiche_block_matrix** root, const seiche_block_matrix* s,
                                                    seiche_multiplier* multiplier, int max_iterations);

#ifdef __cplusplus
}
#endif

#endif
