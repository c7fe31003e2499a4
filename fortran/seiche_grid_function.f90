! SPDX-License-Identifier: BSD-3-Clause
!> \file  Users' functions of real space: a type that is extended, with what it needs in its components.
module seiche_grid_function
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_dense_fft, only: padded_shape
  use seiche_status_types
  use seiche_c_fft
  implicit none
  private

  public :: grid_function, called_function, call_function

  !> Extend it, and override the procedure for your plan's kind of value: it is called for every band, counted from 1,
  !> and each part of it that is here, maybe from several threads at once. `box`: the points of the whole grid that
  !> values(1, 1, 1), ... are; values(x, y, z, component), which it may change. It may not use the plan that calls it.
  !> Another status than 0, which it has at first, ends the call with an error on all ranks.
  type, abstract :: grid_function
  contains
    procedure :: on_real32
    procedure :: on_real64
    procedure :: on_complex32
    procedure :: on_complex64
    procedure :: on_spinor32  !< of two components, complex(real32)
    procedure :: on_spinor64
  end type

  !> What C hands back to call_function.
  type :: called_function
    integer :: value = -1
    class(grid_function), pointer :: function => null()
  end type

contains

  !> From C: calls the procedure for the kind of value.
  recursive function call_function(part, user) bind(c) result(status)
    type(c_grid_part), intent(in) :: part
    type(c_ptr), value :: user
    integer(c_int) :: status
    type(called_function), pointer :: called
    type(c_view), pointer :: views(:)
    type(seiche_box) :: box
    integer :: band, code
    call c_f_pointer(user, called)
    call c_f_pointer(part%component, views, [part%components])
    box = box_of(part%box)
    band = int(part%band) + 1
    code = 0
    select case (called%value + 10 * (part%components - 1))
    case (seiche_float)
      call called%function%on_real32(band, box, real32_values(views(1)), code)
    case (seiche_double)
      call called%function%on_real64(band, box, real64_values(views(1)), code)
    case (seiche_complex_float)
      call called%function%on_complex32(band, box, complex32_values(views(1)), code)
    case (seiche_complex_double)
      call called%function%on_complex64(band, box, complex64_values(views(1)), code)
    case (seiche_complex_float + 10)
      call called%function%on_spinor32(band, box, complex32_values(views(1)), complex32_values(views(2)), code)
    case (seiche_complex_double + 10)
      call called%function%on_spinor64(band, box, complex64_values(views(1)), complex64_values(views(2)), code)
    case default
      code = 1
    end select
    status = int(code, c_int)
  end function

  ! What is not overridden ends the call: the plan's kind of value has no function.
  recursive subroutine on_real32(self, band, box, values, status)
    class(grid_function), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    real(real32), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    status = 1
  end subroutine

  recursive subroutine on_real64(self, band, box, values, status)
    class(grid_function), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    real(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    status = 1
  end subroutine

  recursive subroutine on_complex32(self, band, box, values, status)
    class(grid_function), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real32), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    status = 1
  end subroutine

  recursive subroutine on_complex64(self, band, box, values, status)
    class(grid_function), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    status = 1
  end subroutine

  recursive subroutine on_spinor32(self, band, box, up, down, status)
    class(grid_function), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real32), intent(inout) :: up(:, :, :), down(:, :, :)
    integer, intent(inout) :: status
    status = 1
  end subroutine

  recursive subroutine on_spinor64(self, band, box, up, down, status)
    class(grid_function), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: up(:, :, :), down(:, :, :)
    integer, intent(inout) :: status
    status = 1
  end subroutine

  include 'view_values_real32.inc'
  include 'view_values_real64.inc'
  include 'view_values_complex32.inc'
  include 'view_values_complex64.inc'
end module
