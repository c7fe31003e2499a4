// SPDX-License-Identifier: BSD-3-Clause
#include "trace/mpi_profile.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace seiche::mpi_profile {

namespace {

/// Call counter of one function. It is created at the first call, so that counting costs one atomic addition.
struct Counter {
  explicit Counter(const char* function);
  const char* name;
  bool carries_data;  // starts messages, or allocates windows
  std::atomic<std::int64_t> calls{0};
  /// Returns the result of a call whose MPI result is `code`.
  int result(int code);
};

struct Table {
  std::mutex guard;
  std::string to_fail;
  std::atomic<bool> will_fail{false};
  std::vector<Counter*> counters;
  std::atomic<std::int64_t> until_failure{0};  // 0: no failure
};

Table& table() {
  static Table only;
  return only;
}

bool carries_data_by_name(const std::string& name) {
  return name.find("send") != std::string::npos || name.find("recv") != std::string::npos ||
         name.find("lltoallv") != std::string::npos || name.find("Win_allocate") != std::string::npos;
}

Counter::Counter(const char* function) : name(function), carries_data(carries_data_by_name(function)) {
  const std::lock_guard<std::mutex> locked(table().guard);
  table().counters.push_back(this);
}

int Counter::result(int code) {
  if (carries_data && table().until_failure.load(std::memory_order_relaxed) > 0 && --table().until_failure == 0) {
    return MPI_ERR_OTHER;
  }
  if (!table().will_fail.load(std::memory_order_relaxed)) return code;
  const std::lock_guard<std::mutex> locked(table().guard);
  if (table().to_fail != name || !table().will_fail) return code;
  table().will_fail = false;
  return MPI_ERR_OTHER;
}

/// Messages in flight, by request. One handle may represent several messages, because MPI may return the same handle
/// for completed sends.
class Flight {
 public:
  void watch() { watched_ = true; }
  void begin(MPI_Request request) {
    if (!watched_) return;
    const std::lock_guard<std::mutex> locked(guard_);
    ++in_flight_[request];
    most_ = std::max(most_, ++count_);
  }
  /// Copies the requests before a call that may complete some.
  std::vector<MPI_Request> before(int n, const MPI_Request* requests) const {
    return count_ == 0 ? std::vector<MPI_Request>{} : std::vector<MPI_Request>(requests, requests + n);
  }
  void after(const std::vector<MPI_Request>& before, const MPI_Request* requests) {
    const std::lock_guard<std::mutex> locked(guard_);
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == MPI_REQUEST_NULL || requests[i] != MPI_REQUEST_NULL) continue;
      const auto found = in_flight_.find(before[i]);
      if (found == in_flight_.end()) continue;  // request of a collective
      if (--found->second == 0) in_flight_.erase(found);
      --count_;
    }
  }
  void restart() {
    const std::lock_guard<std::mutex> locked(guard_);
    most_ = count_;
  }
  std::int64_t most() const { return most_; }

 private:
  std::mutex guard_;
  std::map<MPI_Request, std::int64_t> in_flight_;
  std::atomic<bool> watched_{false};
  std::atomic<std::int64_t> count_{0};
  std::int64_t most_ = 0;
};

Flight& flight() {
  static Flight only;
  return only;
}

/// Number of threads inside MPI calls.
struct Threads {
  std::atomic<bool> watched{false};
  std::atomic<std::int64_t> now{0}, most{0};
};
Threads& threads() {
  static Threads only;
  return only;
}

/// A call, unless it is nested in another one.
class Inside {
 public:
  Inside() : counts_(threads().watched && depth()++ == 0) {
    if (!counts_) return;
    const std::int64_t now = ++threads().now;
    for (std::int64_t most = threads().most; most < now && !threads().most.compare_exchange_weak(most, now);) {
    }
  }
  ~Inside() {
    if (!threads().watched) return;
    --depth();
    if (counts_) --threads().now;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  static int& depth() {
    thread_local int calls = 0;
    return calls;
  }
  bool counts_;
};

std::atomic<std::int64_t> bytes_of_windows{0};

/// Returns MPI's function, or the function of a preloaded profiler.
template <class Function>
Function* next(const char* name, Function* own) {
  void* preloaded = dlsym(RTLD_NEXT, name);
  return preloaded ? reinterpret_cast<Function*>(preloaded) : own;
}

}  // namespace

std::int64_t window_bytes() { return bytes_of_windows; }

void fail_next(const std::string& function) {
  const std::lock_guard<std::mutex> locked(table().guard);
  table().to_fail = function;
  table().will_fail = true;
}

void fail_after(std::int64_t k) { table().until_failure = k; }

bool has_failed() { return table().until_failure.exchange(0) == 0; }

