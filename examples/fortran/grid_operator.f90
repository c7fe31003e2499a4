! SPDX-License-Identifier: BSD-3-Clause
!> \file  Electrostatic potential of an isolated Gaussian charge, and the gradient of its density. The potential is
!> erf(r / sqrt(2)) / r, and the gradient of the density n is -r n.
program potential_of_charge
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche, only: dense_fft, fft_options, grid_operator, seiche_box, seiche_double, seiche_kernel_gradient, &
    seiche_kernel_isolated
  use answers
  implicit none
  integer, parameter :: n = 24
  real(real64), parameter :: length = 14  ! edge of the cubic box, bohr
  type(dense_fft) :: fft
  type(grid_operator) :: poisson, gradient
  type(fft_options) :: options
  type(seiche_box) :: mine
  real(real64), allocatable :: density(:, :, :), potential(:, :, :), slopes(:, :, :, :), place(:, :, :, :)
  real(real64) :: lattice(3, 3), error, exact, r, spacing, pi
  integer :: i, j, k, c, points(3)

  call MPI_Init()
  pi = acos(-1.0_real64)

  ! [plan]
  options%reproducible = .true.  ! the same bits in every run
  call fft%create(MPI_COMM_WORLD, seiche_double, [n, n, n], options)
  mine = fft%grid_box()  ! the part of the grid that this rank has
  points = mine%extent()
  ! [/plan]
  allocate (density(points(1), points(2), points(3)), potential(points(1), points(2), points(3)))
  allocate (slopes(points(1), points(2), points(3), 3), place(3, points(1), points(2), points(3)))
  spacing = length/n
  do k = 1, points(3)
    do j = 1, points(2)
      do i = 1, points(1)
        place(:, i, j, k) = spacing*(mine%low + [i, j, k] - 2 - n/2)
        associate (x => place(1, i, j, k), y => place(2, i, j, k), z => place(3, i, j, k))
          density(i, j, k) = exp(-0.5_real64*(x*x + y*y + z*z))/(2*pi)**1.5_real64
        end associate
      end do
    end do
  end do

  ! [operators]
  lattice = reshape([length, 0._real64, 0._real64, 0._real64, length, 0._real64, 0._real64, 0._real64, length], [3, 3])
  call poisson%create(fft, lattice, seiche_kernel_isolated)
  call gradient%create(fft, lattice, seiche_kernel_gradient)

  call poisson%apply(density, potential)  ! hartree
  call gradient%apply(density, slopes)  ! (x, y, z, component)
  ! [/operators]

  error = 0
  do k = 1, points(3)
    do j = 1, points(2)
      do i = 1, points(1)
        do c = 1, 3
          error = max(error, abs(slopes(i, j, k, c) + place(c, i, j, k)*density(i, j, k)))
        end do
        r = norm2(place(:, i, j, k))
        if (r > 2) cycle  ! near the faces of the box, the potential is not that of the charge
        exact = sqrt(2/pi)
        if (r > 0) exact = erf(r/sqrt(2.0_real64))/r
        error = max(error, abs(potential(i, j, k) - exact))
      end do
    end do
  end do
  call poisson%close()
  call gradient%close()
  call fft%close()
  call answer('grid_operator', error, 1e-5_real64, reshape(potential, [size(potential)]))
end program
