// SPDX-License-Identifier: BSD-3-Clause
/// \file  Preloaded into tests with MPICH over UCX, as Debian builds it; has no effect otherwise. A rank of MPICH 4
/// does not yield its core while it waits. With more ranks than cores, each collective call then takes a time slice of
/// the system. Here a poll that finds no message yields the core to another rank.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker);

namespace {

using Progress = unsigned (*)(void*);

/// Returns the function of the library that the program is linked to, or that Python loaded with local symbols.
Progress original() {
  void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (!found) found = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
  return reinterpret_cast<Progress>(found);
}

}  // namespace

unsigned ucp_worker_progress(void* worker) {
  static const Progress progress = original();
  const unsigned moved = progress(worker);
  if (moved == 0) sched_yield();
  return moved;
}
