! SPDX-License-Identifier: BSD-3-Clause
!> \file  Misuse of the Fortran interface gives an error on all ranks; arrays that are not contiguous are
!> taken, and results are copied back; ten thousand times create and close leave nothing.
program misuse_test
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use expect_seiche
  use seiche
  implicit none
  integer, parameter :: points(3) = [8, 6, 7], wave(3, 1) = reshape([1, 2, 3], [3, 1])
  type(dense_fft) :: fft, other
  type(sphere_fft) :: sphere
  type(seiche_field) :: memory
  type(fft_options) :: options
  type(seiche_box) :: box
  integer :: status, owners(1), i
  call fft%create(0, seiche_double, points, status=status)
  call expect_fault(status, seiche_misuse, 'MPI is not initialized: call MPI_Init first')
  call MPI_Init()
  call expect(seiche_version() == '0.2.0', 'the version')

  box = fft%grid_box(status)
  call expect_fault(status, seiche_misuse, 'dense_fft: the handle is NULL')
  call expect(all(box%extent() == 0), 'no box')
  call fft%create(MPI_COMM_NULL, seiche_double, points, status=status)
  call expect_fault(status, seiche_misuse, 'the communicator is MPI_COMM_NULL')
  call fft%create(MPI_COMM_WORLD, 12, points, status=status)
  call expect_fault(status, seiche_bad_argument, 'value is 12, but must be 0 to 3')
  options%decomposition = 9
  call fft%create(MPI_COMM_WORLD, seiche_double, points, options, status)
  call expect_fault(status, seiche_bad_argument, 'decomposition is 9, but must be 0 to 3')
  call sphere%create(MPI_COMM_WORLD, seiche_double, points, reshape([1, 2], [2, 1]), status=status)
  call expect_fault(status, seiche_misuse, 'waves must have shape (3, number)')
  owners = balanced_owners(wave, 0, status)
  call expect_fault(status, seiche_bad_argument, 'the number of ranks must be positive (got 0)')

  call arrays()
  call faults_of_one_rank()
  call created_again()
  call spinors_in_one_dimension()
  call closed()
  call strided()
  do i = 1, 10000
    call fft%create(MPI_COMM_WORLD, seiche_double, [4, 3, 5 + mod(i, 20)])
    call fft%close()
  end do
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()

