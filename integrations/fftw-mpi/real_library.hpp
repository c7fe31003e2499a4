// SPDX-License-Identifier: BSD-3-Clause
/// \file  FFTW's own functions, which this library stands before: those that the program would have called.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace seiche::fftw_mpi {

/// The next one of that name, else that of the library `file`. Without it the program cannot go on.
template <class Function>
Function* real_function(const char* name, const char* file) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    if (void* library = dlopen(file, RTLD_NOW | RTLD_GLOBAL)) found = dlsym(library, name);
  }
  if (found == nullptr) {
    std::fprintf(stderr, "libseiche_fftw_mpi: %s is neither in the program nor in %s; install libfftw3-mpi3\n", name,
                 file);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

}  // namespace seiche::fftw_mpi
