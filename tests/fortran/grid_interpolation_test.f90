! SPDX-License-Identifier: BSD-3-Clause
!> \file  Interpolations between grids from Fortran: kinds of values, lifetime and faults.
program grid_interpolation_test
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use seiche
  use expect_seiche
  implicit none

  type(dense_fft) :: coarse, fine
  type(grid_interpolation) :: up, other
  type(seiche_box) :: mine
  real(real64), allocatable :: fields(:, :, :, :), result(:, :, :, :)
  real(real32), allocatable :: narrow(:, :, :)
  integer :: n(3), status

  call MPI_Init()
  call coarse%create(MPI_COMM_WORLD%MPI_VAL, seiche_double, [6, 5, 7])
  call fine%create(MPI_COMM_WORLD%MPI_VAL, seiche_double, [9, 8, 8])
  mine = coarse%grid_box()
  n = mine%extent()
  allocate (fields(n(1), n(2), n(3), 2), narrow(n(1), n(2), n(3)))
  mine = fine%grid_box()
  n = mine%extent()
  allocate (result(n(1), n(2), n(3), 2))
  fields(:, :, :, 1) = 3
  fields(:, :, :, 2) = -2
  narrow = 1
  result = 7
  call up%create(coarse, fine, 2)
  call up%apply(fields, result)
  call expect(all(abs(result(:, :, :, 1) - 3) < 1e-13_real64), 'a constant')
  call expect(all(abs(result(:, :, :, 2) + 2) < 1e-13_real64), 'another constant')
  call expect(up%fields() == 2, 'fields')

  call up%apply(narrow, narrow, status)
  call expect_fault(status, seiche_misuse, 'grid_interpolation: the arrays are')
  call up%apply(fields, fields, status)
  call expect_fault(status, seiche_bad_argument, 'grid_interpolation: wrong size of the target array')
  call up%create(coarse, fine, status=status)
  call expect_fault(status, seiche_misuse, 'grid_interpolation')
  call other%create(coarse, fine, 0, status)
  call expect_fault(status, seiche_bad_argument, 'grid_interpolation: the number of fields must be 1 to 65536 (got 0)')
  call coarse%close()
  call fine%close()
  call up%apply(fields, result)
  call up%close()
  call up%apply(fields, result, status)
  call expect_fault(status, seiche_misuse, '')
  call expect(seiche_open_handles() == 0, 'all closed')
  call verdict()
end program
