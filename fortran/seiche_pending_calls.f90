! SPDX-License-Identifier: BSD-3-Clause
!> \file  Started calls.
module seiche_pending_calls
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_status_types
  use seiche_c_fft
  implicit none
  private
  public :: seiche_pending

  !> A started call. Procedures start_... start the call of the same name without start_. From the start to finish,
  !> the caller must not change any array of the call, and must not read its results. The arrays must be contiguous, have
  !> the attributes `target` and `asynchronous`, and exist until finish. Several started calls may exist. All ranks start
  !> and finish them in the same order. One thread at a time may use a call.
  type :: seiche_pending
    type(c_ptr) :: handle = c_null_ptr  !< for the library only
    class(*), pointer :: kept => null()  !< same: argument of a callback
  contains
    procedure :: progress => pending_progress
    procedure :: finish => pending_finish
  end type

contains

  !> Local. Makes progress: polls messages, and computes items whose messages have arrived. Never waits for other
  !> ranks. Returns .true. if finish would not wait for messages.
  recursive logical function pending_progress(self, status)
    class(seiche_pending), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: done, code
    done = 0
    code = c_pending_progress(self%handle, done)
    pending_progress = done /= 0
    call settle(code, status)
  end function

  !> Collective. Completes the call. Reports the error of the call on all ranks.
  recursive subroutine pending_finish(self, status)
    class(seiche_pending), intent(inout) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code, destroyed
    code = c_pending_finish(self%handle)
    destroyed = seiche_misuse
    if (c_associated(self%handle)) destroyed = c_pending_destroy(self%handle)
    if (destroyed == seiche_ok .and. associated(self%kept)) deallocate (self%kept)
    self%kept => null()
    call settle(code, status)
  end subroutine

end module
