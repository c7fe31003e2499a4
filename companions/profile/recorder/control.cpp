// SPDX-License-Identifier: BSD-3-Clause
/// \file  MPI_Pcontrol in C and in Fortran's three ways. Fortran passes no error code.
#include "recorder/call.hpp"

using namespace seiche::profile;

namespace {

void pass(Symbol& real, const MPI_Fint* level) {
  heed(*level);
  reinterpret_cast<void (*)(const MPI_Fint*)>(real.get())(level);
}

}  // namespace

extern "C" {

int MPI_Pcontrol(const int level, ...) {
  heed(level);
  return REAL(Pcontrol)(level);  // MPI libraries ignore further arguments
}

void mpi_pcontrol_(const MPI_Fint* level) {
  static Symbol real("mpi_pcontrol_");
  pass(real, level);
}

void mpi_pcontrol_f08_(const MPI_Fint* level) {
  static Symbol real("mpi_pcontrol_f08_");
  pass(real, level);
}
}
