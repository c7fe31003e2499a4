// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>

/// Returns the procedure of CP2K that a procedure of this library replaces. fft_tools.f90 calls it.
extern "C" void* seiche_cp2k_original(const char* symbol) {
  void* found = dlsym(RTLD_NEXT, symbol);
  if (found != nullptr) return found;
  std::fprintf(stderr, "Seiche: this program has no %s: preload the library with CP2K\n", symbol);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return nullptr;
}
