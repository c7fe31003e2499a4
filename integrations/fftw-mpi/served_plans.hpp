// SPDX-License-Identifier: BSD-3-Clause
/// \file  What the interposed functions of both precisions do.
#pragma once

#include <cstdio>

#include "plans.hpp"
#include "real_library.hpp"

#define SHOWN __attribute__((visibility("default")))

namespace seiche::fftw_mpi {

/// Collective. The real plan, by make_real(flags), as the handle of ours: as the program asked for it, and not measured
/// where it is not to run.
template <class Real, class MakeReal>
auto kept(const Problem& problem, const MakeReal& make_real) {
  auto ours = Plans<Real>::made(problem);
  const unsigned unmeasured = (problem.flags & ~(FFTW_PATIENT | FFTW_EXHAUSTIVE)) | FFTW_ESTIMATE;
  const auto real = make_real(ours && ours->ours() ? unmeasured : problem.flags);
  if (real != nullptr) plans<Real>().add(real, std::move(ours));
  return real;
}

template <class Real>
void run_ours(OurPlan<Real>& plan, void* in, void* out) {
  try {
    plan.run(in, out);
  } catch (const Error& error) {  // FFTW's interface has no place for it
    std::fprintf(stderr, "libseiche_fftw_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/// Collective. Ours or the real plan, by run_real().
template <class Real, class RunReal>
void run(OurPlan<Real>& plan, void* in, void* out, const RunReal& run_real) {
  const bool ours = plan.ours();
  ++(ours ? account().executions_served : account().executions_forwarded);
  const bool on_trial = plan.on_trial();
  const double start = on_trial ? MPI_Wtime() : 0;
  ours ? run_ours(plan, in, out) : run_real();
  if (on_trial) plan.took(MPI_Wtime() - start);
}

}  // namespace seiche::fftw_mpi

using seiche::fftw_mpi::account;
using seiche::fftw_mpi::kept;
using seiche::fftw_mpi::Kind;
using seiche::fftw_mpi::run;
