! SPDX-License-Identifier: BSD-3-Clause
!> \file  Many FFTs in one call, in existing arrays: interleaved fields, planes in blocks of ceil(n/ranks).
program many_fields
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use seiche
  use answers
  implicit none
  integer, parameter :: fields = 8, nx = 12, ny = 10, nz = 9
  real(real64), parameter :: turn = 2 * acos(-1.0_real64)
  type(dense_fft) :: fft
  type(dense_arrays) :: arrays
  type(fft_options) :: options
  type(seiche_box) :: planes, columns
  complex(real64), allocatable :: grid(:, :, :, :), spectrum(:, :, :, :)
  real(real64) :: error, angle
  integer :: ranks, rank, f, x, y, z

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  ! [many]
  planes%low = 1
  planes%high = [nx, ny, nz]
  columns = planes
  call block_of(nz, planes%low(3), planes%high(3))  ! as FFTW-MPI shares them out; the last ranks may have none
  call block_of(ny, columns%low(2), columns%high(2))
  arrays = dense_arrays(fields=int(fields, int64), grid=interleaved(planes, fields), spectrum=interleaved(columns, fields))
  options%reproducible = .true.
  call fft%create(MPI_COMM_WORLD, seiche_complex_double, [nx, ny, nz], arrays, options)
  allocate (grid(fields, nx, ny, planes%low(3):planes%high(3)))
  allocate (spectrum(fields, nx, columns%low(2):columns%high(2), nz))
  ! [/many]

  ! exp(i G.r) with G = (1, 2, f) in field f
  do z = lbound(grid, 4), ubound(grid, 4)
    do y = 1, ny
      do x = 1, nx
        do f = 1, fields
          angle = turn * mod(15 * (x - 1) + 36 * (y - 1) + 20 * (f - 1) * (z - 1), 180) / 180
          grid(f, x, y, z) = cmplx(cos(angle), sin(angle), real64)
        end do
      end do
    end do
  end do
  call fft%forward(grid, spectrum)

  error = 0
  do z = 1, nz
    do y = lbound(spectrum, 3), ubound(spectrum, 3)
      do x = 1, nx
        do f = 1, fields
          error = max(error, abs(spectrum(f, x, y, z) - merge(1, 0, x == 2 .and. y == 3 .and. z == f)))
        end do
      end do
    end do
  end do
  call fft%close()
  call answer('many_fields', error, 1e-14_real64, parts(reshape(spectrum, [size(spectrum)])))

contains

  !> Returns this rank's part of [1, n].
  subroutine block_of(n, low, high)
    integer, intent(in) :: n
    integer, intent(out) :: low, high
    integer :: length
    length = (n + ranks - 1) / ranks
    low = min(n, rank * length) + 1
    high = min(n, low - 1 + length)
  end subroutine
end program
