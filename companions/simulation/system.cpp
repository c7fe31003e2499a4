// SPDX-License-Identifier: BSD-3-Clause
/// \file  System calls that take time, substituted in simulated programs by the linker (--wrap).
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include <chrono>
#include <cstdint>

#include "account.hpp"
#include "time.hpp"

namespace {

using namespace seiche::simulation;

/// Pipes and terminals take no disk time.
ssize_t charged(int descriptor, ssize_t bytes, std::int64_t& sum) {
  struct stat status {};
  if (bytes > 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    sum += bytes;
    use_disk(bytes);
  }
  return bytes;
}

}  // namespace

// Each __real_ function is the system's own.
#define CHARGED(name, sum, parameters, arguments) \
  ssize_t __real_##name parameters;               \
  ssize_t __wrap_##name parameters;               \
  ssize_t __wrap_##name parameters { return charged(descriptor, __real_##name arguments, account().sum); }
// clang-format off
extern "C" {
CHARGED(read, read, (int descriptor, void* b, std::size_t n), (descriptor, b, n))
CHARGED(write, written, (int descriptor, const void* b, std::size_t n), (descriptor, b, n))
CHARGED(pread, read, (int descriptor, void* b, std::size_t n, off_t o), (descriptor, b, n, o))
CHARGED(pwrite, written, (int descriptor, const void* b, std::size_t n, off_t o), (descriptor, b, n, o))
CHARGED(preadv, read, (int descriptor, const iovec* v, int n, off_t o), (descriptor, v, n, o))
CHARGED(pwritev, written, (int descriptor, const iovec* v, int n, off_t o), (descriptor, v, n, o))
// clang-format on

// The time of a write is charged when it happens, so that nothing remains to flush.
int __wrap_fsync(int);
int __wrap_fdatasync(int);
int __wrap_sync_file_range(int, off_t, off_t, unsigned);
int __wrap_fsync(int) { return 0; }
int __wrap_fdatasync(int) { return 0; }
int __wrap_sync_file_range(int, off_t, off_t, unsigned) { return 0; }

int __wrap_nanosleep(const timespec* t, timespec*);
int __wrap_sched_yield();
int __wrap_nanosleep(const timespec* t, timespec*) {
  wait_until(now() + static_cast<double>(t->tv_sec) + 1e-9 * static_cast<double>(t->tv_nsec));
  return 0;
}
int __wrap_sched_yield() {
  constexpr double turn = 0.2e-6;
  wait_until(now() + turn);
  return 0;
}

/// std::chrono::steady_clock::now()
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv();
std::int64_t __wrap__ZNSt6chrono3_V212steady_clock3nowEv() { return static_cast<std::int64_t>(now() * 1e9); }
}
