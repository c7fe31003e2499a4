// SPDX-License-Identifier: BSD-3-Clause
/// \file  Waits of simulated processes (--wrap). A process that tests the same requests again and again, without work
/// in between, waits for them: it blocks until one is complete. Otherwise each test is an event of the simulation.
#include <mpi.h>

#include <cstdint>

#include "time.hpp"

namespace {

/// The last tests that found nothing.
class VainTests {
 public:
  /// Notes a test of requests. Returns whether it is part of a wait.
  bool wait(const MPI_Request* requests) {
    constexpr int tests_before_wait = 3;
    const bool again = requests == requests_ && seiche::simulation::work_done() == work_done_;
    requests_ = requests;
    work_done_ = seiche::simulation::work_done();
    tests_ = again ? tests_ + 1 : 0;
    return tests_ >= tests_before_wait;
  }
  void end() { requests_ = nullptr; }

 private:
  const MPI_Request* requests_ = nullptr;
  std::int64_t work_done_ = 0;
  int tests_ = 0;
};

VainTests& vain_tests() {
  static VainTests only;
  return only;
}

}  // namespace

extern "C" {
int __real_PMPI_Test(MPI_Request* request, int* done, MPI_Status* status);
int __wrap_PMPI_Test(MPI_Request* request, int* done, MPI_Status* status);
int __real_PMPI_Testsome(int n, MPI_Request requests[], int* found, int which[], MPI_Status statuses[]);
int __wrap_PMPI_Testsome(int n, MPI_Request requests[], int* found, int which[], MPI_Status statuses[]);
int __real_PMPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status statuses[]);
int __wrap_PMPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status statuses[]);

/// SimGrid does not complete a null request if no status is requested.
int __wrap_PMPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  *done = 1;
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const bool waits = vain_tests().wait(request);
  const int code = waits ? PMPI_Wait(request, status) : __real_PMPI_Test(request, done, status);
  if (*done) vain_tests().end();
  return code;
}

int __wrap_PMPI_Testsome(int n, MPI_Request requests[], int* found, int which[], MPI_Status statuses[]) {
  if (!vain_tests().wait(requests)) {
    const int code = __real_PMPI_Testsome(n, requests, found, which, statuses);
    if (*found != 0) vain_tests().end();
    return code;
  }
  vain_tests().end();
  const int code = PMPI_Waitany(n, requests, which, statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses);
  *found = which[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  return code;
}

int __wrap_PMPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status statuses[]) {
  *done = 1;
  const bool waits = vain_tests().wait(requests);
  const int code = waits ? PMPI_Waitall(n, requests, statuses) : __real_PMPI_Testall(n, requests, done, statuses);
  if (*done) vain_tests().end();
  return code;
}
}
