! SPDX-License-Identifier: BSD-3-Clause
!> \file  Product of two fields without aliasing. The fields are interpolated to a finer grid and multiplied, and the
!> product is interpolated back. cos(3x + 2y + z) cos(3x + y) = cos(y + z)/2 + cos(6x + 3y + z)/2. The grid does not have
!> the second wave.
program product_without_aliasing
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche, only: dense_fft, fft_options, grid_interpolation, seiche_box, seiche_double
  use answers
  implicit none
  integer, parameter :: n = 8, n_fine = 12
  type(dense_fft) :: coarse, fine
  type(grid_interpolation) :: up, down
  type(fft_options) :: options
  type(seiche_box) :: mine, mine_fine
  real(real64), allocatable :: fields(:, :, :, :), on_fine(:, :, :, :), product(:, :, :), exact(:, :, :)
  real(real64) :: error
  integer :: points(3)

  call MPI_Init()

  ! [plans]
  options%reproducible = .true.  ! the same bits in every run
  call coarse%create(MPI_COMM_WORLD, seiche_double, [n, n, n], options)
  call fine%create(MPI_COMM_WORLD, seiche_double, [n_fine, n_fine, n_fine], options)
  mine = coarse%grid_box()
  mine_fine = fine%grid_box()
  ! [/plans]
  points = mine%extent()
  allocate (fields(points(1), points(2), points(3), 2), product(points(1), points(2), points(3)))
  allocate (exact(points(1), points(2), points(3)))
  fields(:, :, :, 1) = wave(3, 2, 1)
  fields(:, :, :, 2) = wave(3, 1, 0)
  exact = wave(0, 1, 1)/2
  points = mine_fine%extent()
  allocate (on_fine(points(1), points(2), points(3), 2))

  ! [product]
  call up%create(coarse, fine, 2)  ! two fields in a call
  call down%create(fine, coarse)

  call up%apply(fields, on_fine)  ! (x, y, z, field)
  on_fine(:, :, :, 1) = on_fine(:, :, :, 1)*on_fine(:, :, :, 2)
  call down%apply(on_fine(:, :, :, 1), product)
  ! [/product]

  error = 0
  if (size(product) > 0) error = maxval(abs(product - exact))
  call up%close()
  call down%close()
  call coarse%close()
  call fine%close()
  call answer('grid_interpolation', error, 1e-13_real64, reshape(product, [size(product)]))

contains

  !> Returns cos(a x + b y + c z) on this rank. The edges of the cell are 2 pi.
  function wave(a, b, c) result(values)
    integer, intent(in) :: a, b, c
    real(real64), allocatable :: values(:, :, :)
    real(real64) :: angle
    integer :: i, j, k, at(3)
    at = mine%extent()
    allocate (values(at(1), at(2), at(3)))
    do k = 1, at(3)
      do j = 1, at(2)
        do i = 1, at(1)
          angle = 2*acos(-1.0_real64)/n*real(dot_product([a, b, c], mine%low + [i, j, k] - 2), real64)
          values(i, j, k) = real(exp(cmplx(0, angle, real64)))
        end do
      end do
    end do
  end function
end program
