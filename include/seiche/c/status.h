/* SPDX-License-Identifier: BSD-3-Clause */
/** \file  What all functions of the C face have in common: statuses and sentences, handles, kinds of values.
 *
 * Every function that can fail returns a seiche_status; seiche_last_error() then says what is wrong, and what to do.
 * A collective function has to be called by all ranks of the handle's communicator, with the same options, and fails on
 * all of them or on none; where a handle itself is wrong (NULL, destroyed, of another kind), only on the ranks that
 * gave it. A local one talks to nobody. Functions that say neither are local.
 *
 * A handle is what ..._create() gives and ..._destroy() takes back, and sets to NULL; it is no address. Destroy all
 * before MPI_Finalize. Each array comes with its length in elements; NULL counts as an array without elements.
 *
 * Threads: MPI_THREAD_SINGLE suffices, MPI_THREAD_FUNNELED with more than one OpenMP thread, and
 * MPI_THREAD_SERIALIZED with SEICHE_PROGRESS_THREAD. One thread at a time may use a communicator and the handles that
 * lie on it. Threads that work at the same time need MPI_THREAD_MULTIPLE and communicators of their own. */
#ifndef SEICHE_C_STATUS_H
#define SEICHE_C_STATUS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SEICHE_API __attribute__((visibility("default")))
#else
#define SEICHE_API
#endif

/* In C++, too, an enumeration holds any int: a number that means nothing is told to its caller, and not undefined. */
#ifdef __cplusplus
#define SEICHE_INT : int
#else
#define SEICHE_INT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a call; seiche_last_error() says more. */
typedef enum seiche_status SEICHE_INT {
  SEICHE_OK = 0,
  SEICHE_BAD_ARGUMENT = 1, /**< the request cannot be met as it stands */
  SEICHE_BAD_FILE = 2,     /**< a file is missing, damaged, or not what it should be */
  SEICHE_UNWRITABLE = 3,   /**< an output could not be written */
  SEICHE_MPI_FAILED = 4,   /**< an MPI call returned an error */
  SEICHE_UNSUPPORTED = 5,  /**< a sound request that this build or machine cannot serve */
  SEICHE_INTERNAL = 6,     /**< a defect of the library */
  SEICHE_MISUSE = 7        /**< NULL, a handle that is none, MPI not started, a struct that was not initialised */
} seiche_status;

/** What went wrong in the calling thread's last call that failed: one sentence. "" before any has. Good until the
 * thread's next call that fails. */
SEICHE_API const char* seiche_last_error(void);

/** Keeps `sentence` for seiche_last_error() of this thread, and returns `status`. For interfaces of other languages
 * that check their own arguments. */
SEICHE_API seiche_status seiche_refuse(seiche_status status, const char* sentence);

/** Collective. Replaces a ..._create() call that this rank cannot make: all ranks get `status` and `sentence`. For
 * interfaces of other languages, as ..._refuse() of handles, which replace other collective calls. */
SEICHE_API seiche_status seiche_refuse_create(MPI_Comm comm, seiche_status status, const char* sentence);

/** "0.1.0" */
SEICHE_API const char* seiche_version(void);

/** Handles of this process that were created and not destroyed: for a program's tests. */
SEICHE_API int64_t seiche_open_handles(void);

/** What the numbers of a grid or a matrix are: C's float, double, and their complex (real part first). */
typedef enum seiche_value SEICHE_INT {
  SEICHE_FLOAT = 0,
  SEICHE_DOUBLE = 1,
  SEICHE_COMPLEX_FLOAT = 2,
  SEICHE_COMPLEX_DOUBLE = 3
} seiche_value;

/** Who moves bytes between ranks (docs/exchange.md). */
typedef enum seiche_algorithm SEICHE_INT {
  SEICHE_ALGORITHM_AUTOMATIC = 0,
  SEICHE_ALGORITHM_ALLTOALLV = 1,
  SEICHE_ALGORITHM_ALLTOALL = 2,
  SEICHE_ALGORITHM_IALLTOALLV = 3,
  SEICHE_ALGORITHM_IALLTOALL = 4,
  SEICHE_ALGORITHM_PERSISTENT = 5,
  SEICHE_ALGORITHM_PAIRWISE = 6,
  SEICHE_ALGORITHM_PUT = 7,
  SEICHE_ALGORITHM_TWO_LEVEL = 8,
  SEICHE_ALGORITHM_SHARED = 9,
  SEICHE_ALGORITHM_LOCAL = 10
} seiche_algorithm;

/** Who drives what is under way while a rank computes (docs/pipeline.md). */
typedef enum seiche_progress SEICHE_INT {
  SEICHE_PROGRESS_AUTOMATIC = 0,
  SEICHE_PROGRESS_POLL = 1,
  SEICHE_PROGRESS_THREAD = 2,
  SEICHE_PROGRESS_NONE = 3
} seiche_progress;

/** A box of grid points, low[a] <= index < high[a] along each axis (0 = x); indices begin at 0. */
typedef struct seiche_box {
  int64_t low[3], high[3];
} seiche_box;

/** Integer coordinates of a plane wave G = x b1 + y b2 + z b3. */
typedef struct seiche_miller {
  int32_t x, y, z;
} seiche_miller;

/** Points in a box. */
static inline int64_t seiche_box_volume(const seiche_box* box) {
  int64_t volume = 1;
  int a;
  for (a = 0; a < 3; ++a) volume *= box->high[a] > box->low[a] ? box->high[a] - box->low[a] : 0;
  return volume;
}

#ifdef __cplusplus
}
#endif

#endif
