! SPDX-License-Identifier: BSD-3-Clause
!> \file  Fourier transforms of spheres of plane waves: coefficients (wave, band) to a grid (x, y, z, band) and back;
!> (wave) and (x, y, z) for one band, (wave, component, band) and (x, y, z, component, band) for spinors.
!> The first dimension of coefficients may be larger than the number of waves; the rest is not touched.
!> Array arguments are taken where they lie; one that is not contiguous is copied by the compiler, and copied back. An
!> array whose shape is not its box's counts as empty, which is told on all ranks.
module seiche_sphere_fft
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_grid_function
  use seiche_status_types
  use seiche_c_status
  use seiche_fft_types
  use seiche_c_fft
  implicit none
  private

  public :: sphere_fft, sphere_stream

  !> Transforms coefficients of plane waves. Kind of value: complex for full spheres; real for half spheres, where
  !> c(-G) = conjg(c(G)) and one of G and -G is given. Coefficients are always complex. Copies are the same plan;
  !> close() it before MPI_Finalize, as nothing does so by itself: it is collective.
  type :: sphere_fft
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: value = -1, components = 1
    integer :: extent(3) = -1
  contains
    procedure, private :: create_f08, create_integer
    procedure, private :: forward_real32_1, forward_real32_2, forward_real32_3, forward_real64_1, forward_real64_2, &
      forward_real64_3, forward_complex32_1, forward_complex32_2, forward_complex32_3, forward_complex64_1, &
      forward_complex64_2, forward_complex64_3
    procedure, private :: backward_real32_1, backward_real32_2, backward_real32_3, backward_real64_1, &
      backward_real64_2, backward_real64_3, backward_complex32_1, backward_complex32_2, backward_complex32_3, &
      backward_complex64_1, backward_complex64_2, backward_complex64_3
    procedure, private :: potential_complex32_1, potential_complex32_2, potential_complex32_3, &
      potential_complex64_1, potential_complex64_2, potential_complex64_3, potential_to_complex32_1, &
      potential_to_complex32_2, potential_to_complex32_3, potential_to_complex64_1, potential_to_complex64_2, &
      potential_to_complex64_3
    procedure, private :: density_complex32_1, density_complex32_2, density_complex32_3, density_complex64_1, &
      density_complex64_2, density_complex64_3
    procedure, private :: round_trip_complex32_1, round_trip_complex32_2, round_trip_complex32_3, &
      round_trip_complex64_1, round_trip_complex64_2, round_trip_complex64_3, round_trip_of_complex32_1, &
      round_trip_of_complex32_2, round_trip_of_complex32_3, round_trip_of_complex64_1, round_trip_of_complex64_2, &
      round_trip_of_complex64_3
    procedure, private :: to_grid_complex32_1, to_grid_complex32_2, to_grid_complex32_3, to_grid_complex64_1, &
      to_grid_complex64_2, to_grid_complex64_3
    procedure, private :: magnetic_potential_complex32, magnetic_potential_complex64, magnetic_density_complex32, &
      magnetic_density_complex64
    procedure, private :: spread_real64_1, spread_real64_2, spread_complex64_1, spread_complex64_2, collect_real64_1, &
      collect_real64_2, collect_complex64_1, collect_complex64_2
    procedure, private :: refuses, refuses_complex, grid_count, wave_count, potential_on
    !> Collective. create(comm, value, shape, waves [, options] [, status]): comm is type(MPI_Comm) or an integer; value
    !> seiche_complex_double, ...; shape [nx, ny, nz]; waves(3, number): those whose coefficients this rank holds.
    generic :: create => create_f08, create_integer
    !> Collective. forward(grid, coefficients [, status])
    generic :: forward => forward_real32_1, forward_real32_2, forward_real32_3, forward_real64_1, forward_real64_2, &
      forward_real64_3, forward_complex32_1, forward_complex32_2, forward_complex32_3, forward_complex64_1, &
      forward_complex64_2, forward_complex64_3
    !> Collective. backward(coefficients, grid [, status])
    generic :: backward => backward_real32_1, backward_real32_2, backward_real32_3, backward_real64_1, &
      backward_real64_2, backward_real64_3, backward_complex32_1, backward_complex32_2, backward_complex32_3, &
      backward_complex64_1, backward_complex64_2, backward_complex64_3
    !> Collective. apply_potential(in, out, potential [, status, add]), or apply_potential(bands, potential [, status]):
    !> each band is multiplied by a real potential(x, y, z) on grid_box(); complex spinors also by v + b.sigma, of
    !> potential(x, y, z, 4): v, bx, by, bz. add=.true.: the result is added to `out`.
    generic :: apply_potential => potential_complex32_1, potential_complex32_2, potential_complex32_3, &
      potential_complex64_1, potential_complex64_2, potential_complex64_3, potential_to_complex32_1, &
      potential_to_complex32_2, potential_to_complex32_3, potential_to_complex64_1, potential_to_complex64_2, &
      potential_to_complex64_3, magnetic_potential_complex32, magnetic_potential_complex64
    !> Collective. add_density(in, weights, density [, status]): adds sum_b weights(b) |psi_b(r)|^2 to density(x, y, z);
    !> of complex spinors also the magnetisation, to density(x, y, z, 4): n, mx, my, mz. Of the bands of this rank's group.
    generic :: add_density => density_complex32_1, density_complex32_2, density_complex32_3, density_complex64_1, &
      density_complex64_2, density_complex64_3, magnetic_density_complex32, magnetic_density_complex64
    !> Collective. round_trip(in, out, function [, status, add]), or round_trip(bands, function [, status]): each band to
    !> the grid, function, and back.
    generic :: round_trip => round_trip_complex32_1, round_trip_complex32_2, round_trip_complex32_3, &
      round_trip_complex64_1, round_trip_complex64_2, round_trip_complex64_3, round_trip_of_complex32_1, &
      round_trip_of_complex32_2, round_trip_of_complex32_3, round_trip_of_complex64_1, round_trip_of_complex64_2, &
      round_trip_of_complex64_3
    !> Collective. to_grid(in, function [, status]): each band to the grid, and function; nothing comes back.
    generic :: to_grid => to_grid_complex32_1, to_grid_complex32_2, to_grid_complex32_3, to_grid_complex64_1, &
      to_grid_complex64_2, to_grid_complex64_3
    !> Collective. spread(box, values, here [, status]): copies values(x, y, z), or values(x, y, z, field), from the
    !> caller's layout of the grid, `box` on this rank, to `here` on grid_box() of every band group. Both are real(real64)
    !> or complex(real64). The boxes of all ranks make up the grid, each point once; some may be empty.
    generic :: spread => spread_real64_1, spread_real64_2, spread_complex64_1, spread_complex64_2
    !> Collective. collect(here, box, values [, status]): adds the densities in `here`, summed over band groups, to
    !> `values`. The way back of spread, by the same rules.
    generic :: collect => collect_real64_1, collect_real64_2, collect_complex64_1, collect_complex64_2
    procedure :: grid_box
    procedure :: bands_here
    procedure :: exchange_only
    procedure :: report => sphere_report
    procedure :: progress => sphere_progress
    procedure :: close => sphere_close
  end type

  !> The way to the grid for bands that come by and by, counted through all of them: what add brings is on its way while
  !> the caller gets more. Between create and close its plan can be used for other things.
  type :: sphere_stream
    private
    type(c_ptr) :: handle = c_null_ptr
    type(sphere_fft) :: fft
    type(called_function), pointer :: called => null()
  contains
    procedure, private :: stream_refuses, add_complex32_1, add_complex32_2, add_complex32_3, add_complex64_1, &
      add_complex64_2, &
      add_complex64_3
    procedure :: create => stream_create
    !> Collective. add(in [, status]): `in` has been read when it returns; the function may be called later.
    generic :: add => add_complex32_1, add_complex32_2, add_complex32_3, add_complex64_1, add_complex64_2, add_complex64_3
    procedure :: fail => stream_fail
    procedure :: finish => stream_finish
    procedure :: close => stream_close
  end type


