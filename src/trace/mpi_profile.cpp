// SPDX-License-Identifier: BSD-3-Clause
#include "trace/mpi_profile.hpp"

#include <mpi.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace seiche::trace {

namespace {

/// The calls of one function. Made at its first call, and never again, so counting costs one atomic addition.
struct Counter {
  explicit Counter(const char* function);
  const char* name;
  std::atomic<std::int64_t> calls{0};
};

struct Table {
  std::mutex guard;
  std::vector<Counter*> counters;
};

Table& table() {
  static Table only;
  return only;
}

Counter::Counter(const char* function) : name(function) {
  const std::lock_guard<std::mutex> locked(table().guard);
  table().counters.push_back(this);
}

}  // namespace

void start_counting() {
  const std::lock_guard<std::mutex> locked(table().guard);
  for (Counter* counter : table().counters) counter->calls = 0;
}

std::map<std::string, std::int64_t> counts() {
  const std::lock_guard<std::mutex> locked(table().guard);
  std::map<std::string, std::int64_t> all;
  for (const Counter* counter : table().counters) {
    if (counter->calls > 0) all[counter->name] = counter->calls;
  }
  return all;
}

}  // namespace seiche::trace

// One line per MPI function: its parameters, and the same as arguments.
#define COUNT(function, parameters, arguments)               \
  int MPI_##function parameters {                            \
    static seiche::trace::Counter counter("MPI_" #function); \
    counter.calls.fetch_add(1, std::memory_order_relaxed);   \
    return PMPI_##function arguments;                        \
  }
// clang-format off
#define TYPE MPI_Datatype
#define COMM MPI_Comm
#define TO const void*
#define FROM void*
#define COUNTS const int*
#define REQUEST MPI_Request*
#define STATUS MPI_Status*

