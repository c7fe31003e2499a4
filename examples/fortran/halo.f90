! SPDX-License-Identifier: BSD-3-Clause
!> \file  A finite-difference Laplacian with planes of the neighbouring ranks. The planes travel while the inner planes
!> are computed.
program halo
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  use answers
  implicit none
  integer, parameter :: nx = 12, ny = 10, nz = 16
  type(box_exchange) :: exchange
  type(seiche_pending) :: pending
  type(field_array) :: source, target
  real(real64), allocatable, target, asynchronous :: values(:, :, :), with_halo(:, :, :)
  real(real64), allocatable :: laplacian(:, :, :)
  real(real64) :: error
  integer :: rank, ranks, first, last, x, y, z
  logical :: done

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  ! [halo]
  first = nz * rank / ranks + 1  ! planes of this rank
  last = nz * (rank + 1) / ranks
  source = consecutive(seiche_box([1, 1, first], [nx, ny, last]))
  target = consecutive(seiche_box([1, 1, first - 1], [nx, ny, last + 1]))  ! with a plane of each neighbour
  call exchange%create(MPI_COMM_WORLD, [nx, ny, nz], [source], [target])
  allocate (values(nx, ny, first:last), with_halo(nx, ny, first - 1:last + 1), laplacian(nx, ny, first:last))
  ! [/halo]
  do z = first, last
    do y = 1, ny
      do x = 1, nx
        values(x, y, z) = value_at(x, y, z)
      end do
    end do
  end do

  ! [overlap]
  call exchange%start_copy(pending, values, with_halo)
  do z = first + 1, last - 1  ! inner planes need no other rank
    call set_laplacian(z, values(:, :, z - 1), values(:, :, z + 1))
    done = pending%progress()
  end do
  call pending%finish()
  do z = first, last, max(last - first, 1)  ! first and last plane
    call set_laplacian(z, with_halo(:, :, z - 1), with_halo(:, :, z + 1))
  end do
  ! [/overlap]

  error = 0
  do z = first, last
    do y = 1, ny
      do x = 1, nx
        error = max(error, abs(laplacian(x, y, z) - (value_at(x + 1, y, z) + value_at(x - 1, y, z) &
          + value_at(x, y + 1, z) + value_at(x, y - 1, z) + value_at(x, y, z + 1) + value_at(x, y, z - 1) &
          - 6 * value_at(x, y, z))))
      end do
    end do
  end do
  call exchange%close()
  call answer('halo', error, 0.0_real64, reshape(laplacian, [size(laplacian)]))

contains

  !> Returns the value of a function with the period of the grid.
  pure real(real64) function value_at(x, y, z)
    integer, intent(in) :: x, y, z
    value_at = mod(5 * modulo(x - 1, nx) + 7 * modulo(y - 1, ny) + 11 * modulo(z - 1, nz), 23)
  end function

  !> Computes plane z from its neighbours.
  subroutine set_laplacian(z, below, above)
    integer, intent(in) :: z
    real(real64), intent(in) :: below(:, :), above(:, :)
    laplacian(:, :, z) = cshift(values(:, :, z), 1, 1) + cshift(values(:, :, z), -1, 1) &
      + cshift(values(:, :, z), 1, 2) + cshift(values(:, :, z), -1, 2) + below + above - 6 * values(:, :, z)
  end subroutine
end program
