/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  Finding the fastest settings of plans (docs/tuning.md), and what happened when (docs/pipeline.md). */
#ifndef SEICHE_C_TUNING_H
#define SEICHE_C_TUNING_H

#include "seiche/c/fft.h"
#include "seiche/c/product.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How long to try, and for what ranks. */
typedef struct seiche_tune_request {
  size_t size;     /**< set by seiche_tune_request_init() */
  double budget;   /**< seconds for all trials; 10 */
  double skew;     /**< seconds by which the program's ranks arrive apart; below 0: what plans have seen; -1 */
  int64_t bands;   /**< in one call; for spheres; 8 */
  int band_groups; /**< as in seiche_fft_options; 0 tries several; 0 */
  int threads;     /**< OpenMP threads of each rank; 1 */
} seiche_tune_request;

SEICHE_API seiche_status seiche_tune_request_fill(seiche_tune_request* request, size_t size);
static inline seiche_status seiche_tune_request_init(seiche_tune_request* request) {
  return seiche_tune_request_fill(request, sizeof *request);
}

/** What won. Set `size` to sizeof(seiche_tune_report). */
typedef struct seiche_tune_report {
  size_t size;
  double skew;    /**< seconds by which trials delayed ranks, at most */
  double seconds; /**< median of the fastest */
  int64_t trials; /**< settings that were tried */
  seiche_algorithm algorithm;
  seiche_progress progress;
  seiche_decomposition decomposition;
  int window, band_groups;
  int panels, layers; /**< of a product */
  int64_t memory;     /**< of a move: bytes; 0: as by default */
} seiche_tune_report;

/** Collective. Runs forward and backward pairs in all ways that these ranks can use, and writes what won to the tuning
 * file, from which later plans take it. For doubles only. `request` NULL: as initialised. */
SEICHE_API seiche_status seiche_tune_dense(MPI_Comm comm, seiche_value value, const int64_t shape[3],
                                           const seiche_tune_request* request, seiche_tune_report* report);
/** Collective. The same for round trips of bands of the waves of this rank. */
SEICHE_API seiche_status seiche_tune_sphere(MPI_Comm comm, seiche_value value, const int64_t shape[3],
                                            const seiche_miller* waves, int64_t wave_count,
                                            const seiche_tune_request* request, seiche_tune_report* report);
/** Collective. The same for a product, into a matrix of layout `c`: later multipliers begin with what won. `options`
 * NULL: as initialised; what they say of algorithm, window, panels, layers and shares is not looked at. */
SEICHE_API seiche_status seiche_tune_product(const seiche_product* product, const seiche_block_layout* c,
                                             const seiche_product_options* options, const seiche_tune_request* request,
                                             seiche_tune_report* report);

/** What happened when on this process while a recording was on; seconds of its steady clock. */
typedef struct seiche_timeline seiche_timeline;
/** Computing, polls among it included: a stage of a plan's pipeline on an item, e.g. a band. */
typedef struct seiche_timeline_work {
  int32_t stage;
  int64_t item;
  double begin, end;
} seiche_timeline_work;
/** An exchange of values: sent off; waited for from here on; all there. */
typedef struct seiche_timeline_transfer {
  double started, needed, arrived;
} seiche_timeline_transfer;

SEICHE_API seiche_status seiche_timeline_start(void);
/** Ends the recording; empty when none was on. */
SEICHE_API seiche_status seiche_timeline_create(seiche_timeline** timeline);
SEICHE_API seiche_status seiche_timeline_destroy(seiche_timeline** timeline);
/** The entries, until the timeline is destroyed. */
SEICHE_API seiche_status seiche_timeline_get_work(const seiche_timeline* timeline, const seiche_timeline_work** work,
                                                  int64_t* count);
SEICHE_API seiche_status seiche_timeline_get_transfers(const seiche_timeline* timeline,
                                                       const seiche_timeline_transfer** transfers, int64_t* count);

#ifdef __cplusplus
}
#endif

#endif
