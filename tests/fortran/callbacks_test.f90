! SPDX-License-Identifier: BSD-3-Clause
!> \file  Fields, callbacks on a device, and callbacks and streams that fail.
module callback_cases
  use, intrinsic :: iso_c_binding, only: c_f_pointer
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use expect_seiche
  use seiche
  implicit none
  integer, parameter :: points_of_grid(3) = [8, 6, 7], bands = 2, wave(3, 1) = reshape([1, 2, 3], [3, 1])

  !> Doubles values on a device, by copies in its stream.
  type, extends(device_function) :: doubled_there
    integer :: points = 0, status = 0
  contains
    procedure :: on_device => double_there
  end type

  !> Has no procedure for spinors.
  type, extends(grid_function) :: nothing
  end type

  !> Fails at a band.
  type, extends(grid_function) :: ends
    integer :: ends_at = 0
  contains
    procedure :: on_complex64 => end_at_band
  end type

contains

  subroutine end_at_band(self, band, box, values, status)
    class(ends), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    if (any(box%extent() /= shape(values))) status = 3
    if (band == self%ends_at) status = 7
  end subroutine

  integer function my_rank()
    call MPI_Comm_rank(MPI_COMM_WORLD, my_rank)
  end function

  subroutine double_there(self, bands, status)
    class(doubled_there), intent(inout) :: self
    type(device_bands), intent(in) :: bands
    integer, intent(inout) :: status
    complex(real64), pointer, contiguous :: there(:, :, :, :)
    complex(real64), allocatable :: here(:, :, :, :)
    type(box_exchange) :: copy
    type(box_options) :: options
    type(field_array) :: all
    status = self%status
    if (bands%components /= 1 .or. bands%stream == 0) status = 3
    all = consecutive(seiche_box([1, 1, 1], bands%box%extent()))
    options%space = seiche_space_cuda
    options%stream = bands%stream
    call copy%create(MPI_COMM_SELF, bands%box%extent(), [all], [all], options)
    call c_f_pointer(bands%values, there, [bands%box%extent(), bands%count])
    allocate (here, mold=there)
    call copy%copy(there, here)
    self%points = self%points + size(here)
    here = 2 * here
    call copy%copy(here, there)
    call copy%close()
  end subroutine

  subroutine device()
    type(sphere_fft) :: fft
    type(fft_options) :: options
    type(seiche_box) :: box
    complex(real64), allocatable :: many(:, :), out(:, :)
    type(doubled_there) :: twice
    integer :: n, band, status, points
    n = merge(1, 0, my_rank() == 0)
    options%space = seiche_space_cuda
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points_of_grid, wave(:, :n), options)
    box = fft%grid_box()
    points = fft%bands_here(bands) * int(box%volume())
    allocate (many(n, bands), out(n, bands))
    do band = 1, bands
      many(:, band) = band
    end do
    call fft%round_trip_on_device(many, out, twice)
    call expect(all(abs(out - 2 * many) < 1e-12) .and. twice%points == points, 'a function on a device')
    call fft%round_trip_on_device(many, out, twice, add=.true.)
    call expect(all(abs(out - 4 * many) < 1e-12), 'a function on a device, added')
    call fft%round_trip_on_device(out, twice)
    call expect(all(abs(out - 8 * many) < 1e-12), 'a function on a device, in place')
    call fft%round_trip_on_device(out(:, 1), twice)
    call expect(all(abs(out(:, 1) - 16) < 1e-12), 'a function on a device, one band')
    twice%points = 0
    call fft%to_grid_on_device(many, twice)
    call expect(twice%points == points, 'a function on a device reads')
    twice%status = 4
    call fft%to_grid_on_device(many, twice, status)
    call expect_fault(status, seiche_bad_argument, 'fft: the callback returned 4 for bands from 1: return 0')
    call fft%close()
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points_of_grid, wave(:, :n))
    call fft%to_grid_on_device(many, twice, status)
    call expect_fault(status, seiche_unsupported, 'fft: to_grid with a callback on a device needs a plan on a device')
    call fft%close()
  end subroutine

  subroutine spinors()
    type(sphere_fft) :: fft
    type(fft_options) :: options
    type(nothing) :: without
    complex(real64), allocatable :: in(:, :, :)
    integer :: status
    options%components = 2
    allocate (in(merge(1, 0, my_rank() == 0), 2, bands))
    in = 1
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points_of_grid, wave(:, :size(in, 1)), options)
    call fft%to_grid(in, without, status)
    call expect_fault(status, seiche_bad_argument, 'fft: the callback returned 1 for band 1: return 0')
    call fft%close()
  end subroutine

  !> The spectrum of a constant is one number.
  subroutine fields()
    type(dense_fft) :: fft
    type(seiche_field) :: memory
    real(real64), pointer :: points(:, :, :)
    complex(real64), pointer :: coefficients(:, :, :)
    type(seiche_box) :: waves
    complex(real64) :: total
    call fft%create(MPI_COMM_WORLD, seiche_double, points_of_grid)
    waves = fft%spectrum_box()
    call memory%create(fft)
    call memory%become_spectrum()
    call memory%become_grid()
    call memory%grid(points)
    points = 3
    call fft%forward(memory)
    call memory%spectrum(coefficients)
    total = sum(coefficients)
    if (all(waves%low == 1) .and. waves%volume() > 0) total = total - 3
    call expect(all(shape(coefficients) == waves%extent()) .and. abs(total) < 1e-12, 'forward in place')
    call fft%backward(memory)
    call memory%grid(points)
    call expect(all(abs(points - 3) < 1e-12), 'backward in place')
    call memory%close()
    call fft%close()
  end subroutine
  !> What goes wrong on one rank is told at the end, on all.
  subroutine streams()
    type(ends) :: seen
    type(sphere_fft) :: none, fft
    type(sphere_stream) :: stream
    complex(real64), allocatable :: one(:), three(:, :)
    complex(real32), allocatable :: single(:)
    integer :: me, mine, status
    me = my_rank()
    mine = merge(1, 0, me == 0)
    allocate (one(mine), three(mine, 3), single(mine))
    one = 1
    three = 1
    single = 1
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points_of_grid, wave(:, :mine))
    call stream%create(none, seen, status)
    call expect_fault(status, seiche_misuse, 'sphere_fft: the handle is NULL')
    call stream%create(fft, seen)
    call stream%create(fft, seen, status)
    call expect_fault(status, seiche_misuse, 'sphere_stream: this stream already exists')
    if (me == 0) then  ! a fault of one rank alone comes out on all
      call stream%add(single, status)
      call expect_fault(status, seiche_misuse, "the coefficients are complex(real32), but the plan has complex(real64)")
    else
      call stream%add(one)
    end if
    call stream%finish(status)
    call expect_fault(status, seiche_bad_argument, "the coefficients are complex(real32), but the plan has complex(real64)")
    call stream%close()
    call stream%create(fft, seen)
    if (me == 0) call stream%fail('the band was not to be had')
    call stream%add(one)
    call stream%finish(status)
    call expect_fault(status, seiche_bad_argument, 'the band was not to be had')
    call stream%close()
    seen%ends_at = 2
    call stream%create(fft, seen)
    call stream%add(three)
    call stream%finish(status)
    call expect_fault(status, seiche_bad_argument, 'returned 7')
    call stream%close()
    call stream%finish(status)
    call expect_fault(status, seiche_misuse, 'sphere_stream: the handle is NULL')
    call stream%fail('nobody hears it', status)
    call expect_fault(status, seiche_misuse, 'sphere_stream: the handle is NULL')
    call fft%close()
  end subroutine
end module

program callbacks_test
  use callback_cases
  implicit none
  call MPI_Init()
  call device()
  call spinors()
  call fields()
  call streams()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()
end program