void start_counting() {
  const std::lock_guard<std::mutex> locked(table().guard);
  for (Counter* counter : table().counters) counter->calls = 0;
  flight().restart();
  threads().most = threads().now.load();
  bytes_of_windows = 0;
}

void watch_messages() { flight().watch(); }

void watch_threads() { threads().watched = true; }

std::int64_t most_threads() { return threads().most; }

std::int64_t most_in_flight() { return flight().most(); }

std::map<std::string, std::int64_t> counts() {
  const std::lock_guard<std::mutex> locked(table().guard);
  std::map<std::string, std::int64_t> all;
  for (const Counter* counter : table().counters) {
    if (counter->calls > 0) all[counter->name] = counter->calls;
  }
  return all;
}

}  // namespace seiche::mpi_profile

#define NEXT(function)                                                                      \
  ([] {                                                                                     \
    static const auto real = seiche::mpi_profile::next("MPI_" #function, &PMPI_##function); \
    return real;                                                                            \
  }())
// One line per MPI function: its parameters, and the same as arguments.
#define COUNT(function, parameters, arguments)                     \
  int MPI_##function parameters {                                  \
    static seiche::mpi_profile::Counter counter("MPI_" #function); \
    counter.calls.fetch_add(1, std::memory_order_relaxed);         \
    const seiche::mpi_profile::Inside inside;                      \
    return counter.result(NEXT(function) arguments);               \
  }
// Same for calls that start messages (each sets *q), and for calls that may complete n of them.
#define BEGIN(function, parameters, arguments)                     \
  int MPI_##function parameters {                                  \
    static seiche::mpi_profile::Counter counter("MPI_" #function); \
    counter.calls.fetch_add(1, std::memory_order_relaxed);         \
    const seiche::mpi_profile::Inside inside;                      \
    const int code = NEXT(function) arguments;                     \
    seiche::mpi_profile::flight().begin(*q);                       \
    return counter.result(code);                                   \
  }
#define END(function, parameters, arguments, n)                     \
  int MPI_##function parameters {                                   \
    static seiche::mpi_profile::Counter counter("MPI_" #function);  \
    counter.calls.fetch_add(1, std::memory_order_relaxed);          \
    const seiche::mpi_profile::Inside inside;                       \
    const auto before = seiche::mpi_profile::flight().before(n, q); \
    const int code = NEXT(function) arguments;                      \
    seiche::mpi_profile::flight().after(before, q);                 \
    return code;                                                    \
  }
// Also counts the allocated bytes.
#define ALLOCATE(function, parameters, arguments)                  \
  int MPI_##function parameters {                                  \
    static seiche::mpi_profile::Counter counter("MPI_" #function); \
    counter.calls.fetch_add(1, std::memory_order_relaxed);         \
    const seiche::mpi_profile::Inside inside;                      \
    seiche::mpi_profile::bytes_of_windows += n;                    \
    return counter.result(NEXT(function) arguments);               \
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
BEGIN(Isend, (TO b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
BEGIN(Issend, (TO b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
BEGIN(Irecv, (FROM b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
COUNT(Send_init, (TO b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
COUNT(Recv_init, (FROM b, int n, TYPE t, int r, int tag, COMM c, REQUEST q), (b, n, t, r, tag, c, q))
COUNT(Start, (REQUEST q), (q))
COUNT(Startall, (int n, MPI_Request q[]), (n, q))
COUNT(Probe, (int r, int tag, COMM c, STATUS s), (r, tag, c, s))
COUNT(Iprobe, (int r, int tag, COMM c, int* f, STATUS s), (r, tag, c, f, s))
// Completion
END(Wait, (REQUEST q, STATUS s), (q, s), 1)
END(Waitall, (int n, MPI_Request q[], MPI_Status s[]), (n, q, s), n)
END(Waitany, (int n, MPI_Request q[], int* i, STATUS s), (n, q, i, s), n)
END(Waitsome, (int n, MPI_Request q[], int* m, int i[], MPI_Status s[]), (n, q, m, i, s), n)
END(Test, (REQUEST q, int* f, STATUS s), (q, f, s), 1)
END(Testall, (int n, MPI_Request q[], int* f, MPI_Status s[]), (n, q, f, s), n)
END(Testany, (int n, MPI_Request q[], int* i, int* f, STATUS s), (n, q, i, f, s), n)
END(Testsome, (int n, MPI_Request q[], int* m, int i[], MPI_Status s[]), (n, q, m, i, s), n)
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
ALLOCATE(Win_allocate, (MPI_Aint n, int u, MPI_Info i, COMM c, FROM b, MPI_Win* w), (n, u, i, c, b, w))
ALLOCATE(Win_allocate_shared, (MPI_Aint n, int u, MPI_Info i, COMM c, FROM b, MPI_Win* w), (n, u, i, c, b, w))
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