contains

  !> Collective. Moves what a round trip of so many bands would move, and computes nothing.
  recursive subroutine exchange_only(self, bands, asleep, status)
    class(sphere_fft), intent(in) :: self
    integer, intent(in) :: bands
    logical, intent(in), optional :: asleep  !< sleeps while it waits, so that its CPU time is that of the exchanges
    integer, intent(out), optional :: status
    integer(c_int) :: sleeps
    sleeps = 0
    if (present(asleep)) sleeps = as_integer(asleep)
    call settle(c_sphere_fft_exchange_only(self%handle, int(bands, c_int64_t), sleeps), status)
  end subroutine

  !> Local.
  recursive function sphere_report(self, status) result(report)
    class(sphere_fft), intent(in) :: self
    integer, intent(out), optional :: status
    type(fft_report) :: report
    type(c_fft_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_sphere_fft_report(self%handle, found)
    report = fft_report_of(found)
    call settle(code, status)
  end function

  !> Local.
  recursive function sphere_progress(self, status) result(report)
    class(sphere_fft), intent(in) :: self
    integer, intent(out), optional :: status
    type(progress_report) :: report
    type(c_progress_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_sphere_fft_progress(self%handle, found)
    report = progress_report_of(found)
    call settle(code, status)
  end function

  recursive subroutine create_f08(self, comm, value, shape, waves, options, status)
    class(sphere_fft), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: value, shape(3)
    integer(int32), contiguous, intent(in) :: waves(:, :)
    type(fft_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call self%create(comm%MPI_VAL, value, shape, waves, options, status)
  end subroutine

  recursive subroutine create_integer(self, comm, value, shape, waves, options, status)
    class(sphere_fft), intent(inout) :: self
    integer, intent(in) :: comm, value, shape(3)
    integer(int32), contiguous, intent(in) :: waves(:, :)
    type(fft_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    integer(c_int), allocatable, target :: chunks(:)
    type(c_box) :: box
    integer(c_int) :: code
    if (c_associated(self%handle)) then
      call refuse('sphere_fft: this plan already exists: close it first', status)
      return
    end if
    if (size(waves, 1) /= 3) then
      call refuse_create(comm, seiche_misuse, 'sphere_fft: waves must have shape (3, number)', status)
      return
    end if
    code = c_sphere_fft_create(self%handle, int(comm, c_int), int(value, c_int), int(shape, c_int64_t), waves, &
                    size(waves, 2, c_int64_t), c_fft_options_of(options, chunks))
    if (code == seiche_ok) code = c_sphere_fft_grid_box(self%handle, box)
    if (code == seiche_ok) then
      self%value = value
      self%components = 1
      if (present(options)) self%components = options%components
      self%extent = int(box%high - box%low)
    end if
    call settle(code, status)
  end subroutine

  !> Collective. The plan can be created again after that; closing what is closed does nothing.
  recursive subroutine sphere_close(self, status)
    class(sphere_fft), intent(inout) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_sphere_fft_destroy(self%handle)
    if (code == seiche_ok) call forget(self)
    call settle(code, status)
  end subroutine

  !> Sets everything to what it was before create.
  recursive subroutine forget(self)
    type(sphere_fft), intent(out) :: self
    self%handle = c_null_ptr
  end subroutine

  !> apply_potential on what lies where.
  recursive subroutine potential_on(self, in, in_count, out, out_count, bands, potential, points, status, add)
    class(sphere_fft), intent(in) :: self
    type(*) :: in(*), out(*)
    real(real64), intent(in) :: potential(*)
    integer(c_int64_t), intent(in) :: in_count, out_count, bands, points
    integer, intent(out), optional :: status
    logical, intent(in), optional :: add
    if (asked(add)) then
      call settle(c_sphere_fft_add_potential(self%handle, in, in_count, out, out_count, bands, potential, points), status)
    else
      call settle(c_sphere_fft_apply_potential(self%handle, in, in_count, out, out_count, bands, potential, points), status)
    end if
  end subroutine

  recursive pure logical function asked(flag)
    logical, intent(in), optional :: flag
    asked = .false.
    if (present(flag)) asked = flag
  end function

  !> Local. The part of the grid that this rank holds; rows along x are whole.
  recursive function grid_box(self, status) result(box)
    class(sphere_fft), intent(in) :: self
    integer, intent(out), optional :: status
    type(seiche_box) :: box
    type(c_box) :: found
    integer(c_int) :: code
    code = c_sphere_fft_grid_box(self%handle, found)
    if (code == seiche_ok) box = box_of(found)
    call settle(code, status)
  end function

  !> Local. How many of `bands` bands this rank's group transforms: `first`, and every band_groups-th after it.
  recursive integer function bands_here(self, bands, first, status)
    class(sphere_fft), intent(in) :: self
    integer, intent(in) :: bands
    integer, intent(out), optional :: first, status
    integer(c_int64_t) :: here, from
    integer(c_int) :: code
    here = 0
    from = 0
    code = c_sphere_fft_bands_here(self%handle, int(bands, c_int64_t), here, from)
    bands_here = int(here)
    if (present(first)) first = int(from) + 1
    call settle(code, status)
  end function

  !> Collective where it is true. Whether arrays of another kind than the plan's were given, which is then told on all
  !> ranks; C tells that a plan is none.
  recursive logical function refuses(self, given, status)
    class(sphere_fft), intent(in) :: self
    integer, intent(in) :: given
    integer, intent(out), optional :: status
    refuses = c_associated(self%handle) .and. given /= self%value
    if (refuses) call settle(c_sphere_fft_refuse(self%handle, int(seiche_misuse, c_int), &
      c_text('sphere_fft: the grid is '// &
                             name_of(given)//', but the plan is for '//name_of(self%value)// &
                             ': pass arrays of that type')), status)
  end function

  recursive logical function refuses_complex(self, given, status)
    class(sphere_fft), intent(in) :: self
    integer, intent(in) :: given
    integer, intent(out), optional :: status
    refuses_complex = c_associated(self%handle) .and. given /= complex_kind(self%value)
    if (refuses_complex) call settle(c_sphere_fft_refuse(self%handle, int(seiche_misuse, c_int), &
      c_text(sentence_of(self, given))), &
                                     status)
  end function

  recursive function sentence_of(self, given) result(sentence)
    class(sphere_fft), intent(in) :: self
    integer, intent(in) :: given
    character(:), allocatable :: sentence
    sentence = 'sphere_fft: the coefficients are '//name_of(given)//", but the plan has "// &
               name_of(complex_kind(self%value))//': pass arrays of that type'
  end function

  !> The values of a grid (x, y, z), (x, y, z, band) or (x, y, z, component, band) on this rank's box; else none.
  recursive pure integer(c_int64_t) function grid_count(self, given)
    class(sphere_fft), intent(in) :: self
    integer, intent(in) :: given(:)
    grid_count = counted(given(:3), self%extent) * product(int(given(4:), c_int64_t))
    if (size(given) == 5) grid_count = merge(grid_count, 0_c_int64_t, given(4) == self%components)
  end function

  !> The coefficients of (wave), (wave, band), (wave, component, band).
  recursive pure integer(c_int64_t) function wave_count(self, given)
    class(sphere_fft), intent(in) :: self
    integer, intent(in) :: given(:)
    wave_count = product(int(given, c_int64_t))
    if (size(given) == 3) wave_count = merge(wave_count, 0_c_int64_t, given(2) == self%components)
  end function

  recursive pure integer(c_int64_t) function bands_of(given)
    integer, intent(in) :: given(:)
    bands_of = 1
    if (size(given) > 1) bands_of = given(size(given))
  end function

  include 'sphere_stream.inc'
  include 'sphere_arrays_real32_1.inc'
  include 'sphere_arrays_real32_2.inc'
  include 'sphere_arrays_real32_3.inc'
  include 'sphere_arrays_real64_1.inc'
  include 'sphere_arrays_real64_2.inc'
  include 'sphere_arrays_real64_3.inc'
  include 'sphere_arrays_complex32_1.inc'
  include 'sphere_arrays_complex32_2.inc'
  include 'sphere_arrays_complex32_3.inc'
  include 'sphere_arrays_complex64_1.inc'
  include 'sphere_arrays_complex64_2.inc'
  include 'sphere_arrays_complex64_3.inc'
  include 'sphere_boxes_real64_1.inc'
  include 'sphere_boxes_real64_2.inc'
  include 'sphere_boxes_complex64_1.inc'
  include 'sphere_boxes_complex64_2.inc'
  include 'sphere_spinors_complex32.inc'
  include 'sphere_spinors_complex64.inc'
  include 'sphere_bands_complex32_1.inc'
  include 'sphere_bands_complex32_2.inc'
  include 'sphere_bands_complex32_3.inc'
  include 'sphere_bands_complex64_1.inc'
  include 'sphere_bands_complex64_2.inc'
  include 'sphere_bands_complex64_3.inc'
  include 'sphere_streams_complex32_1.inc'
  include 'sphere_streams_complex32_2.inc'
  include 'sphere_streams_complex32_3.inc'
  include 'sphere_streams_complex64_1.inc'
  include 'sphere_streams_complex64_2.inc'
  include 'sphere_streams_complex64_3.inc'
end module
