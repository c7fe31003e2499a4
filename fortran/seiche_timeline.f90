! SPDX-License-Identifier: BSD-3-Clause
!> \file  Recording of the computation and exchanges of this process. Times are seconds of its steady clock.
module seiche_timeline
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_status_types
  use seiche_c_tuning
  implicit none
  private

  public :: timeline, timeline_work, timeline_transfer, start_recording, stop_recording

  !> An interval of computation, including polls: one stage (from 0) of a plan's pipeline on one item (from 0), e.g. a
  !> band.
  type, bind(c) :: timeline_work
    integer(c_int32_t) :: stage = 0
    integer(c_int64_t) :: item = 0
    real(c_double) :: begin = 0, end = 0
  end type

  !> An exchange: time of the start of sending, of nothing else to do, and of arrival of all values.
  type, bind(c) :: timeline_transfer
    real(c_double) :: started = 0, needed = 0, arrived = 0
  end type

  type :: timeline
    type(timeline_work), allocatable :: work(:)
    type(timeline_transfer), allocatable :: transfers(:)
  end type


contains

  !> Local. Starts a recording of all threads of this process. A running recording is discarded.
  recursive subroutine start_recording(status)
    integer, intent(out), optional :: status
    call settle(c_timeline_start(), status)
  end subroutine

  !> Local. Stops the recording and returns it. The timeline is empty if there was no recording.
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
