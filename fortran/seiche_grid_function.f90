! SPDX-License-Identifier: BSD-3-Clause
!> \file  Callbacks on the grid: types to extend, with data in their components.
module seiche_grid_function
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_dense_fft, only: padded_shape
  use seiche_status_types
  use seiche_c_status
  use seiche_c_fft
  implicit none
  private

  public :: grid_function, called_function, call_function
  public :: device_function, device_bands, called_on_device, call_device_function

  !> Extend this type and override the procedure for the plan's kind of value. It is called for parts of each band
  !> (numbered from 1); several threads may call it at the same time. `box` has the points of the whole grid. The first
  !> value of `values` belongs to its first point. values(x, y, z, component) may be changed. Do not call the plan, or
  !> any collective operation, from inside the callback. `status` is 0 initially; any other value ends the call with an
  !> error on all ranks.
  type, abstract :: grid_function
  contains
    procedure :: on_real32
    procedure :: on_real64
    procedure :: on_complex32
    procedure :: on_complex64
    procedure :: on_spinor32  !< for spinors: two components, complex(real32)
    procedure :: on_spinor64
  end type

  !> Argument that C passes to call_function.
  type :: called_function
    integer :: value = -1
    class(grid_function), pointer :: function => null()
  end type

  !> Some bands on the grid in memory of a device: bands first, first + step, ...
  type :: device_bands
    integer :: first = 1  !< number of the first band, from 1
    integer :: count = 0  !< number of bands
    integer :: step = 1  !< distance of their numbers: the number of band groups
    type(seiche_box) :: box  !< this rank's part of the grid: grid_box()
    integer :: components = 1  !< number of components of a band
    !> Values in device memory, (x, y, z, component, count), of the plan's kind of value.
    type(c_ptr) :: values = c_null_ptr
    !> With seiche_space_cuda: handle of the stream in which the callback starts its kernels (a cudaStream_t as integer).
    integer(int64) :: stream = 0
  end type

  !> Extend this type and implement the procedure. It is called for some bands at a time, starts kernels in the given
  !> stream, and returns without waiting for them. The kernels may change the values. A rank without grid points is not
  !> called. Otherwise as grid_function.
  type, abstract :: device_function
  contains
    procedure(on_device), deferred :: on_device
  end type

  abstract interface
    recursive subroutine on_device(self, bands, status)
      import
      class(device_function), intent(inout) :: self
      type(device_bands), intent(in) :: bands
      integer, intent(inout) :: status
    end subroutine
  end interface

  !> Argument that C passes to call_device_function.
  type :: called_on_device
    class(device_function), pointer :: function => null()
  end type

contains

  !> Called by C.
  recursive function call_device_function(bands, user) bind(c) result(status)
    type(c_device_bands), intent(in) :: bands
    type(c_ptr), value :: user
    integer(c_int) :: status
    type(called_on_device), pointer :: called
    integer :: code
    call c_f_pointer(user, called)
    code = 0
    call called%function%on_device(device_bands(int(bands%first) + 1, int(bands%count), int(bands%step), &
      box_of(bands%box), int(bands%components), bands%values, bands%stream), code)
    status = status_of(code, 'bands from', int(bands%first) + 1)
  end function

  !> Called by C. Calls the procedure for the kind of value.
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
    status = status_of(code, 'band', band)
  end function

  !> Returns the status of a callback for C. Sets the message if it is not 0. The message of C counts bands from 0.
  recursive integer(c_int) function status_of(code, words, band) result(status)
    integer, intent(in) :: code, band
    character(*), intent(in) :: words
    character(100) :: sentence
    status = seiche_ok
    if (code == 0) return
    write (sentence, '("fft: the callback returned ", i0, " for ", a, " ", i0, ": return 0 on success")') code, words, band
    status = c_refuse(int(seiche_bad_argument, c_int), c_text(sentence))
  end function

  ! A procedure that is not overridden ends the call with an error.
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
