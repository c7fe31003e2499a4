/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Fortran's communicators for C. */
#ifndef SEICHE_FORTRAN_COMMUNICATORS_H
#define SEICHE_FORTRAN_COMMUNICATORS_H

#include <mpi.h>

/* The communicator of Fortran's integer; MPI_COMM_NULL while MPI is not running, which the call then tells. */
static inline MPI_Comm seiche_comm_of(MPI_Fint comm) {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  if (started) MPI_Finalized(&ended);
  return started && !ended ? MPI_Comm_f2c(comm) : MPI_COMM_NULL;
}

#endif
