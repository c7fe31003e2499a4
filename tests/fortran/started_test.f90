! SPDX-License-Identifier: BSD-3-Clause
!> \file  Started calls, and exchanges of boxes.
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
  use, intrinsic :: iso_fortran_env, only: real32, real64
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
  call spheres()
  call functions()
  call sections()
  call dense()
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

  subroutine spheres()
    type(sphere_fft) :: fft
    type(seiche_pending) :: pending
    type(seiche_box) :: box, mine
    integer :: waves(3, merge(4, 0, rank == 0)), all(3, 4), i, status
    complex(real64), allocatable, target, asynchronous :: in(:, :), out(:, :), want(:, :)
    complex(real64), allocatable, target, asynchronous :: values(:, :, :, :), other(:, :, :, :)
    complex(real64), allocatable :: there(:, :, :, :)
    real(real64), allocatable, target, asynchronous :: v(:, :, :), n(:, :, :), m(:, :, :)
    real(real64) :: weights(bands) = [1, 2, 3]
    all = reshape([1, 0, 2, 0, 1, -1, 2, -1, 1, 1, 1, 0], [3, 4])
    waves = all(:, :size(waves, 2))
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves)
    box = fft%grid_box()
    allocate (in(size(waves, 2), bands), out(size(waves, 2), bands), want(size(waves, 2), bands))
    allocate (v(box%low(1):box%high(1), box%low(2):box%high(2), box%low(3):box%high(3)))
    allocate (n(size(v, 1), size(v, 2), size(v, 3)), m(size(v, 1), size(v, 2), size(v, 3)))
    do i = 1, bands
      in(:, i) = cmplx(i, size(waves, 2), real64)
    end do
    v = 2
    v(:, :, box%low(3):box%high(3):2) = 3
    call fft%apply_potential(in, want, v)
    call fft%start_apply_potential(pending, in, out, v)
    call finish(pending)
    call expect(all_equal(out, want), 'potential')
    call fft%start_apply_potential(pending, in, out, v, add=.true.)
    call finish(pending)
    call expect(all_equal(out, 2 * want), 'added potential')
    n = 0
    m = 0
    call fft%add_density(in, weights, n)
    call fft%start_add_density(pending, in, weights, m)
    call finish(pending)
    call expect(maxval(abs(n - m)) <= 0, 'density')
    allocate (values(size(v, 1), size(v, 2), size(v, 3), bands), other(size(v, 1), size(v, 2), size(v, 3), bands))
    call fft%backward(in, values)
    call fft%start_backward(pending, in, other)
    call finish(pending)
    call expect(maxval(abs(values - other)) <= 0, 'backward')
    call fft%start_forward(pending, values, out)
    call finish(pending)
    call expect(maxval([0.0_real64, pack(abs(out - in), .true.)]) < 1e-12, 'forward')

    ! the grid in planes of constant x
    mine = seiche_box([1, 1, 1], grid)
    mine%low(1) = 1 + 8 * rank / ranks
    mine%high(1) = 8 * (rank + 1) / ranks
    allocate (there(mine%high(1) - mine%low(1) + 1, 6, 7, bands))
    call fft%backward_to_boxes(in, mine, there)
    call fft%forward_from_boxes(mine, there, out)
    call expect(maxval([0.0_real64, pack(abs(out - in), .true.)]) < 1e-12, 'boxes')
    call fft%start_apply_potential(pending, in, out, v(:, :, :box%low(3) - 1), status)
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
    call fft%start_round_trip(first, in, out, of_first, status)
    call expect_fault(status, seiche_misuse, 'sphere_fft: the handle is NULL')
  end subroutine

  !> Arrays that the compiler would copy are refused on all ranks, also if only one rank has one.
  subroutine sections()
    type(dense_fft) :: fft
    type(sphere_fft) :: sphere
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(box_exchange) :: boxes
    type(field_array) :: whole
    type(seiche_pending) :: pending
    type(seiche_box) :: box
    complex(real64), allocatable, target :: large(:, :, :), values(:, :, :), psi(:, :), hpsi(:, :)
    real(real64), allocatable, target :: v(:, :, :), kernel(:)
    integer :: e(3), n, last, status
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, grid)
    box = fft%grid_box()
    e = box%extent()
    allocate (large(2 * e(1), e(2), e(3)), values(e(1), e(2), e(3)))
    large = 1
    values = 1
    call fft%start_forward(pending, large(:e(1), :, :), values, status)
    call refused(pending, status, 'dense_fft: grid is not contiguous: pass a contiguous array')
    call fft%start_forward(pending, values, large(:e(1), :, :), status)
    call refused(pending, status, 'dense_fft: spectrum is not contiguous')
    if (rank == 0) call fft%start_backward(pending, large(:e(1), :, :), values, status)
    if (rank /= 0) call fft%start_backward(pending, large(:, :e(2) / 2, :), values, status)
    call refused(pending, status, 'dense_fft: spectrum is not contiguous')
    call fft%close()

    n = merge(4, 0, rank == 0)
    call sphere%create(MPI_COMM_WORLD, seiche_complex_double, grid, &
      reshape([1, 0, 2, 0, 1, -1, 2, -1, 1, 1, 1, 0], [3, n]))
    box = sphere%grid_box()
    e = box%extent()
    allocate (psi(n + 2, bands), hpsi(n + 2, bands), v(e(1), e(2), e(3)), kernel(2))
    psi = 1
    hpsi = 7
    v = 2
    kernel = 1
    last = n + merge(0, 2, rank == 0)  ! the rows of other ranks are whole
    call sphere%start_apply_potential(pending, psi(:last, :), hpsi, v, status)
    call refused(pending, status, 'sphere_fft: in is not contiguous')
    call sphere%start_apply_potential(pending, psi, hpsi(:last, :), v, status)
    call refused(pending, status, 'sphere_fft: out is not contiguous')
    call sphere%start_add_density(pending, psi(:last, :), [1.0_real64, 1.0_real64, 1.0_real64], v, status)
    call refused(pending, status, 'sphere_fft: in is not contiguous')
    call sphere%start_apply_potential(pending, psi, hpsi, v)  ! padded rows are contiguous
    call finish(pending)
    call expect(all(abs(hpsi(:n, :) - 2) < 1e-12) .and. all(abs(hpsi(n + 1:, :) - 7) <= 0), 'padded rows')
    call sphere%close()

    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, reshape([1, 0, 2], [3, min(n, 1)]), &
      reshape([integer ::], [3, 0]))
    call occupied%create(exchange, psi(:min(n, 1), :), [1.0_real64, 1.0_real64, 1.0_real64])
    call exchange%start_apply(pending, occupied, kernel(:0), psi(:merge(1, n + 2, rank == 0), :), hpsi, status)
    call refused(pending, status, 'exact_exchange: in is not contiguous')
    call occupied%close()
    call exchange%close()

    whole = consecutive(seiche_box([1, 1, rank + 1], [4, 3, rank + 1]))
    call boxes%create(MPI_COMM_WORLD, [4, 3, ranks], [whole], [whole])
    deallocate (values, large)
    allocate (values(4, 3, 1), large(8, 3, 1))
    large = 1
    values = 0
    if (rank == 0) call boxes%start_copy(pending, large(:4, :, :), values, status)
    if (rank /= 0) call boxes%start_copy(pending, values, large(:4, :, :), status)
    call expect_fault(status, seiche_misuse, &
      'box_exchange: '//trim(merge('source', 'target', rank == 0))//' is not contiguous')
    call pending%finish(status)
    call expect_fault(status, seiche_bad_argument, 'arrays are too short')
    call boxes%close()
  end subroutine

  !> A rank that has the array fails at once, with this status. The others fail in finish.
  subroutine refused(call_, status, sentence)
    type(seiche_pending), intent(inout) :: call_
    integer, intent(in) :: status
    character(*), intent(in) :: sentence
    integer :: at_the_end
    if (status /= seiche_ok) then
      call expect_fault(status, seiche_misuse, sentence)
    else
      call call_%finish(at_the_end)
      call expect_fault(at_the_end, seiche_misuse, sentence)
    end if
  end subroutine

  logical function all_equal(a, b)
    complex(real64), intent(in) :: a(:, :), b(:, :)
    all_equal = all(abs(a - b) <= 1e-12 * abs(b))
  end function

  subroutine dense()
    type(dense_fft) :: fft
    type(seiche_pending) :: pending
    type(seiche_box) :: grid_box, spectrum_box
    real(real32), allocatable, target, asynchronous :: values(:, :, :), again(:, :, :)
    complex(real32), allocatable, target, asynchronous :: spectrum(:, :, :), want(:, :, :)
    integer :: n(3), m(3)
    call fft%create(MPI_COMM_WORLD, seiche_float, grid)
    grid_box = fft%grid_box()
    spectrum_box = fft%spectrum_box()
    n = grid_box%extent()
    m = spectrum_box%extent()
    allocate (values(n(1), n(2), n(3)), again(n(1), n(2), n(3)), spectrum(m(1), m(2), m(3)), want(m(1), m(2), m(3)))
    call random_number(values)
    call fft%forward(values, want)
    call fft%start_forward(pending, values, spectrum)
    call finish(pending)
    call expect(maxval([0.0, pack(abs(spectrum - want), .true.)]) <= 0, 'spectrum')
    call fft%start_backward(pending, spectrum, again)
    call finish(pending)
    call expect(maxval([0.0, pack(abs(values - again), .true.)]) < 1e-5, 'grid')
    call fft%close()
  end subroutine

  !> Slabs of two planes, and the same with one more plane on each side.
  subroutine halos(space)
    integer, intent(in) :: space
    type(box_exchange) :: exchange
    type(box_options) :: options
    type(box_report) :: report
    type(progress_report) :: progress
    type(seiche_pending) :: pending
    type(field_array) :: source, target
    real(real64), target, asynchronous :: in(4, 3, 2, 2), out(4, 3, 4, 2)
    integer :: x, y, z, f, plane, status
    logical :: equal
    source = consecutive(seiche_box([1, 1, 2 * rank + 1], [4, 3, 2 * rank + 2]))
    target = consecutive(seiche_box([1, 1, 2 * rank], [4, 3, 2 * rank + 3]))
    options%algorithm = seiche_algorithm_pairwise
    options%space = space
    call exchange%create(MPI_COMM_WORLD, [4, 3, 2 * ranks], [source], [target], options)
    call exchange%create(MPI_COMM_WORLD, [4, 3, 2 * ranks], [source], [target], options, status)
    call expect_fault(status, seiche_misuse, 'box_exchange: this exchange already exists: close it first')
    do f = 1, 2
      do z = 1, 2
        in(:, :, z, f) = reshape([((value_at(x, y, 2 * rank + z, f), x=1, 4), y=1, 3)], [4, 3])
      end do
    end do
    out = -1
    call exchange%copy(in, out)
    equal = .true.
    do f = 1, 2
      do z = 1, 4
        plane = modulo(2 * rank + z - 2, 2 * ranks) + 1
        equal = equal .and. all(abs(out(:, :, z, f) - reshape([((value_at(x, y, plane, f), x=1, 4), y=1, 3)], [4, 3])) <= 0)
      end do
    end do
    call expect(equal, 'halo')
    out(:, :, :, 1) = -1
    call exchange%start_copy(pending, in(:, :, :, 1), out(:, :, :, 1))
    call finish(pending)
    call expect(minval(out) >= 0, 'started copy of one field')
    call exchange%add_back(out, in)
    call expect(abs(in(1, 1, 1, 2) - 3 * value_at(1, 1, 2 * rank + 1, 2)) <= 0, 'sum')
    call exchange%start_add_back(pending, out, in, fields=2)
    call finish(pending)
    call expect(abs(in(1, 1, 1, 2) - 5 * value_at(1, 1, 2 * rank + 1, 2)) <= 0, 'started sum')
    report = exchange%report()
    call expect(report%algorithm == 'pairwise' .and. report%own + report%received == 48, 'report')
    progress = exchange%progress()
    call expect(progress%worked >= 0, 'progress')
    call exchange%copy(in(:, :, :, 1), out(:, :, 1:3, 1), status)
    call expect_fault(status, seiche_bad_argument, 'arrays are too short')
    call exchange%close()
  end subroutine

  pure real(real64) function value_at(x, y, z, f)
    integer, intent(in) :: x, y, z, f
    value_at = x + 4 * (y + 3 * (z + 100 * f))
  end function

end program
