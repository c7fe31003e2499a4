! SPDX-License-Identifier: BSD-3-Clause
!> \file  Fourier transforms of spheres of plane waves. Coefficients (wave, band) are transformed to a grid (x, y, z,
!> band) and back.
!>
!> For one band the arrays are (wave) and (x, y, z). For spinors they are (wave, component, band) and (x, y, z,
!> component, band). The first dimension of coefficients may be larger than the number of waves; the padding is not
!> changed. Contiguous arrays are not copied. The compiler copies other arrays, and copies the results back. An array
!> whose shape is not the shape of its box causes an error on all ranks.
module seiche_sphere_fft
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_grid_function
  use seiche_status_types
  use seiche_c_status
  use seiche_fft_types
  use seiche_c_fft
  use seiche_pending_calls
  implicit none
  private

  public :: sphere_fft, sphere_stream

  !> Transforms plane-wave coefficients to a grid and back. Kind of value: complex for full spheres, real for half
  !> spheres. A half sphere has one of each pair G and -G, with c(-G) = conjg(c(G)). Coefficients are always complex.
  !> Assignment copies the handle only. Call close() before MPI_Finalize; it is collective.
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
    procedure, private :: potential_complex32_1, potential_complex32_2, potential_complex32_3, potential_complex64_1, &
      potential_complex64_2, potential_complex64_3, potential_to_complex32_1, potential_to_complex32_2, &
      potential_to_complex32_3, potential_to_complex64_1, potential_to_complex64_2, potential_to_complex64_3
    procedure, private :: density_complex32_1, density_complex32_2, density_complex32_3, density_complex64_1, &
      density_complex64_2, density_complex64_3
    procedure, private :: round_trip_complex32_1, round_trip_complex32_2, round_trip_complex32_3, &
      round_trip_complex64_1, round_trip_complex64_2, round_trip_complex64_3, round_trip_of_complex32_1, &
      round_trip_of_complex32_2, round_trip_of_complex32_3, round_trip_of_complex64_1, round_trip_of_complex64_2, &
      round_trip_of_complex64_3
    procedure, private :: to_grid_complex32_1, to_grid_complex32_2, to_grid_complex32_3, to_grid_complex64_1, &
      to_grid_complex64_2, to_grid_complex64_3
    procedure, private :: magnetic_potential_complex32, magnetic_potential_complex64, magnetic_density_complex32, &
      magnetic_density_complex64, start_magnetic_potential_complex32, start_magnetic_potential_complex64, &
      start_magnetic_density_complex32, start_magnetic_density_complex64
    procedure, private :: spread_real64_1, spread_real64_2, spread_complex64_1, spread_complex64_2, collect_real64_1, &
      collect_real64_2, collect_complex64_1, collect_complex64_2
    procedure, private :: start_forward_real32_1, start_forward_real32_2, start_forward_real32_3, &
      start_forward_real64_1, start_forward_real64_2, start_forward_real64_3, start_forward_complex32_1, &
      start_forward_complex32_2, start_forward_complex32_3, start_forward_complex64_1, start_forward_complex64_2, &
      start_forward_complex64_3, start_backward_real32_1, start_backward_real32_2, start_backward_real32_3, &
      start_backward_real64_1, start_backward_real64_2, start_backward_real64_3, start_backward_complex32_1, &
      start_backward_complex32_2, start_backward_complex32_3, start_backward_complex64_1, start_backward_complex64_2, &
      start_backward_complex64_3, start_potential_complex32_1, start_potential_complex32_2, &
      start_potential_complex32_3, start_potential_complex64_1, start_potential_complex64_2, &
      start_potential_complex64_3, start_density_complex32_1, start_density_complex32_2, start_density_complex32_3, &
      start_density_complex64_1, start_density_complex64_2, start_density_complex64_3, to_boxes_real32_1, &
      to_boxes_real32_2, to_boxes_real32_3, to_boxes_real64_1, to_boxes_real64_2, to_boxes_real64_3, &
      to_boxes_complex32_1, to_boxes_complex32_2, to_boxes_complex32_3, to_boxes_complex64_1, to_boxes_complex64_2, &
      to_boxes_complex64_3, from_boxes_real32_1, from_boxes_real32_2, from_boxes_real32_3, from_boxes_real64_1, &
      from_boxes_real64_2, from_boxes_real64_3, from_boxes_complex32_1, from_boxes_complex32_2, &
      from_boxes_complex32_3, from_boxes_complex64_1, from_boxes_complex64_2, from_boxes_complex64_3
    procedure, private :: start_round_trip_complex32_1, start_round_trip_complex32_2, start_round_trip_complex32_3, &
      start_round_trip_complex64_1, start_round_trip_complex64_2, start_round_trip_complex64_3
    procedure, private :: trip_on_device_complex32_1, trip_on_device_complex32_2, trip_on_device_complex32_3, &
      trip_on_device_complex64_1, trip_on_device_complex64_2, trip_on_device_complex64_3, &
      trip_on_device_of_complex32_1, trip_on_device_of_complex32_2, trip_on_device_of_complex32_3, &
      trip_on_device_of_complex64_1, trip_on_device_of_complex64_2, trip_on_device_of_complex64_3, &
      to_grid_on_device_complex32_1, to_grid_on_device_complex32_2, to_grid_on_device_complex32_3, &
      to_grid_on_device_complex64_1, to_grid_on_device_complex64_2, to_grid_on_device_complex64_3
    procedure, private :: refuses, refuses_complex, refuses_section, refuses_shape, grid_count, wave_count, &
      row_length, potential_on, start_potential_on, trip_on
    !> Collective. create(comm, value, shape, waves [, options] [, status]): `comm` is type(MPI_Comm) or an integer,
    !> `value` is seiche_complex_double, ..., `shape` is [nx, ny, nz]. `waves(3, number)` are the waves of this rank.
    generic :: create => create_f08, create_integer
    !> Collective. forward(grid, coefficients [, status]): transforms grid values to coefficients and scales by 1/(nx
    !> ny nz).
    generic :: forward => forward_real32_1, forward_real32_2, forward_real32_3, forward_real64_1, forward_real64_2, &
      forward_real64_3, forward_complex32_1, forward_complex32_2, forward_complex32_3, forward_complex64_1, &
      forward_complex64_2, forward_complex64_3
    !> Collective. backward(coefficients, grid [, status]): transforms coefficients to grid values.
    generic :: backward => backward_real32_1, backward_real32_2, backward_real32_3, backward_real64_1, &
      backward_real64_2, backward_real64_3, backward_complex32_1, backward_complex32_2, backward_complex32_3, &
      backward_complex64_1, backward_complex64_2, backward_complex64_3
    !> Collective. apply_potential(in, out, potential [, status, add]) or apply_potential(bands, potential [, status]):
    !> multiplies each band by a real potential on the grid and transforms it back. The potential(x, y, z) is on
    !> grid_box(). For complex spinors, potential(x, y, z, 4) with v, bx, by, bz applies v + b.sigma. add=.true.: the
    !> result is added to `out`.
    generic :: apply_potential => potential_complex32_1, potential_complex32_2, potential_complex32_3, &
      potential_complex64_1, potential_complex64_2, potential_complex64_3, potential_to_complex32_1, &
      potential_to_complex32_2, potential_to_complex32_3, potential_to_complex64_1, potential_to_complex64_2, &
      potential_to_complex64_3, magnetic_potential_complex32, magnetic_potential_complex64
    !> Collective. add_density(in, weights, density [, status]): adds sum_b weights(b) |psi_b(r)|^2 to density(x, y,
    !> z). For complex spinors, density(x, y, z, 4) with n, mx, my, mz includes the magnetization. Only bands of this
    !> rank's group contribute.
    generic :: add_density => density_complex32_1, density_complex32_2, density_complex32_3, density_complex64_1, &
      density_complex64_2, density_complex64_3, magnetic_density_complex32, magnetic_density_complex64
    !> Collective. round_trip(in, out, function [, status, add]) or round_trip(bands, function [, status]): transforms
    !> each band to the grid, calls `function`, and transforms it back.
    generic :: round_trip => round_trip_complex32_1, round_trip_complex32_2, round_trip_complex32_3, &
      round_trip_complex64_1, round_trip_complex64_2, round_trip_complex64_3, round_trip_of_complex32_1, &
      round_trip_of_complex32_2, round_trip_of_complex32_3, round_trip_of_complex64_1, round_trip_of_complex64_2, &
      round_trip_of_complex64_3
    !> Collective. to_grid(in, function [, status]): transforms each band to the grid and calls `function`. The grid is
    !> not stored.
    generic :: to_grid => to_grid_complex32_1, to_grid_complex32_2, to_grid_complex32_3, to_grid_complex64_1, &
      to_grid_complex64_2, to_grid_complex64_3
    !> Collective. round_trip_on_device(in, out, function [, status, add]) or round_trip_on_device(bands, function [,
    !> status]): transforms bands to the grid, calls `function`, a device_function, and transforms the values back after
    !> the kernels that it starts. For plans on a device.
    generic :: round_trip_on_device => trip_on_device_complex32_1, trip_on_device_complex32_2, &
      trip_on_device_complex32_3, trip_on_device_complex64_1, trip_on_device_complex64_2, trip_on_device_complex64_3, &
      trip_on_device_of_complex32_1, trip_on_device_of_complex32_2, trip_on_device_of_complex32_3, &
      trip_on_device_of_complex64_1, trip_on_device_of_complex64_2, trip_on_device_of_complex64_3
    !> Collective. to_grid_on_device(in, function [, status]): transforms bands to the grid and calls `function`, a
    !> device_function. The grid is not stored. For plans on a device.
    generic :: to_grid_on_device => to_grid_on_device_complex32_1, to_grid_on_device_complex32_2, &
      to_grid_on_device_complex32_3, to_grid_on_device_complex64_1, to_grid_on_device_complex64_2, &
      to_grid_on_device_complex64_3
    !> Collective. spread(box, values, here [, status]): redistributes values(x, y, z) or values(x, y, z, field) from
    !> the caller's layout to the plan's. `values` are on `box` of this rank, `here` on grid_box(), in every band
    !> group. Both are real(real64) or complex(real64). The boxes of all ranks must cover each grid point once; some
    !> may be empty.
    generic :: spread => spread_real64_1, spread_real64_2, spread_complex64_1, spread_complex64_2
    !> Collective. collect(here, box, values [, status]): redistributes densities in `here` to the caller's layout,
    !> sums them over band groups, and adds them to `values`. Arguments as for spread.
    generic :: collect => collect_real64_1, collect_real64_2, collect_complex64_1, collect_complex64_2
    !> Collective. start_forward(pending, grid, coefficients [, status]): starts forward. pending%finish() completes it.
    generic :: start_forward => start_forward_real32_1, start_forward_real32_2, start_forward_real32_3, &
      start_forward_real64_1, start_forward_real64_2, start_forward_real64_3, start_forward_complex32_1, &
      start_forward_complex32_2, start_forward_complex32_3, start_forward_complex64_1, start_forward_complex64_2, &
      start_forward_complex64_3
    !> Collective. start_backward(pending, coefficients, grid [, status]): starts backward.
    generic :: start_backward => start_backward_real32_1, start_backward_real32_2, start_backward_real32_3, &
      start_backward_real64_1, start_backward_real64_2, start_backward_real64_3, start_backward_complex32_1, &
      start_backward_complex32_2, start_backward_complex32_3, start_backward_complex64_1, start_backward_complex64_2, &
      start_backward_complex64_3
    !> Collective. start_apply_potential(pending, in, out, potential [, status, add]): starts apply_potential.
    generic :: start_apply_potential => start_potential_complex32_1, start_potential_complex32_2, &
      start_potential_complex32_3, start_potential_complex64_1, start_potential_complex64_2, &
      start_potential_complex64_3, start_magnetic_potential_complex32, start_magnetic_potential_complex64
    !> Collective. start_add_density(pending, in, weights, density [, status]): starts add_density.
    generic :: start_add_density => start_density_complex32_1, start_density_complex32_2, start_density_complex32_3, &
      start_density_complex64_1, start_density_complex64_2, start_density_complex64_3, &
      start_magnetic_density_complex32, start_magnetic_density_complex64
    !> Collective. start_round_trip(pending, in, out, function [, status]): starts round_trip. `function` must exist until
    !> finish.
    generic :: start_round_trip => start_round_trip_complex32_1, start_round_trip_complex32_2, &
      start_round_trip_complex32_3, start_round_trip_complex64_1, start_round_trip_complex64_2, &
      start_round_trip_complex64_3
    !> Collective. backward_to_boxes(coefficients, box, values [, status]): transforms coefficients to grid values of
    !> all bands on `box` of this rank. The boxes of all ranks must cover each grid point once; some may be empty.
    generic :: backward_to_boxes => to_boxes_real32_1, to_boxes_real32_2, to_boxes_real32_3, to_boxes_real64_1, &
      to_boxes_real64_2, to_boxes_real64_3, to_boxes_complex32_1, to_boxes_complex32_2, to_boxes_complex32_3, &
      to_boxes_complex64_1, to_boxes_complex64_2, to_boxes_complex64_3
    !> Collective. forward_from_boxes(box, values, coefficients [, status]): transforms grid values on `box` to
    !> coefficients.
    generic :: forward_from_boxes => from_boxes_real32_1, from_boxes_real32_2, from_boxes_real32_3, &
      from_boxes_real64_1, from_boxes_real64_2, from_boxes_real64_3, from_boxes_complex32_1, from_boxes_complex32_2, &
      from_boxes_complex32_3, from_boxes_complex64_1, from_boxes_complex64_2, from_boxes_complex64_3
    procedure :: grid_box
    procedure :: bands_here
    procedure :: report => sphere_report
    procedure :: progress => sphere_progress
    procedure :: close => sphere_close
  end type

  !> Transforms bands to the grid as they become available. Band numbers continue across calls of add. Bands are
  !> exchanged while the caller prepares the next ones. The plan can be used for other bands meanwhile.
  type :: sphere_stream
    private
    type(c_ptr) :: handle = c_null_ptr
    type(sphere_fft) :: fft
    type(called_function), pointer :: called => null()
  contains
    procedure, private :: stream_refuses, add_complex32_1, add_complex32_2, add_complex32_3, add_complex64_1, &
      add_complex64_2, add_complex64_3
    procedure :: create => stream_create
    !> Collective. add(in [, status]): adds bands. `in` may be changed when the call returns. The callback may be
    !> called later.
    generic :: add => add_complex32_1, add_complex32_2, add_complex32_3, add_complex64_1, add_complex64_2, &
      add_complex64_3
    procedure :: fail => stream_fail
    procedure :: finish => stream_finish
    procedure :: close => stream_close
  end type

