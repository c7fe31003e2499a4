! SPDX-License-Identifier: BSD-3-Clause
!> \file  What happened when on this process while a recording was on; seconds of its steady clock (docs/pipeline.md).
module seiche_timeline
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_status_types
  use seiche_c_tuning
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


contains

  !> Local. A recording that is on starts anew.
  recursive subroutine start_recording(status)
    integer, intent(out), optional :: status
    call settle(c_timeline_start(), status)
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
    code = c_timeline_create(handle)
    if (code == seiche_ok) then
      code = c_timeline_get_work(handle, entries, count)
      call c_f_pointer(entries, work, [count])
      recorded%work = work
      code = c_timeline_get_transfers(handle, entries, count)
      call c_f_pointer(entries, transfers, [count])
      recorded%transfers = transfers
      ended = c_timeline_destroy(handle)
    end if
    call settle(code, status)
  end function
end module
