! SPDX-License-Identifier: BSD-3-Clause
!> \file  Redistribution of grid values between arbitrary boxes.
module seiche_boxes
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_status_types
  use seiche_boxes_types
  use seiche_c_fft
  use seiche_c_boxes
  use seiche_dense_arrays
  use seiche_pending_calls
  implicit none
  private
  public :: box_exchange, c_boxes_of

  !> Copies values of distributed grids from source boxes to target boxes. Each rank has any number of boxes at both
  !> ends. Source boxes are inside the grid and do not overlap. Target boxes may overlap, and may extend beyond the
  !> grid, which is periodic: point 0 is point n. Each target point must be in a source box. One thread at a time may
  !> use an exchange.
  type :: box_exchange
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: create_f08, create_integer
    procedure, private :: copy_real32_1, copy_real32_3, copy_real32_4, copy_real64_1, copy_real64_3, &
      copy_real64_4, copy_complex32_1, copy_complex32_3, copy_complex32_4, copy_complex64_1, copy_complex64_3, &
      copy_complex64_4, add_back_real32_1, add_back_real32_3, add_back_real32_4, add_back_real64_1, &
      add_back_real64_3, add_back_real64_4, add_back_complex32_1, add_back_complex32_3, add_back_complex32_4, &
      add_back_complex64_1, add_back_complex64_3, add_back_complex64_4, start_copy_real32_1, &
      start_copy_real32_3, start_copy_real32_4, start_copy_real64_1, start_copy_real64_3, start_copy_real64_4, &
      start_copy_complex32_1, start_copy_complex32_3, start_copy_complex32_4, start_copy_complex64_1, &
      start_copy_complex64_3, start_copy_complex64_4, start_add_back_real32_1, start_add_back_real32_3, &
      start_add_back_real32_4, start_add_back_real64_1, start_add_back_real64_3, start_add_back_real64_4, &
      start_add_back_complex32_1, start_add_back_complex32_3, start_add_back_complex32_4, &
      start_add_back_complex64_1, start_add_back_complex64_3, start_add_back_complex64_4
    !> Collective. create(comm, shape, source, target [, options] [, status]): `comm` is type(MPI_Comm) or an integer,
    !> `shape` is [nx, ny, nz]. `source(:)` and `target(:)` are the boxes of this rank, of type field_array.
    generic :: create => create_f08, create_integer
    !> Collective. copy(source, target [, status, fields]): copies values of the source boxes to the target boxes. Other
    !> values of `target` are not changed. Arrays have one dimension, or (x, y, z) or (x, y, z, field). `fields`: number
    !> of fields (default: the last of four dimensions, else 1).
    generic :: copy => copy_real32_1, copy_real32_3, copy_real32_4, copy_real64_1, copy_real64_3, &
      copy_real64_4, copy_complex32_1, copy_complex32_3, copy_complex32_4, copy_complex64_1, copy_complex64_3, &
      copy_complex64_4
    !> Collective. add_back(target, source [, status, fields]): adds values of the target boxes to the source boxes. A
    !> point of several target boxes receives the sum of all.
    generic :: add_back => add_back_real32_1, add_back_real32_3, add_back_real32_4, add_back_real64_1, &
      add_back_real64_3, add_back_real64_4, add_back_complex32_1, add_back_complex32_3, add_back_complex32_4, &
      add_back_complex64_1, add_back_complex64_3, add_back_complex64_4
    !> Collective. start_copy(pending, source, target [, status, fields]): starts copy. pending%finish() completes it.
    generic :: start_copy => start_copy_real32_1, start_copy_real32_3, start_copy_real32_4, &
      start_copy_real64_1, start_copy_real64_3, start_copy_real64_4, start_copy_complex32_1, &
      start_copy_complex32_3, start_copy_complex32_4, start_copy_complex64_1, start_copy_complex64_3, &
      start_copy_complex64_4
    !> Collective. start_add_back(pending, target, source [, status, fields]): starts add_back.
    generic :: start_add_back => start_add_back_real32_1, start_add_back_real32_3, start_add_back_real32_4, &
      start_add_back_real64_1, start_add_back_real64_3, start_add_back_real64_4, start_add_back_complex32_1, &
      start_add_back_complex32_3, start_add_back_complex32_4, start_add_back_complex64_1, &
      start_add_back_complex64_3, start_add_back_complex64_4
    procedure :: report => box_report_here
    procedure :: progress => box_progress
    procedure :: close => box_close
  end type

contains

  recursive subroutine create_f08(self, comm, shape, source, target, options, status)
    class(box_exchange), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: shape(3)
    type(field_array), intent(in) :: source(:), target(:)
    type(box_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call create_integer(self, comm%MPI_VAL, shape, source, target, options, status)
  end subroutine

  recursive subroutine create_integer(self, comm, shape, source, target, options, status)
    class(box_exchange), intent(inout) :: self
    integer, intent(in) :: comm, shape(3)
    type(field_array), intent(in) :: source(:), target(:)
    type(box_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call settle(c_box_exchange_create(self%handle, int(comm, c_int), int(shape, c_int64_t), c_boxes_of(source), &
      size(source, kind=c_int64_t), c_boxes_of(target), size(target, kind=c_int64_t), c_box_options_of(options)), status)
  end subroutine

  !> Local. Returns settings and costs of the exchange.
  recursive function box_report_here(self, status) result(report)
    class(box_exchange), intent(in) :: self
    integer, intent(out), optional :: status
    type(box_report) :: report
    type(c_box_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_box_exchange_report(self%handle, found)
    if (code == seiche_ok) report = box_report_of(found)
    call settle(code, status)
  end function

  !> Local. Returns the use of time in calls of this exchange.
  recursive function box_progress(self, status) result(report)
    class(box_exchange), intent(in) :: self
    integer, intent(out), optional :: status
    type(progress_report) :: report
    type(c_progress_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_box_exchange_progress(self%handle, found)
    if (code == seiche_ok) report = progress_report_of(found)
    call settle(code, status)
  end function

  !> Collective. Destroys the exchange. It can be created again. Closing a closed exchange has no effect.
  recursive subroutine box_close(self, status)
    class(box_exchange), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_box_exchange_destroy(self%handle), status)
  end subroutine

  recursive pure function c_boxes_of(arrays) result(same)
    type(field_array), intent(in) :: arrays(:)
    type(c_box_array) :: same(size(arrays))
    integer :: i
    do i = 1, size(arrays)
      same(i)%box%low = arrays(i)%box%low - 1
      same(i)%box%high = arrays(i)%box%high
      same(i)%stride = arrays(i)%stride
      same(i)%field_stride = arrays(i)%field_stride
      same(i)%offset = arrays(i)%offset
    end do
  end function

  recursive pure integer(c_int64_t) function fields_of(given, fields)
    integer, intent(in) :: given(:)
    integer, intent(in), optional :: fields
    fields_of = 1
    if (size(given) == 4) fields_of = given(4)
    if (present(fields)) fields_of = fields
  end function

  include 'boxes_arrays_real32_1.inc'
  include 'boxes_arrays_real32_3.inc'
  include 'boxes_arrays_real32_4.inc'
  include 'boxes_arrays_real64_1.inc'
  include 'boxes_arrays_real64_3.inc'
  include 'boxes_arrays_real64_4.inc'
  include 'boxes_arrays_complex32_1.inc'
  include 'boxes_arrays_complex32_3.inc'
  include 'boxes_arrays_complex32_4.inc'
  include 'boxes_arrays_complex64_1.inc'
  include 'boxes_arrays_complex64_3.inc'
  include 'boxes_arrays_complex64_4.inc'
end module
