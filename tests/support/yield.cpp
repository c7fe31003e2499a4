// SPDX-License-Identifier: BSD-3-Clause
/// \file  Preloaded before MPICH's tests. MPICH 4 keeps its core while it waits, so that with more ranks than cores
/// each collective call lasts as long as the system lets a process run: 5 ms instead of 20 us. Here a look for messages
/// that finds none gives the core to another rank. For MPICH over UCX, as Debian builds it; elsewhere it does nothing.
#include <dlfcn.h>
#include <sched.h>

extern "C" unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto original = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned moved = original(worker);
  if (moved == 0) sched_yield();
  return moved;
}
