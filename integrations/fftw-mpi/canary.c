/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Breaks one value of each complex transform of FFTW-MPI after it was made: a checker that lets this pass checks
 * nothing. Preloaded before everything else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fftw3-mpi.h>

static fftw_plan last_plan;
static fftw_complex* last_out;

fftw_plan fftw_mpi_plan_many_dft(int rank, const ptrdiff_t* n, ptrdiff_t fields, ptrdiff_t in_block,
                                 ptrdiff_t out_block, fftw_complex* in, fftw_complex* out, MPI_Comm comm, int sign,
                                 unsigned flags) {
  fftw_plan (*next)(int, const ptrdiff_t*, ptrdiff_t, ptrdiff_t, ptrdiff_t, fftw_complex*, fftw_complex*, MPI_Comm, int,
                    unsigned) = dlsym(RTLD_NEXT, "fftw_mpi_plan_many_dft");
  int me;
  MPI_Comm_rank(comm, &me);
  last_plan = next(rank, n, fields, in_block, out_block, in, out, comm, sign, flags);
  last_out = me == 0 ? out : NULL;
  return last_plan;
}

void fftw_execute(const fftw_plan plan) {
  void (*next)(fftw_plan) = dlsym(RTLD_NEXT, "fftw_execute");
  next(plan);
  if (plan == last_plan && last_out) last_out[0][0] += 1e-6;
}
