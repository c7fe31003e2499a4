! SPDX-License-Identifier: BSD-3-Clause
!> \file  Transforms from Fortran against a plane wave in closed form, for every kind of value and rank of arrays.
module fft_cases
  use, intrinsic :: iso_c_binding, only: c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use expect_seiche
  use seiche
  implicit none
  integer, parameter :: points_of_grid(3) = [8, 6, 7], bands = 2
  integer, parameter :: wave(3, 1) = reshape([1, 2, 3], [3, 1])

  !> Doubles what is on the grid.
  type, extends(grid_function) :: doubled
    integer :: points = 0
    real(real64) :: error = 0
  contains
    procedure :: on_real32 => double_real32
    procedure :: on_real64 => double_real64
    procedure :: on_complex32 => double_complex32
    procedure :: on_complex64 => double_complex64
  end type

  !> Doubles values on a device, by copies in its stream.
  type, extends(device_function) :: doubled_there
    integer :: value = -1, points = 0
    real(real64) :: error = 0
  contains
    procedure :: on_device => double_there
  end type

  !> Turns spins round.
  type, extends(grid_function) :: turned
  contains
    procedure :: on_spinor64 => turn
  end type

  interface grid_error
    procedure :: grid_error_real32, grid_error_real64, grid_error_complex32, grid_error_complex64
  end interface

