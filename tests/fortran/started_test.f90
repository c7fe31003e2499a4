! SPDX-License-Identifier: BSD-3-Clause
!> \file  Started calls that fail or call functions; reports of boxes.
module tripled_values
  use, intrinsic :: iso_fortran_env, only: real64
  use seiche
  implicit none

  type, extends(grid_function) :: tripled
    integer :: points = 0
  contains
    procedure :: on_complex64 => triple
  end type

contains

  recursive subroutine triple(self, band, box, values, status)
    class(tripled), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    if (band < 1 .or. any(box%extent() /= shape(values))) status = 5
    self%points = self%points + size(values)
    values = 3 * values
  end subroutine
end module

program started_test
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  use expect_seiche
  use tripled_values
  implicit none

  integer, parameter :: grid(3) = [8, 6, 7], bands = 3
  integer :: rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call faults()
  call functions()
  call halos(seiche_space_host)
  call halos(seiche_space_cuda)
  call expect(seiche_open_handles() == 0, 'no handles')
  call verdict()

contains

  subroutine finish(call_)
    type(seiche_pending), intent(inout) :: call_
    logical :: done
    integer :: i, status
    do i = 1, 3 * rank
      done = call_%progress(status)
      call expect(status == seiche_ok, 'progress')
    end do
    call call_%finish(status)
    call expect(status == seiche_ok, 'finish')
  end subroutine

  !> Errors of arrays are reported by finish.
  subroutine faults()
    type(sphere_fft) :: fft
    type(seiche_pending) :: pending
    type(seiche_box) :: box
    integer, parameter :: wave(3, 1) = reshape([1, 0, 2], [3, 1])
    complex(real64), allocatable, target, asynchronous :: in(:, :), out(:, :)
    real(real64), allocatable, target, asynchronous :: v(:, :, :)
    integer :: n, e(3), status
    n = merge(1, 0, rank == 0)
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, grid, wave(:, :n))
    box = fft%grid_box()
    e = box%extent()
    allocate (in(n, bands), out(n, bands), v(e(1), e(2), e(3)))
    in = 1
    v = 2
    call fft%start_apply_potential(pending, in, out, v(:, :, :e(3) - 1), status)
    call expect(status == seiche_ok, 'errors of arrays are reported by finish')
    call pending%finish(status)
    call expect_fault(status, seiche_bad_argument, 'pass one value per point')
    call pending%finish(status)
    call expect_fault(status, seiche_misuse, 'pending')
    call fft%close()
  end subroutine

  !> Two round trips at once, each with its own function.
  subroutine functions()
    type(sphere_fft) :: fft
    type(seiche_pending) :: first, second, copy
    type(seiche_box) :: box
    type(tripled), target :: of_first, of_second
    integer, parameter :: wave(3, 1) = reshape([1, 0, 2], [3, 1])
    complex(real64), allocatable, target, asynchronous :: in(:, :), out(:, :), one(:), other(:)
    integer :: n, status
    n = merge(1, 0, rank == 0)
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, grid, wave(:, :n))
    box = fft%grid_box()
    allocate (in(n, bands), out(n, bands), one(n), other(n))
    in = (1, 2)
    one = (3, 4)
    call fft%start_round_trip(first, in, out, of_first)
    call fft%start_round_trip(second, one, other, of_second)
    copy = second
    call finish(first)
    call finish(second)
    call expect(all(abs(out - 3 * in) < 1e-12) .and. all(abs(other - 3 * one) < 1e-12), 'functions on the grid')
    call expect(of_first%points == bands * box%volume() .and. of_second%points == box%volume(), 'each has its own points')
    call fft%start_round_trip(first, in, out, of_first, add=.true.)
    call finish(first)
    call expect(all(abs(out - 6 * in) < 1e-12), 'a function on the grid, added')
    call copy%finish(status)
    call expect_fault(status, seiche_misuse, 'this handle was destroyed')
    call fft%start_round_trip(first, in, out(:, :2), of_first)
    call first%finish(status)
    call expect_fault(status, seiche_bad_argument, 'the array of output coefficients is too short')
    call fft%close()
  end subroutine

  subroutine halos(space)
    integer, intent(in) :: space
    type(box_exchange) :: exchange
    type(box_options) :: options
    type(box_report) :: report
    type(progress_report) :: progress
    type(field_array) :: source, target
    real(real64) :: in(4, 3, 2), out(4, 3, 4)
    source = consecutive(seiche_box([1, 1, 2 * rank + 1], [4, 3, 2 * rank + 2]))
    target = consecutive(seiche_box([1, 1, 2 * rank], [4, 3, 2 * rank + 3]))
    options%algorithm = seiche_algorithm_pairwise
    options%space = space
    call exchange%create(MPI_COMM_WORLD, [4, 3, 2 * ranks], [source], [target], options)
    in = rank + 1
    call exchange%copy(in, out)
    call expect(all(abs(out(:, :, 2:3) - rank - 1) <= 0), 'halo')
    call expect(all(abs(out(:, :, 4) - modulo(rank + 1, ranks) - 1) <= 0), 'plane of the next rank')
    report = exchange%report()
    call expect(report%algorithm == 'pairwise' .and. report%own + report%received == 48, 'report')
    progress = exchange%progress()
    call expect(progress%worked >= 0, 'progress')
    call exchange%close()
  end subroutine

end program
