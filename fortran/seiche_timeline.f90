! SPDX-License-Identifier: BSD-3-Clause
!> \file  What happened when on this process while a recording was on; seconds of its steady clock (docs/pipeline.md).
module seiche_timeline
  use, intrinsic :: iso_c_binding
  use seiche_base
  implicit none
  private

  public :: timeline, timeline_work, timeline_transfer, start_recording, stop_recording

  !> Computing, polls among it included: a stage of a plan's pipeline, from 0, on an item, e.g. a band, from 0.
  type, bind(c) :: timeline_work
    integer(c_int32_t) :: stage = 0
    integer(c_int64_t) :: item = 0
    real(c_double) :: begin = 0, end = 0
  end type

  !> An exchange of values: sent off; waited for from here on; all there.
  type, bind(c) :: timeline_transfer
    real(c_double) :: started = 0, needed = 0, arrived = 0
  end type

  type :: timeline
    type(timeline_work), allocatable :: work(:)
    type(timeline_transfer), allocatable :: transfers(:)
  end type

  interface
    function c_start() bind(c, name='seiche_timeline_start')
      import :: c_int
      integer(c_int) :: c_start
    end function
    function c_create(timeline) bind(c, name='seiche_timeline_create')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: timeline
      integer(c_int) :: c_create
    end function
    function c_destroy(timeline) bind(c, name='seiche_timeline_destroy')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: timeline
      integer(c_int) :: c_destroy
    end function
    function c_work(timeline, entries, count) bind(c, name='seiche_timeline_get_work')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: timeline
      type(c_ptr), intent(inout) :: entries
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: c_work
    end function
    function c_transfers(timeline, entries, count) bind(c, name='seiche_timeline_get_transfers')
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: timeline
      type(c_ptr), intent(inout) :: entries
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: c_transfers
    end function
  end interface

contains

  !> Local. A recording that is on starts anew.
  recursive subroutine start_recording(status)
    integer, intent(out), optional :: status
    call settle(c_start(), status)
  end subroutine

  !> Local. What was recorded; empty when no recording was on.
  recursive function stop_recording(status) result(recorded)
    integer, intent(out), optional :: status
    type(timeline) :: recorded
    type(timeline_work), pointer :: work(:)
    type(timeline_transfer), pointer :: transfers(:)
    type(c_ptr) :: handle, entries
    integer(c_int64_t) :: count
    integer(c_int) :: code, ended
    handle = c_null_ptr
    allocate (recorded%work(0), recorded%transfers(0))
    code = c_create(handle)
    if (code == seiche_ok) then
      code = c_work(handle, entries, count)
      call c_f_pointer(entries, work, [count])
      recorded%work = work
      code = c_transfers(handle, entries, count)
      call c_f_pointer(entries, transfers, [count])
      recorded%transfers = transfers
      ended = c_destroy(handle)
    end if
    call settle(code, status)
  end function
end module
