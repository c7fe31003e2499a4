// SPDX-License-Identifier: BSD-3-Clause
#include "fftw_account.hpp"

#include <cstdio>
#include <cstdlib>

namespace seiche::fftw_mpi {

namespace {

bool asked() {
  const char* text = std::getenv("SEICHE_FFTW_MPI_REPORT");
  return text != nullptr && text[0] != '\0';
}

struct Told : Account {
  ~Told() {
    if (rank != 0 || !asked()) return;
    std::fprintf(stderr, "seiche_fftw_mpi: plans served %lld, forwarded %lld; executions served %lld, forwarded %lld\n",
                 static_cast<long long>(plans_served), static_cast<long long>(plans_forwarded),
                 static_cast<long long>(executions_served), static_cast<long long>(executions_forwarded));
  }
};

}  // namespace

Account& account() {
  static Told told;
  return told;
}

void tell_refusal(const char* why) {
  if (account().rank == 0 && asked()) std::fprintf(stderr, "seiche_fftw_mpi: forwarded, since %s\n", why);
}

}  // namespace seiche::fftw_mpi

/// For programs that look: how many plans this library has taken, how many it left to FFTW, and how many executions
/// were its own.
extern "C" {
__attribute__((visibility("default"))) long long seiche_fftw_mpi_served(void) {
  return seiche::fftw_mpi::account().plans_served;
}
__attribute__((visibility("default"))) long long seiche_fftw_mpi_forwarded(void) {
  return seiche::fftw_mpi::account().plans_forwarded;
}
__attribute__((visibility("default"))) long long seiche_fftw_mpi_executions_served(void) {
  return seiche::fftw_mpi::account().executions_served;
}
}
