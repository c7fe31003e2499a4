// SPDX-License-Identifier: BSD-3-Clause
/// \file  Corrects differences of SimGrid's MPI from the standard, and simulates behaviour of MPI libraries that
/// SimGrid omits (--wrap).
#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "account.hpp"
#include "machine.hpp"
#include "time.hpp"
#include "trace/mpi_profile.hpp"

namespace {

using namespace seiche::simulation;

std::vector<int>& keys_of_self() {
  static std::vector<int> keys;
  return keys;
}

int world_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Counts a message of this process to `rank`.
void count(int n, MPI_Datatype type, int rank, MPI_Comm comm) {
  int me = 0, size = 0;
  PMPI_Comm_rank(comm, &me);
  PMPI_Type_size(type, &size);
  if (rank == me || rank < 0 || n == 0) return;
  ++account().messages;
  account().bytes += std::int64_t{n} * size;
}

void count_all(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  for (int rank = 0; rank < size; ++rank) count(counts[rank], type, rank, comm);
}

}  // namespace

extern "C" {
void* __real_dlsym(void* handle, const char* name);
void* __wrap_dlsym(void* handle, const char* name);
int __real_MPI_Init_thread(int* count, char*** words, int wanted, int* given);
int __wrap_MPI_Init_thread(int* count, char*** words, int wanted, int* given);
int __real_PMPI_Isend(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                      MPI_Request* request);
int __wrap_PMPI_Isend(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                      MPI_Request* request);
int __real_PMPI_Alltoallv(const void* from, const int* n, const int* at, MPI_Datatype type, void* into, const int* m,
                          const int* to, MPI_Datatype other, MPI_Comm comm);
int __wrap_PMPI_Alltoallv(const void* from, const int* n, const int* at, MPI_Datatype type, void* into, const int* m,
                          const int* to, MPI_Datatype other, MPI_Comm comm);
int __real_MPI_Comm_set_attr(MPI_Comm comm, int key, void* value);
int __wrap_MPI_Comm_set_attr(MPI_Comm comm, int key, void* value);
int __real_MPI_Finalize();
int __wrap_MPI_Finalize();
int __wrap_PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int __wrap_PMPI_Iallreduce(const void* from, void* into, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                           MPI_Request* request);
int __real_PMPI_Send(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm);
int __wrap_PMPI_Send(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm);
int __real_PMPI_Recv(void* into, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status* status);
int __wrap_PMPI_Recv(void* into, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status* status);

/// src/trace/mpi_profile.cpp looks for a preloaded profiler, and would find SimGrid's MPI instead of these wrappers.
void* __wrap_dlsym(void* handle, const char* name) {
  const bool of_mpi = handle == RTLD_NEXT && std::strncmp(name, "MPI_", 4) == 0;
  return of_mpi ? nullptr : __real_dlsym(handle, name);
}

int __wrap_MPI_Init_thread(int* count, char*** words, int wanted, int* given) {
  const int code = __real_MPI_Init_thread(count, words, wanted, given);
  seiche::mpi_profile::watch_messages();
  return code;
}
int __wrap_PMPI_Isend(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                      MPI_Request* request) {
  count(n, type, rank, comm);
  return __real_PMPI_Isend(from, n, type, rank, tag, comm, request);
}
int __wrap_PMPI_Alltoallv(const void* from, const int* n, const int* at, MPI_Datatype type, void* into, const int* m,
                          const int* to, MPI_Datatype other, MPI_Comm comm) {
  count_all(n, type, comm);
  return __real_PMPI_Alltoallv(from, n, at, type, into, m, to, other, comm);
}

int __wrap_MPI_Comm_set_attr(MPI_Comm comm, int key, void* value) {
  if (comm == MPI_COMM_SELF) keys_of_self().push_back(key);
  return __real_MPI_Comm_set_attr(comm, key, value);
}

/// MPI_Finalize must delete the attributes of MPI_COMM_SELF first, in reverse order. SimGrid deletes them after the end
/// of MPI.
int __wrap_MPI_Finalize() {
  print_account();
  for (auto& keys = keys_of_self(); !keys.empty(); keys.pop_back()) PMPI_Comm_delete_attr(MPI_COMM_SELF, keys.back());
  return __real_MPI_Finalize();
}

/// Waits that sleep and poll. SimGrid's own need a message from each process to each; blocking calls replace them.
int __wrap_PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Barrier(comm);
}
int __wrap_PMPI_Iallreduce(const void* from, void* into, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                           MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return PMPI_Allreduce(from, into, n, type, op, comm);
}

/// In MPI libraries, but not in SimGrid, unexpected messages wait in a queue, which receives search.
int __wrap_PMPI_Send(const void* from, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm) {
  count(n, type, rank, comm);
  if (comm == MPI_COMM_WORLD) arrives(rank, world_rank());
  return __real_PMPI_Send(from, n, type, rank, tag, comm);
}
int __wrap_PMPI_Recv(void* into, int n, MPI_Datatype type, int rank, int tag, MPI_Comm comm, MPI_Status* status) {
  const bool known = comm == MPI_COMM_WORLD && rank >= 0;
  const auto looked_at = known ? match(world_rank(), rank) : 0;
  if (looked_at > 0) compute(static_cast<double>(looked_at) * machine().queue);
  const int code = __real_PMPI_Recv(into, n, type, rank, tag, comm, status);
  if (known && looked_at == 0) match(world_rank(), rank);
  return code;
}
}
