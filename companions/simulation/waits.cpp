// SPDX-License-Identifier: BSD-3-Clause
/// \file  Tests of requests by simulated processes (--wrap). A process that tests the same requests again and again,
/// without work in between, waits for them: it blocks until one is complete.
///
/// Other tests wait for about a microsecond. SimGrid's own tests are not used: SimGrid never forgets the messages that
/// they complete, and searches all of them after each later message.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

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

/// A message of this process to itself, which ends a wait for requests after about a microsecond.
class Timer {
 public:
  MPI_Request& start() {
    if (comm_ == MPI_COMM_NULL) PMPI_Comm_dup(MPI_COMM_SELF, &comm_);
    if (request_ == MPI_REQUEST_NULL) {
      PMPI_Irecv(&byte_, 1, MPI_BYTE, 0, 0, comm_, &request_);
      PMPI_Send(&byte_, 1, MPI_BYTE, 0, 0, comm_);
    }
    return request_;
  }
  void stop(MPI_Request request) { request_ = request; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;  // of a timer that has not ended
  char byte_ = 0;
};

/// Waits for one of the requests, for a short time unless `waits`. Returns its index, or n if none is complete.
/// Returns MPI_UNDEFINED if all are null.
int wait_for_one(int n, MPI_Request* requests, MPI_Status* status, bool waits) {
  int index = 0;
  if (waits) {
    PMPI_Waitany(n, requests, &index, status);
    return index;
  }
  if (std::all_of(requests, requests + n, [](MPI_Request r) { return r == MPI_REQUEST_NULL; })) return MPI_UNDEFINED;
  static Timer timer;
  std::vector<MPI_Request> all(requests, requests + n);
  all.push_back(timer.start());
  PMPI_Waitany(n + 1, all.data(), &index, status);
  timer.stop(all.back());
  if (index < n) requests[index] = all[static_cast<std::size_t>(index)];
  return index;
}

}  // namespace

extern "C" {
int __wrap_PMPI_Test(MPI_Request* request, int* done, MPI_Status* status);
int __wrap_PMPI_Testsome(int n, MPI_Request requests[], int* found, int which[], MPI_Status statuses[]);
int __wrap_PMPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status statuses[]);

int __wrap_PMPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  *done = wait_for_one(1, request, status, vain_tests().wait(request)) != 1;
  if (*done) vain_tests().end();
  return MPI_SUCCESS;
}

/// Finds one request at most.
int __wrap_PMPI_Testsome(int n, MPI_Request requests[], int* found, int which[], MPI_Status statuses[]) {
  MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses;
  which[0] = wait_for_one(n, requests, status, vain_tests().wait(requests));
  *found = which[0] == MPI_UNDEFINED ? MPI_UNDEFINED : which[0] < n;
  if (*found != 0) vain_tests().end();
  return MPI_SUCCESS;
}

/// Completes requests one by one. Statuses are not kept.
int __wrap_PMPI_Testall(int n, MPI_Request requests[], int* done, MPI_Status*) {
  const bool waits = vain_tests().wait(requests);
  int index = 0;
  while (index < n && index != MPI_UNDEFINED) index = wait_for_one(n, requests, MPI_STATUS_IGNORE, waits);
  *done = index == MPI_UNDEFINED;
  if (*done) vain_tests().end();
  return MPI_SUCCESS;
}
}
