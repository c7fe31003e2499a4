! SPDX-License-Identifier: BSD-3-Clause
!> \file  One FFT of a dense grid: a plane wave on the grid has one coefficient.
program one_fft
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  use answers
  implicit none
  real(real64), parameter :: turn = 2 * acos(-1.0_real64)
  type(dense_fft) :: fft
  type(seiche_box) :: mine, waves
  complex(real64), allocatable :: grid(:, :, :), spectrum(:, :, :)
  real(real64) :: error, angle
  integer :: x, y, z

  call MPI_Init()
  ! [fft]
  call fft%create(MPI_COMM_WORLD, seiche_complex_double, [12, 10, 9])
  mine = fft%grid_box()  ! the part of the grid that this rank holds, and that of the spectrum; indices begin at 1
  waves = fft%spectrum_box()
  allocate (grid(mine%low(1):mine%high(1), mine%low(2):mine%high(2), mine%low(3):mine%high(3)))
  allocate (spectrum(waves%low(1):waves%high(1), waves%low(2):waves%high(2), waves%low(3):waves%high(3)))
  ! [/fft]

  ! exp(i G.r) with G = (1, 2, 4)
  do z = lbound(grid, 3), ubound(grid, 3)
    do y = lbound(grid, 2), ubound(grid, 2)
      do x = lbound(grid, 1), ubound(grid, 1)
        angle = turn * mod(15 * (x - 1) + 36 * (y - 1) + 80 * (z - 1), 180) / 180  ! x/12 + 2y/10 + 4z/9
        grid(x, y, z) = cmplx(cos(angle), sin(angle), real64)
      end do
    end do
  end do
  call fft%forward(grid, spectrum)

  error = 0
  do z = lbound(spectrum, 3), ubound(spectrum, 3)
    do y = lbound(spectrum, 2), ubound(spectrum, 2)
      do x = lbound(spectrum, 1), ubound(spectrum, 1)
        error = max(error, abs(spectrum(x, y, z) - merge(1, 0, x == 2 .and. y == 3 .and. z == 5)))
      end do
    end do
  end do
  call fft%close()
  call answer('one_fft', error, 1e-14_real64, parts(reshape(spectrum, [size(spectrum)])))
end program