contains

  subroutine arrays()
    real(real64), allocatable :: grid(:, :, :), turned(:, :, :)
    real(real32) :: single(1, 1, 1)
    complex(real64), allocatable :: spectrum(:, :, :), none(:)
    complex(real32) :: single_spectrum(1, 1, 1), single_waves(1)
    real(real32), pointer :: values(:, :, :)
    integer :: e(3)
    call fft%create(MPI_COMM_WORLD, seiche_double, points)
    call fft%create(MPI_COMM_WORLD, seiche_double, points, status=status)
    call expect_fault(status, seiche_misuse, 'this plan already exists')
    box = fft%grid_box()
    e = box%extent()
    allocate (grid(e(3), e(2), e(1)))
    box = fft%spectrum_box()
    e = box%extent()
    allocate (spectrum(e(1), e(2), e(3)))
    grid = 1
    spectrum = 2
    call fft%forward(grid, spectrum, status)  ! axes the wrong way round
    call expect_fault(status, seiche_bad_argument, '0 and')
    call expect(all(abs(spectrum - 2) <= 0), 'nothing was written')
    single = 1
    single_spectrum = 1
    call fft%forward(single, single_spectrum, status)
    call expect_fault(status, seiche_misuse, 'the arrays are real(real32), but the plan is for real(real64)')
    call memory%create(fft)
    call memory%grid(values, status)
    call expect_fault(status, seiche_misuse, 'the pointer is real(real32), but the values are real(real64)')
    call expect(.not. associated(values), 'no pointer')
    call memory%create(fft, status)
    call expect_fault(status, seiche_misuse, 'this field already exists')
    call memory%close()

    call sphere%create(MPI_COMM_WORLD, seiche_double, points, wave(:, :0))
    single_waves = 1
    call sphere%forward(single, single_waves, status)
    call expect_fault(status, seiche_misuse, 'the grid is real(real32), but the plan is for real(real64)')
    box = sphere%grid_box()
    e = box%extent()
    allocate (turned(e(3), e(2), e(1)), none(0))
    call sphere%backward(none, turned, status)  ! axes the wrong way round
    call expect_fault(status, seiche_bad_argument, '(got 0)')
    call sphere%apply_potential(single_waves, real(single, real64), status)
    call expect_fault(status, seiche_misuse, "the coefficients are complex(real32), but the plan has complex(real64)")
    call sphere%create(MPI_COMM_WORLD, seiche_double, points, wave(:, :0), status=status)
    call expect_fault(status, seiche_misuse, 'sphere_fft: this plan already exists')
    call sphere%close()
  end subroutine

  !> What one rank gets wrong before a collective call, all ranks are told.
  subroutine faults_of_one_rank()
    type(sphere_fft) :: bands
    type(dense_fft) :: dense
    type(block_layout) :: layout
    type(block_matrix) :: matrix
    real(real64), allocatable :: grid(:, :, :)
    complex(real64), allocatable :: spectrum(:, :, :)
    real(real64) :: elements(3, 3), numbers(1, 1, 1)
    real(real32) :: single(1, 1, 1), single_elements(3, 3)
    complex(real32) :: single_spectrum(1, 1, 1), single_waves(1)
    complex(real64) :: none(0), complex_numbers(1, 1, 1)
    integer :: me, ranks
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call bands%create(MPI_COMM_WORLD, seiche_double, points, reshape([integer ::], [merge(2, 3, me == 0), 0]), status=status)
    call expect_fault(status, seiche_misuse, 'waves must have shape (3, number)')
    call bands%create(MPI_COMM_WORLD, seiche_complex_double, points, wave(:, :0))
    single_waves = 0
    numbers = 0
    if (me == 0) call bands%apply_potential(single_waves, numbers, status)
    if (me /= 0) call bands%apply_potential(none, numbers, status)
    call expect_fault(status, seiche_misuse, "the coefficients are complex(real32), but the plan has complex(real64)")
    call bands%apply_potential(none, numbers, status)
    call expect_fault(status, seiche_bad_argument, &
      'sphere_fft: potential has shape (1, 1, 1), but the shape on grid_box() is (8, 6')
    call bands%apply_perturbation(bands, none, none, complex_numbers, status)
    call expect_fault(status, seiche_bad_argument, &
      'sphere_fft: potential has shape (1, 1, 1), but the shape on grid_box() is (8, 6')
    call bands%add_products(bands, none, none, [real(real64) ::], complex_numbers, status)
    call expect_fault(status, seiche_bad_argument, &
      'sphere_fft: density has shape (1, 1, 1), but the shape on grid_box() is (8, 6')
    call bands%close()

    call dense%create(MPI_COMM_WORLD, seiche_double, points)
    call arrays_of(dense, grid, spectrum)
    single = 0
    single_spectrum = 0
    if (me == 0) call dense%forward(single, single_spectrum, status)
    if (me /= 0) call dense%forward(grid, spectrum, status)
    call expect_fault(status, seiche_misuse, 'the arrays are real(real32), but the plan is for real(real64)')
    call dense%close()

    call layout%create(MPI_COMM_WORLD, [1, 2], [1, 2], [ranks, 1], [0, 0], spread(0, 1, merge(1, 2, me == 0)), status)
    call expect_fault(status, seiche_misuse, 'pass one per block row and per block column')
    call layout%create(MPI_COMM_WORLD, [1, 2], [1, 2], row_owner=[0, 0], status=status)
    call expect_fault(status, seiche_misuse, 'row_owner and column_owner need the grid of ranks: pass grid')
    call layout%create(MPI_COMM_WORLD, [1, 2, 3], [1], grid=[ranks, 1])
    call expect(layout%owner(2, 1) == mod(1, ranks), 'cyclic owners on the grid')
    call expect(layout%owner(3, 1) == mod(2, ranks), 'cyclic owners on the grid, of the third row')
    call layout%close()
    call layout%create(MPI_COMM_WORLD, [1], [1, 2, 3], grid=[1, ranks])
    call expect(layout%owner(1, 3) == mod(2, ranks), 'cyclic owners on the grid, of the third column')
    call layout%close()
    call layout%create(MPI_COMM_WORLD, [1, 2], [1, 2])
    call matrix%create(layout, seiche_double)
    if (me == 0) call matrix%to_dense(single_elements, status)
    if (me /= 0) call matrix%to_dense(elements, status)
    call expect_fault(status, seiche_misuse, 'the elements are real(real64), but real(real32) was requested')
    if (me == 0) call matrix%to_dense(elements(:, :2), status)
    if (me /= 0) call matrix%to_dense(elements, status)
    call expect_fault(status, seiche_bad_argument, 'there are 9 elements, but the array holds 6')
    call matrix%to_dense(elements)
    call expect(all(abs(elements) <= 0), 'the zero matrix')
    call matrix%close()
    call layout%close()
  end subroutine

  subroutine arrays_of(plan, grid, spectrum)
    type(dense_fft), intent(in) :: plan
    real(real64), allocatable, intent(out) :: grid(:, :, :)
    complex(real64), allocatable, intent(out) :: spectrum(:, :, :)
    integer :: g(3), s(3)
    box = plan%grid_box()
    g = box%extent()
    box = plan%spectrum_box()
    s = box%extent()
    allocate (grid(g(1), g(2), g(3)), spectrum(s(1), s(2), s(3)))
    grid = 1
    spectrum = 0
  end subroutine

  !> A plan that is created again knows nothing of the options of the one before.
  subroutine created_again()
    type(sphere_fft) :: bands
    type(fft_options) :: spinors
    complex(real64), allocatable :: in(:, :, :), grid(:, :, :, :, :)
    integer :: e(3), n, me
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    n = merge(1, 0, me == 0)
    spinors%components = 2
    call bands%create(MPI_COMM_WORLD, seiche_complex_double, points, wave(:, :n), spinors)
    call bands%close()
    call bands%create(MPI_COMM_WORLD, seiche_complex_double, points, wave(:, :n))
    box = bands%grid_box()
    e = box%extent()
    allocate (in(n, 1, 2), grid(e(1), e(2), e(3), 1, 2))
    in = 3
    grid = 0
    call bands%backward(in, grid, status)
    call expect(status == seiche_ok, 'one component, as the plan has')
    call expect(all(abs(abs(grid) - 3) < 1e-12_real64), 'one wave on the grid')
    call bands%close()
  end subroutine

  !> Spinors (wave, component, band), and the same numbers in arrays (wave * component, band).
  subroutine spinors_in_one_dimension()
    type(sphere_fft) :: bands
    type(fft_options) :: spinors
    complex(real64) :: in(5, 2, 2), rows(10, 2), out(5, 2, 2)
    real(real64), allocatable :: v(:, :, :)
    integer :: e(3), n, i, me
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    n = merge(1, 0, me == 0)
    spinors%components = 2
    call bands%create(MPI_COMM_WORLD, seiche_complex_double, points, wave(:, :n), spinors)
    box = bands%grid_box()
    e = box%extent()
    allocate (v(e(1), e(2), e(3)))
    v = 3
    in = reshape([(cmplx(i, -i, real64), i=1, 20)], [5, 2, 2])
    rows = reshape(in, [10, 2])
    out = in
    out(:n, :, :) = 3 * in(:n, :, :)
    call bands%apply_potential(in, v)
    call bands%apply_potential(rows, v)
    call expect(all(abs(in - out) < 1e-11_real64), 'spinors with padded rows')
    call expect(all(abs(reshape(rows, [5, 2, 2]) - out) < 1e-11_real64), 'spinors in one dimension')
    call bands%apply_potential(rows(:9, :), v, status)
    call expect_fault(status, seiche_bad_argument, 'wrong row length of the input coefficients (-1)')
    call bands%close()
  end subroutine

  !> A copy of a plan that was closed is told.
  subroutine closed()
    other = fft
    call fft%close()
    call fft%close()
    box = other%grid_box(status)
    call expect_fault(status, seiche_misuse, 'dense_fft: this handle was destroyed')
    call other%close(status)
    call expect_fault(status, seiche_misuse, 'dense_fft: this handle was destroyed')
    call memory%become_grid(status)
    call expect_fault(status, seiche_misuse, 'field: the handle is NULL')
  end subroutine

  !> Every second element of larger arrays: the same numbers as from arrays of their own.
  subroutine strided()
    complex(real64), allocatable :: wide(:, :, :), spread(:, :, :), grid(:, :, :), spectrum(:, :, :)
    integer :: e(3), w(3), x, y, z
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points)
    box = fft%grid_box()
    e = box%extent()
    box = fft%spectrum_box()
    w = box%extent()
    allocate (wide(2 * e(1), e(2), e(3)), grid(e(1), e(2), e(3)), spread(w(1), 2 * w(2), w(3)), spectrum(w(1), w(2), w(3)))
    do z = 1, e(3)
      do y = 1, e(2)
        do x = 1, e(1)
          grid(x, y, z) = cmplx(mod(7 * x + 5 * y + 3 * z, 11), mod(x + y, 3), real64)
        end do
      end do
    end do
    wide = -1
    wide(::2, :, :) = grid
    spread = -1
    spectrum = -1
    call fft%forward(grid, spectrum)
    call fft%forward(wide(::2, :, :), spread(:, ::2, :))
    call expect(all(abs(spread(:, ::2, :) - spectrum) < 1e-14_real64), 'strided arrays are read and written')
    call expect(all(abs(spread(:, 2::2, :) + 1) <= 0), 'and nothing beside them')
    call fft%close()
  end subroutine
end program