contains

  !> Local. Returns settings and costs of the plan.
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

  !> Local. Returns the use of time in calls of this plan.
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

  !> Collective. Destroys the plan. It can be created again. Closing a closed plan has no effect.
  recursive subroutine sphere_close(self, status)
    class(sphere_fft), intent(inout) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_sphere_fft_destroy(self%handle)
    if (code == seiche_ok) call forget(self)
    call settle(code, status)
  end subroutine

  !> Resets the members to the state before create.
  recursive subroutine forget(self)
    type(sphere_fft), intent(out) :: self
    self%handle = c_null_ptr
  end subroutine

  !> Applies a potential for arrays of all ranks and kinds.
  recursive subroutine potential_on(self, in, in_count, in_row, out, out_count, out_row, bands, potential, points, &
    status, add)
    class(sphere_fft), intent(in) :: self
    type(*) :: in(*), out(*)
    real(real64), intent(in) :: potential(*)
    integer(c_int64_t), intent(in) :: in_count, in_row, out_count, out_row, bands, points
    integer, intent(out), optional :: status
    logical, intent(in), optional :: add
    if (asked(add)) then
      call settle(c_sphere_fft_add_potential(self%handle, in, in_count, in_row, out, out_count, out_row, bands, &
        potential, points), status)
    else
      call settle(c_sphere_fft_apply_potential(self%handle, in, in_count, in_row, out, out_count, out_row, bands, &
        potential, points), status)
    end if
  end subroutine

  !> Same for a started call.
  recursive subroutine start_potential_on(self, pending, in, in_count, in_row, out, out_count, out_row, bands, &
    potential, points, status, add)
    class(sphere_fft), intent(in) :: self
    type(seiche_pending), intent(inout) :: pending
    type(*) :: in(*), out(*)
    real(real64), intent(in) :: potential(*)
    integer(c_int64_t), intent(in) :: in_count, in_row, out_count, out_row, bands, points
    integer, intent(out), optional :: status
    logical, intent(in), optional :: add
    if (asked(add)) then
      call settle(c_sphere_fft_start_add_potential(pending%handle, self%handle, in, in_count, in_row, out, &
        out_count, out_row, bands, potential, points), status)
    else
      call settle(c_sphere_fft_start_apply_potential(pending%handle, self%handle, in, in_count, in_row, out, &
        out_count, out_row, bands, potential, points), status)
    end if
  end subroutine

  !> Local. Returns this rank's part of the grid. Rows along x are whole.
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

  !> Local. Returns how many of `bands` bands this rank's group transforms: band `first`, and every band_groups-th band
  !> after it.
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

  include 'sphere_checks.inc'
  include 'sphere_stream.inc'
  include 'sphere_on_device.inc'
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