contains

  integer function my_rank()
    call MPI_Comm_rank(MPI_COMM_WORLD, my_rank)
  end function

  !> The plane wave at a point, counted from 1; its real part doubled for kinds that are real.
  pure complex(real64) function wave_at(point, is_real)
    integer, intent(in) :: point(3)
    logical, intent(in) :: is_real
    real(real64) :: angle
    angle = 2 * acos(-1.0_real64) * sum(real(wave(:, 1) * (point - 1), real64) / points_of_grid)
    wave_at = cmplx(cos(angle), sin(angle), real64)
    if (is_real) wave_at = 2 * real(wave_at)
  end function

  include 'fft_kind_real32.inc'
  include 'fft_kind_real64.inc'
  include 'fft_kind_complex32.inc'
  include 'fft_kind_complex64.inc'

  subroutine double_there(self, bands, status)
    class(doubled_there), intent(inout) :: self
    type(device_bands), intent(in) :: bands
    integer, intent(inout) :: status
    if (bands%components /= 1 .or. bands%stream == 0) status = 3
    select case (self%value)
    case (seiche_float)
      call there_real32(self, bands)
    case (seiche_double)
      call there_real64(self, bands)
    case (seiche_complex_float)
      call there_complex32(self, bands)
    case (seiche_complex_double)
      call there_complex64(self, bands)
    case default
      status = 4
    end select
  end subroutine

  subroutine turn(self, band, box, up, down, status)
    class(turned), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: up(:, :, :), down(:, :, :)
    integer, intent(inout) :: status
    complex(real64), allocatable :: kept(:, :, :)
    if (band > bands .or. any(box%extent() /= shape(up)) .or. .not. same_type_as(self, self)) status = 3
    kept = up
    up = down
    down = kept
  end subroutine

  !> v + b.sigma of v = 3, b = (1, 0, 2) on (2, i), whose density is 5 and magnetisation (0, 4, 3).
  subroutine magnetism()
    type(sphere_fft) :: fft
    type(fft_options) :: options
    type(seiche_box) :: box
    complex(real64), allocatable, target, asynchronous :: in(:, :, :), out(:, :, :)
    type(seiche_pending) :: pending
    real(real64), allocatable, target, asynchronous :: potential(:, :, :, :), density(:, :, :, :)
    real(real64), parameter :: field(4) = [3, 1, 0, 2], known(4) = [5, 0, 4, 3]
    integer :: n, k, status
    n = merge(1, 0, my_rank() == 0)
    options%components = 2
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points_of_grid, wave(:, :n), options)
    box = fft%grid_box()
    allocate (in(n + 1, 2, bands), out(n + 1, 2, bands))
    allocate (potential(box%low(1):box%high(1), box%low(2):box%high(2), box%low(3):box%high(3), 4))
    allocate (density, mold=potential)
    in(:, 1, :) = 2
    in(:, 2, :) = (0, 1)
    out = 1
    do k = 1, 4
      potential(:, :, :, k) = field(k)
    end do
    call fft%apply_potential(in, out, potential, add=.true.)
    call expect(all(abs(out(:n, 1, :) - (11, 1)) < 1e-12_real64), 'spinors turned up')
    call expect(all(abs(out(:n, 2, :) - (3, 1)) < 1e-12_real64), 'spinors turned down')
    density = 0
    call fft%add_density(in, [1, 1] * 0.5_real64, density)
    do k = 1, 4
      call expect(all(abs(density(:, :, :, k) - known(k)) < 1e-12_real64), 'magnetisation')
    end do
    call fft%start_apply_potential(pending, in, out, potential)
    call pending%finish()
    call expect(all(abs(out(:n, 1, :) - (10, 1)) < 1e-12_real64), 'spinors turned up later')
    call fft%start_apply_potential(pending, in, out, potential, add=.true.)
    call pending%finish()
    call expect(all(abs(out(:n, 2, :) - (4, 2)) < 1e-12_real64), 'spinors turned down later')
    call fft%start_add_density(pending, in, [1, 1] * 0.5_real64, density)
    call pending%finish()
    do k = 1, 4
      call expect(all(abs(density(:, :, :, k) - 2 * known(k)) < 1e-12_real64), 'magnetisation later')
    end do
    call fft%start_apply_potential(pending, in, out, potential(:, :, :, :3))
    call pending%finish(status)
    call expect_fault(status, seiche_bad_argument, 'pass one value per point')
    call fft%close()
  end subroutine

  !> A grid that rank 0 has alone.
  subroutine boxes()
    type(sphere_fft) :: fft
    type(seiche_box) :: box, mine
    real(real64), allocatable :: values(:, :, :), here(:, :, :)
    complex(real64), allocatable :: fields(:, :, :, :), there(:, :, :, :)
    integer :: status, x, y, z
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points_of_grid, wave(:, :merge(1, 0, my_rank() == 0)))
    box = fft%grid_box()
    if (my_rank() == 0) mine%high = points_of_grid
    allocate (here(box%low(1):box%high(1), box%low(2):box%high(2), box%low(3):box%high(3)))
    allocate (values(mine%high(1), mine%high(2), mine%high(3)))
    do z = 1, mine%high(3)
      do y = 1, mine%high(2)
        do x = 1, mine%high(1)
          values(x, y, z) = x + 100 * y + 10000 * z
        end do
      end do
    end do
    call fft%spread(mine, values, here)
    do z = box%low(3), box%high(3)
      do y = box%low(2), box%high(2)
        do x = box%low(1), box%high(1)
          call expect(nint(here(x, y, z)) == x + 100 * y + 10000 * z, 'a potential, spread')
        end do
      end do
    end do
    allocate (fields(mine%high(1), mine%high(2), mine%high(3), 2))  ! two complex fields at once
    allocate (there(size(here, 1), size(here, 2), size(here, 3), 2))
    fields(:, :, :, 1) = cmplx(values, -values, real64)
    fields(:, :, :, 2) = cmplx(2 * values, 1, real64)
    call fft%spread(mine, fields, there)
    call expect(maxval(abs(there(:, :, :, 1) - cmplx(here, -here, real64))) < 1e-9_real64, 'a complex field, spread')
    call expect(maxval(abs(there(:, :, :, 2) - cmplx(2 * here, 1, real64))) < 1e-9_real64, 'the second field')
    call fft%collect(there, mine, fields)
    if (my_rank() == 0) then
      call expect(maxval(abs(fields(:, :, :, 2) - cmplx(4 * values, 2, real64))) < 1e-9_real64, 'fields, collected')
    end if
    call fft%collect(here, mine, values)
    if (my_rank() == 0) call expect(nint(values(2, 3, 4)) == 2 * 40302, 'a density, collected')
    call fft%spread(mine, values(:, :, 1:0), here, status)
    call expect_fault(status, seiche_bad_argument, "the caller's box has ")
    call fft%close()
  end subroutine

  !> Spinors: (wave, component, band), and (x, y, z, component, band) on the grid.
  subroutine spinors()
    type(sphere_fft) :: fft
    type(fft_options) :: options
    type(seiche_box) :: box
    complex(real64), allocatable :: in(:, :, :), out(:, :, :), grid(:, :, :, :, :)
    type(turned) :: turn_round
    type(doubled) :: without
    integer :: n, status
    n = merge(1, 0, my_rank() == 0)
    options%components = 2
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points_of_grid, wave(:, :n), options)
    box = fft%grid_box()
    allocate (in(n, 2, bands), out(n, 2, bands), grid(box%low(1):box%high(1), box%low(2):box%high(2), &
                                                      box%low(3):box%high(3), 2, bands))
    in(:, 1, :) = 1
    in(:, 2, :) = 5
    call fft%backward(in, grid)
    call expect(grid_error(box, 5, 1, grid(:, :, :, 2, bands)) < 1e-12_real64, 'spinors to the grid')
    call fft%forward(grid, out)
    call expect(all(abs(out - in) < 1e-12_real64), 'spinors from the grid')
    call fft%round_trip(in, out, turn_round)
    call expect(all(abs(out(:, 1, :) - 5) < 1e-12_real64 .and. abs(out(:, 2, :) - 1) < 1e-12_real64), 'spinors turned')
    call fft%to_grid(in, without, status)
    call expect_fault(status, seiche_bad_argument, 'fft: the callback returned 1 for band 1: return 0')
    call fft%close()
  end subroutine

  subroutine layout()
    integer :: owners(4)
    integer, allocatable :: near(:, :)
    real(real64), parameter :: b(3, 3) = reshape([real(real64) :: 1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3])
    owners = balanced_owners(reshape([1, 0, 2, 0, 1, -1, 2, -1, 1, 1, 1, 0], [3, 4]), 2)
    call expect(sum(owners) == 2, 'four sticks on two ranks')
    near = sphere_of_waves(b, [0.0_real64, 0.0_real64, 0.0_real64], 0.5_real64)
    call expect(size(near, 2) == 7 .and. all(near(:, 1) == [-1, 0, 0]), 'the origin and its neighbours')
    near = sphere_of_waves(b, [0.0_real64, 0.0_real64, 0.0_real64], 0.5_real64, half=.true.)
    call expect(size(near, 2) == 4, 'half of them')
  end subroutine
end module

program fft_test
  use fft_cases
  implicit none
  call MPI_Init()
  call dense_real32()
  call dense_real64()
  call dense_complex32()
  call dense_complex64()
  call sphere_real32()
  call sphere_real64()
  call sphere_complex32()
  call sphere_complex64()
  call device_real32()
  call device_real64()
  call device_complex32()
  call device_complex64()
  call spinors()
  call magnetism()
  call boxes()
  call layout()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()
end program
