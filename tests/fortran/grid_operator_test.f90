! SPDX-License-Identifier: BSD-3-Clause
!> \file  Operators on grids from Fortran: kinds of values, lifetime and faults.
program grid_operator_test
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use seiche
  use expect_seiche
  implicit none

  type(dense_fft) :: fft
  type(grid_operator) :: gradient, other
  type(seiche_box) :: mine, waves
  real(real64), allocatable :: field(:, :, :), slopes(:, :, :, :)
  real(real32), allocatable :: narrow(:, :, :)
  complex(real32), allocatable :: factors(:, :, :, :, :)
  real(real64), parameter :: cube(3, 3) = reshape([1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3])
  integer :: n(3), status

  call MPI_Init()
  call fft%create(MPI_COMM_WORLD%MPI_VAL, seiche_double, [6, 5, 7])
  mine = fft%grid_box()
  waves = fft%spectrum_box()
  n = mine%extent()
  allocate (field(n(1), n(2), n(3)), slopes(n(1), n(2), n(3), 3), narrow(n(1), n(2), n(3)))
  field = 1
  narrow = 1
  slopes = 7
  call gradient%create(fft, cube, seiche_kernel_gradient)
  call gradient%apply(field, slopes)
  call expect(all(abs(slopes) < 1e-13_real64), 'gradient of a constant')
  call expect(gradient%memory() == 24*waves%volume(), 'memory')

  call gradient%apply(narrow, narrow, status)
  call expect_fault(status, seiche_misuse, 'grid_operator: the arrays are')
  n = waves%extent()
  allocate (factors(n(1), n(2), n(3), 1, 1))
  factors = 1
  call other%create(fft, 1, 1, factors, status)
  call expect_fault(status, seiche_misuse, 'grid_operator: the factors are')
  call gradient%create(fft, cube, seiche_kernel_laplacian, status=status)
  call expect_fault(status, seiche_misuse, "grid_operator")
  call fft%close()
  call gradient%apply(field, slopes)
  call gradient%close()
  call gradient%apply(field, slopes, status)
  call expect_fault(status, seiche_misuse, '')
  call expect(seiche_open_handles() == 0, 'all closed')
  call verdict()
end program
