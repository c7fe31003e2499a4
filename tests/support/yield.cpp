// SPDX-License-Identifier: BSD-3-Clause
/// \file  Preloaded before MPICH's tests. MPICH 4 keeps its core while it waits, so that with more ranks than cores
/// each collective call lasts as long as the system lets a process run: 5 ms instead of 20 us. Here a look for messages
/// that finds none gives the core to another rank. For MPICH over UCX, as Debian builds it; elsewhere it does nothing.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker);

namespace {

using Progress = unsigned (*)(void*);

/// Of the library that a program is linked with, or that Python loaded, of which other libraries see nothing.
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
