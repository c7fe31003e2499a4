// SPDX-License-Identifier: BSD-3-Clause
/// \file  Runs each case in C++, C and Fortran, and compares all bits; then the wrong calls of Fortran.
#include <mpi.h>

#include <cstdio>

#include "case_arrays.h"
#include "seiche/c/status.h"

#define CASE(name)              \
  extern "C" void cxx_##name(); \
  extern "C" void c_##name();   \
  extern "C" void fortran_##name();
#define REFUSED(name) extern "C" void refused_##name();
#include "cases.inc"
#ifdef SEICHE_FILES
#include "cases_of_files.inc"
#endif
#undef CASE
#undef REFUSED

namespace {

void run(void (*cxx)(), void (*c)(), [[maybe_unused]] void (*fortran)()) {
  cxx();
  c();
#ifdef SEICHE_FORTRAN
  fortran();
#endif
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#ifdef SEICHE_FORTRAN
#define CASE(name) run(cxx_##name, c_##name, fortran_##name);
#define REFUSED(name) cxx_##name(), refused_##name();
#else
#define CASE(name) run(cxx_##name, c_##name, nullptr);
#define REFUSED(name)
#endif
#include "cases.inc"
#ifdef SEICHE_FILES
#include "cases_of_files.inc"
#endif
  const int code = case_verdict();
  const auto open = seiche_open_handles();
  if (open != 0) std::fprintf(stderr, "%lld handles are open\n", static_cast<long long>(open));
  MPI_Finalize();
  return code != 0 || open != 0 ? 1 : 0;
}
