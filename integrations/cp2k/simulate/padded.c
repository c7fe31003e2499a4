/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends complex numbers of MPI_Alltoallv by MPI_Alltoall, with all messages as long as the longest (--wrap). */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define ALLTOALLV                                                                                        \
  (const char* from, const int* counts, const int* at, const int* type, char* into, const int* received, \
   const int* to, const int* other, const int* comm, int* error)
void __real_mpi_alltoallv_ ALLTOALLV;
void __wrap_mpi_alltoallv_ ALLTOALLV;

/* Counts of a rank in both directions, and the longest message of all ranks. */
struct pattern {
  MPI_Comm comm;
  int ranks, *counts, longest;
  struct pattern* next;
};

static int longest_of(const int* counts, int n) {
  int most = 0;
  for (int i = 0; i < n; ++i) most = counts[i] > most ? counts[i] : most;
  return most;
}

static int is_of(const struct pattern* p, const int* some, const int* others) {
  return memcmp(p->counts, some, p->ranks * sizeof(int)) == 0 &&
         memcmp(p->counts + p->ranks, others, p->ranks * sizeof(int)) == 0;
}

/* Collective for a new pattern. A transform and its inverse have the same pattern, so that it is new for all ranks or
 * for none. */
static int longest_of_all(MPI_Comm comm, int ranks, const int* counts, const int* received) {
  static struct pattern* all = NULL;
  for (struct pattern* p = all; p; p = p->next) {
    if (p->comm == comm && p->ranks == ranks && (is_of(p, counts, received) || is_of(p, received, counts)))
      return p->longest;
  }
  const int sent = longest_of(counts, ranks), most = longest_of(received, ranks);
  struct pattern* p = malloc(sizeof *p);
  *p = (struct pattern){comm, ranks, malloc(2 * ranks * sizeof(int)), sent > most ? sent : most, all};
  memcpy(p->counts, counts, ranks * sizeof(int));
  memcpy(p->counts + ranks, received, ranks * sizeof(int));
  PMPI_Allreduce(MPI_IN_PLACE, &p->longest, 1, MPI_INT, MPI_MAX, comm);
  all = p;
  return p->longest;
}

void __wrap_mpi_alltoallv_ ALLTOALLV {
  const MPI_Datatype of_c = MPI_Type_f2c(*type);
  int size = 0, ranks = 0;
  PMPI_Type_size(of_c, &size);
  if (size != 16) {
    __real_mpi_alltoallv_(from, counts, at, type, into, received, to, other, comm, error);
    return;
  }
  const MPI_Comm group = MPI_Comm_f2c(*comm);
  PMPI_Comm_size(group, &ranks);
  const int longest = longest_of_all(group, ranks, counts, received);
  const size_t bytes = (size_t)longest * size;
  static char *out = NULL, *in = NULL;
  static size_t most = 0;
  if (ranks * bytes > most) {
    most = ranks * bytes;
    free(out), free(in);
    out = calloc(1, most), in = malloc(most);
  }
  for (int rank = 0; rank < ranks; ++rank)
    memcpy(out + rank * bytes, from + (size_t)at[rank] * size, (size_t)counts[rank] * size);
  *error = PMPI_Alltoall(out, longest, of_c, in, longest, of_c, group);
  for (int rank = 0; rank < ranks; ++rank)
    memcpy(into + (size_t)to[rank] * size, in + rank * bytes, (size_t)received[rank] * size);
}
