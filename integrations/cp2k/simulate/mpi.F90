! SPDX-License-Identifier: BSD-3-Clause
! The module mpi for SimGrid's MPI. SimGrid's own declares the constants below as external procedures, which cannot be
! passed to procedures with explicit interfaces. This file is not linked: the names belong to SimGrid's library, which
! compares their addresses.
module mpi
  implicit none
  public
#define MPI_IN_PLACE smpi_in_place
#define MPI_BOTTOM smpi_bottom
#define MPI_STATUS_IGNORE smpi_status_ignore
#define MPI_STATUSES_IGNORE smpi_statuses_ignore
#include <smpi/mpif.h>
#undef MPI_IN_PLACE
#undef MPI_BOTTOM
#undef MPI_STATUS_IGNORE
#undef MPI_STATUSES_IGNORE
  external MPI_COMM_COMPARE
  integer, parameter :: MPI_MAX_LIBRARY_VERSION_STRING = 100
  integer, bind(C, name="mpi_in_place_") :: MPI_IN_PLACE
  integer, bind(C, name="mpi_bottom_") :: MPI_BOTTOM
  integer, bind(C, name="mpi_status_ignore_") :: MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
  integer, bind(C, name="mpi_statuses_ignore_") :: MPI_STATUSES_IGNORE(MPI_STATUS_SIZE, 1)
end module mpi
