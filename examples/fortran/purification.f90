! SPDX-License-Identifier: BSD-3-Clause
!> \file  A product and a purification, for a ring of cells of two atoms. The coupling is 1 inside a cell and 0.4
!> between cells. The states are known in closed form.
program purification
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  use answers
  implicit none
  integer, parameter :: cells = 24
  real(real64), parameter :: inside = -1, between = -0.4_real64
  type(block_layout) :: layout
  type(block_matrix) :: k, s, p, square
  type(multiplier) :: multiply
  type(purify_report) :: report
  real(real64), pointer :: elements(:)
  real(real64), allocatable :: of_p(:)
  real(real64) :: error, energy
  integer :: sizes(cells), m

  call MPI_Init()
  sizes = 2
  call layout%create(MPI_COMM_WORLD, sizes, sizes)
  call make(k, [-1, 0, 1])
  call make(s, [0])

  ! [product]
  call multiply%create()
  call square%create(layout, seiche_double)
  call multiply%multiply(k, k, square)
  error = abs(square%trace() - 2 * cells * (inside**2 + between**2))  ! the sum of the squares of all elements
  ! [/product]

  ! [purify]
  call purify(p, k, s, real(2 * cells, real64), report)  ! two electrons in each of the lower half of the states
  ! [/purify]
  energy = 0
  do m = 0, cells - 1
    energy = energy - 2 * sqrt(inside**2 + between**2 + 2 * inside * between * cos(2 * acos(-1.0_real64) * m / cells))
  end do
  error = max(error, abs(report%energy - energy), abs(report%trace - 2 * cells))

  call p%values(elements)
  of_p = elements
  call p%close()
  call square%close()
  call multiply%close()
  call s%close()
  call k%close()
  call layout%close()
  call answer('purification', error, 1e-7_real64, of_p)

contains

  !> Creates the Kohn-Sham matrix of neighbours at `steps`, or the identity, with a block for each cell and step.
  subroutine make(matrix, steps)
    type(block_matrix), intent(inout) :: matrix
    integer, intent(in) :: steps(:)
    integer :: rows(cells * size(steps)), columns(cells * size(steps)), n, i, j, step, rank
    ! [blocks]
    real(real64), pointer :: block(:, :)
    ! [/blocks]
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    n = 0
    do i = 1, cells
      do step = 1, size(steps)
        j = modulo(i + steps(step) - 1, cells) + 1
        if (layout%owner(i, j) /= rank) cycle
        n = n + 1
        rows(n) = i
        columns(n) = j
      end do
    end do
    ! [blocks]
    call matrix%create(layout, seiche_double)
    call matrix%reserve(rows(:n), columns(:n))
    do i = 1, n
      call matrix%block(rows(i), columns(i), block)
      if (size(steps) == 1) then
        block(1, 1) = 1
        block(2, 2) = 1
      else if (rows(i) == columns(i)) then
        block(2, 1) = inside
        block(1, 2) = inside
      else if (columns(i) == modulo(rows(i), cells) + 1) then  ! the second atom of a cell and the first of the next
        block(2, 1) = between
      else
        block(1, 2) = between
      end if
    end do
    ! [/blocks]
  end subroutine
end program