extern "C" {
// Point to point
COUNT(Send, (TO b, int n, TYPE t, int r, int tag, COMM c), (b, n, t, r, tag, c))
COUNT(Ssend, (TO b, int n, TYPE t, int r, int tag, COMM c), (b, n, t, r, tag, c))
COUNT(Recv, (FROM b, int n, TYPE t, int r, int tag, COMM c, STATUS s), (b, n, t, r, tag, c, s))
COUNT(Sendrecv, (TO b, int n, TYPE t, int r, int tag, FROM d, int m, TYPE u, int q, int g, COMM c, STATUS s), (b, n, t, r, tag, d, m, u, q, g, c, s))
COUNT(Isend, (TO b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
COUNT(Issend, (TO b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
COUNT(Irecv, (FROM b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
COUNT(Send_init, (TO b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
COUNT(Recv_init, (FROM b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
COUNT(Start, (REQUEST q), (q))
COUNT(Startall, (int n, MPI_Request q[]), (n, q))
COUNT(Probe, (int r, int tag, COMM c, STATUS s), (r, tag, c, s))
COUNT(Iprobe, (int r, int tag, COMM c, int* f, STATUS s), (r, tag, c, f, s))
// Completion
COUNT(Wait, (REQUEST q, STATUS s), (q, s))
COUNT(Waitall, (int n, MPI_Request q[], MPI_Status s[]), (n, q, s))
COUNT(Waitany, (int n, MPI_Request q[], int* i, STATUS s), (n, q, i, s))
COUNT(Waitsome, (int n, MPI_Request q[], int* m, int i[], MPI_Status s[]), (n, q, m, i, s))
COUNT(Test, (REQUEST q, int* f, STATUS s), (q, f, s))
COUNT(Testall, (int n, MPI_Request q[], int* f, MPI_Status s[]), (n, q, f, s))
COUNT(Testany, (int n, MPI_Request q[], int* i, int* f, STATUS s), (n, q, i, f, s))
COUNT(Testsome, (int n, MPI_Request q[], int* m, int i[], MPI_Status s[]), (n, q, m, i, s))
// Collectives
COUNT(Barrier, (COMM c), (c))
COUNT(Ibarrier, (COMM c, REQUEST q), (c, q))
COUNT(Bcast, (FROM b, int n, TYPE t, int r, COMM c), (b, n, t, r, c))
COUNT(Ibcast, (FROM b, int n, TYPE t, int r, COMM c, REQUEST q), (b, n, t, r, c, q))
COUNT(Reduce, (TO b, FROM d, int n, TYPE t, MPI_Op o, int r, COMM c), (b, d, n, t, o, r, c))
COUNT(Allreduce, (TO b, FROM d, int n, TYPE t, MPI_Op o, COMM c), (b, d, n, t, o, c))
COUNT(Iallreduce, (TO b, FROM d, int n, TYPE t, MPI_Op o, COMM c, REQUEST q), (b, d, n, t, o, c, q))
COUNT(Reduce_scatter, (TO b, FROM d, COUNTS n, TYPE t, MPI_Op o, COMM c), (b, d, n, t, o, c))
COUNT(Exscan, (TO b, FROM d, int n, TYPE t, MPI_Op o, COMM c), (b, d, n, t, o, c))
COUNT(Gather, (TO b, int n, TYPE t, FROM d, int m, TYPE u, int r, COMM c), (b, n, t, d, m, u, r, c))
COUNT(Gatherv, (TO b, int n, TYPE t, FROM d, COUNTS m, COUNTS o, TYPE u, int r, COMM c), (b, n, t, d, m, o, u, r, c))
COUNT(Scatter, (TO b, int n, TYPE t, FROM d, int m, TYPE u, int r, COMM c), (b, n, t, d, m, u, r, c))
COUNT(Scatterv, (TO b, COUNTS n, COUNTS o, TYPE t, FROM d, int m, TYPE u, int r, COMM c), (b, n, o, t, d, m, u, r, c))
COUNT(Allgather, (TO b, int n, TYPE t, FROM d, int m, TYPE u, COMM c), (b, n, t, d, m, u, c))
COUNT(Allgatherv, (TO b, int n, TYPE t, FROM d, COUNTS m, COUNTS o, TYPE u, COMM c), (b, n, t, d, m, o, u, c))
COUNT(Alltoall, (TO b, int n, TYPE t, FROM d, int m, TYPE u, COMM c), (b, n, t, d, m, u, c))
COUNT(Alltoallv, (TO b, COUNTS n, COUNTS o, TYPE t, FROM d, COUNTS m, COUNTS p, TYPE u, COMM c), (b, n, o, t, d, m, p, u, c))
COUNT(Alltoallw, (TO b, COUNTS n, COUNTS o, const TYPE* t, FROM d, COUNTS m, COUNTS p, const TYPE* u, COMM c), (b, n, o, t, d, m, p, u, c))
COUNT(Ialltoall, (TO b, int n, TYPE t, FROM d, int m, TYPE u, COMM c, REQUEST q), (b, n, t, d, m, u, c, q))
COUNT(Ialltoallv, (TO b, COUNTS n, COUNTS o, TYPE t, FROM d, COUNTS m, COUNTS p, TYPE u, COMM c, REQUEST q), (b, n, o, t, d, m, p, u, c, q))
COUNT(Ialltoallw, (TO b, COUNTS n, COUNTS o, const TYPE* t, FROM d, COUNTS m, COUNTS p, const TYPE* u, COMM c, REQUEST q), (b, n, o, t, d, m, p, u, c, q))
// Communicators
COUNT(Comm_dup, (COMM c, COMM* d), (c, d))
COUNT(Comm_idup, (COMM c, COMM* d, REQUEST q), (c, d, q))
COUNT(Comm_create, (COMM c, MPI_Group g, COMM* d), (c, g, d))
COUNT(Comm_create_group, (COMM c, MPI_Group g, int tag, COMM* d), (c, g, tag, d))
COUNT(Comm_split, (COMM c, int color, int key, COMM* d), (c, color, key, d))
COUNT(Comm_split_type, (COMM c, int type, int key, MPI_Info i, COMM* d), (c, type, key, i, d))
COUNT(Comm_free, (COMM* c), (c))
// One-sided
COUNT(Win_create, (FROM b, MPI_Aint n, int u, MPI_Info i, COMM c, MPI_Win* w), (b, n, u, i, c, w))
COUNT(Win_allocate, (MPI_Aint n, int u, MPI_Info i, COMM c, FROM b, MPI_Win* w), (n, u, i, c, b, w))
COUNT(Win_allocate_shared, (MPI_Aint n, int u, MPI_Info i, COMM c, FROM b, MPI_Win* w), (n, u, i, c, b, w))
COUNT(Win_free, (MPI_Win* w), (w))
COUNT(Win_fence, (int a, MPI_Win w), (a, w))
COUNT(Win_lock, (int l, int r, int a, MPI_Win w), (l, r, a, w))
COUNT(Win_unlock, (int r, MPI_Win w), (r, w))
COUNT(Win_lock_all, (int a, MPI_Win w), (a, w))
COUNT(Win_unlock_all, (MPI_Win w), (w))
COUNT(Win_flush, (int r, MPI_Win w), (r, w))
COUNT(Win_flush_all, (MPI_Win w), (w))
COUNT(Win_sync, (MPI_Win w), (w))
COUNT(Put, (TO b, int n, TYPE t, int r, MPI_Aint o, int m, TYPE u, MPI_Win w), (b, n, t, r, o, m, u, w))
COUNT(Get, (FROM b, int n, TYPE t, int r, MPI_Aint o, int m, TYPE u, MPI_Win w), (b, n, t, r, o, m, u, w))
}
