! SPDX-License-Identifier: BSD-3-Clause
! Calls of known numbers, with Fortran's three ways to MPI: -DWAY_MPIF, -DWAY_MPI, or mpi_f08.
program known
#if defined(WAY_MPI)
  use mpi
#elif !defined(WAY_MPIF)
  use mpi_f08
#endif
  implicit none
#if defined(WAY_MPIF)
  include 'mpif.h'
#endif
#if defined(WAY_MPIF) || defined(WAY_MPI)
  integer :: requests(2), line
#else
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: line
#endif
  integer :: rank, ranks, next, before, i, ierror, of, extent(1), at(1), there(1)
  logical :: wraps(1)
  integer, allocatable :: counts(:), places(:)
  double precision :: one, total, start
  double precision, allocatable :: from(:), to(:)
  character :: outgoing(1000), incoming(1000)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  one = rank
  do i = 1, 7
    call MPI_Allreduce(one, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end do
  total = one
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  do i = 1, 3
    call MPI_Bcast(one, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  end do
  allocate (counts(ranks), places(ranks), from(10*ranks), to(10*ranks))
  counts = 10
  places = [(10*(i - 1), i=1, ranks)]
  from = rank
  do i = 1, 11
    call MPI_Alltoallv(from, counts, places, MPI_DOUBLE_PRECISION, to, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
  end do
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, 10, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  outgoing = 'a'
  do i = 1, 5
    call MPI_Isend(outgoing, 1000, MPI_CHARACTER, next, i, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Irecv(incoming, 1000, MPI_CHARACTER, before, i, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  end do
  call MPI_Sendrecv(outgoing, 100, MPI_CHARACTER, next, 9, incoming, 100, MPI_CHARACTER, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Pcontrol(1)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., line, ierror)
  do i = 1, 3
    call MPI_Cart_rank(line, [rank], of, ierror)
  end do
  do i = 1, 2
    call MPI_Cart_get(line, 1, extent, wraps, at, ierror)
  end do
  do i = 1, 4
    call MPI_Cart_coords(line, before, 1, there, ierror)
  end do
  if (there(1) /= before) stop 1
  start = MPI_Wtime()
  do i = 1, 19
    if (MPI_Wtime() < start .or. of /= rank .or. extent(1) /= ranks .or. at(1) /= rank .or. .not. wraps(1)) stop 1
  end do
  call MPI_Comm_free(line, ierror)
  do i = 1, 150
    call MPI_Comm_split(MPI_COMM_WORLD, merge(rank, mod(rank, 2), mod(i, 2) == 0), rank, line, ierror)
    call MPI_Barrier(line, ierror)
    call MPI_Comm_free(line, ierror)
  end do
  print '(a, i0, a, f0.1)', 'rank ', rank, ' has ', total
  call MPI_Finalize(ierror)
end program known
