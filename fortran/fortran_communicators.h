/* SPDX-License-Identifier: BSD-3-Clause */
/* \file  Conversion of communicators from Fortran to C. */
#ifndef SEICHE_FORTRAN_COMMUNICATORS_H
#define SEICHE_FORTRAN_COMMUNICATORS_H

#include <mpi.h>

/* Converts a communicator of Fortran. Returns MPI_COMM_NULL if MPI is not running; the call then reports the error. */
static inline MPI_Comm seiche_comm_of(MPI_Fint comm) {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  if (started) MPI_Finalized(&ended);
  return started && !ended ? MPI_Comm_f2c(comm) : MPI_COMM_NULL;
}

#endif
