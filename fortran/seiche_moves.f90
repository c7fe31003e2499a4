! SPDX-License-Identifier: BSD-3-Clause
!> \file  Options and callbacks of redistribution between ranks, and between ranks and files.
module seiche_moves
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_status_types
  use seiche_c_wavefile
  use seiche_c_orbitals
  implicit none
  private

  public :: move_options, progress_function, wave_owners
  public :: c_move_options, c_orbital_layout, called_progress, called_owners, asked_of, layout_of, progress_of

  !> Extend this type and override tell. It is called with the completed fraction, 0 to 1.
  type, abstract :: progress_function
  contains
    procedure(tell_function), deferred :: tell
  end type

  !> Extend this type and override of. It returns the wave group (from 0) of each of the waves(3, number) of k-point k
  !> (from 1). It must return the same result on every rank. `status` is 0 initially; any other value ends the call
  !> with an error.
  type, abstract :: wave_owners
  contains
    procedure(owners_function), deferred :: of
  end type

  abstract interface
    subroutine tell_function(self, done)
      import :: progress_function, real64
      class(progress_function), intent(inout) :: self
      real(real64), intent(in) :: done
    end subroutine
    subroutine owners_function(self, k, waves, owners, status)
      import :: wave_owners, int32
      class(wave_owners), intent(in) :: self
      integer, intent(in) :: k
      integer(int32), intent(in) :: waves(:, :)
      integer, intent(out) :: owners(:)
      integer, intent(inout) :: status
    end subroutine
  end interface

  !> Options of redistribution. Must be equal on all ranks, except `memory`.
  type :: move_options
    integer :: algorithm = seiche_algorithm_automatic
    integer :: progress = seiche_progress_automatic
    integer :: window = 0  !< number of rounds of bands in flight (0: 7)
    integer(int64) :: memory = 0  !< bytes that this rank may take for source and target (0: about 64 MB)
    logical :: density = .false.  !< copy the density that is stored with the wavefunctions, too; convert() only
    class(progress_function), pointer :: on_progress => null()
  end type

  !> Argument that C passes to call_progress and call_owners.
  type :: called_progress
    class(progress_function), pointer :: function => null()
  end type
  type :: called_owners
    class(wave_owners), pointer :: function => null()
  end type

contains

  !> Converts options to C. `called` must live as long as the call.
  recursive function asked_of(options, called) result(asked)
    type(move_options), intent(in), optional :: options
    type(called_progress), target, intent(inout) :: called
    type(c_move_options) :: asked
    asked%size = c_sizeof(asked)
    if (.not. present(options)) return
    asked%algorithm = int(options%algorithm, c_int)
    asked%progress = int(options%progress, c_int)
    asked%window = int(options%window, c_int)
    asked%density = as_integer(options%density)
    asked%memory = options%memory
    call progress_of(options%on_progress, called, asked%on_progress, asked%user)
  end function

  recursive subroutine progress_of(function, called, on_progress, user)
    class(progress_function), pointer, intent(in) :: function
    type(called_progress), target, intent(inout) :: called
    type(c_funptr), intent(out) :: on_progress
    type(c_ptr), intent(out) :: user
    on_progress = c_null_funptr
    user = c_null_ptr
    if (.not. associated(function)) return
    called%function => function
    on_progress = c_funloc(call_progress)
    user = c_loc(called)
  end subroutine

  !> Converts a layout to C. `called` must live as long as the call.
  recursive function layout_of(groups, owners, called) result(layout)
    integer, intent(in) :: groups(3)
    class(wave_owners), target, intent(in), optional :: owners
    type(called_owners), target, intent(inout) :: called
    type(c_orbital_layout) :: layout
    layout%size = c_sizeof(layout)
    layout%kpoints = int(groups(1), c_int)
    layout%bands = int(groups(2), c_int)
    layout%waves = int(groups(3), c_int)
    if (.not. present(owners)) return
    called%function => owners
    layout%owners = c_funloc(call_owners)
    layout%user = c_loc(called)
  end function

  recursive subroutine call_progress(done, user) bind(c)
    real(c_double), value :: done
    type(c_ptr), value :: user
    type(called_progress), pointer :: called
    call c_f_pointer(user, called)
    call called%function%tell(done)
  end subroutine

  recursive function call_owners(k, waves, count, owners, user) bind(c) result(status)
    integer(c_int), value :: k
    type(c_ptr), value :: waves, owners, user
    integer(c_int64_t), value :: count
    integer(c_int) :: status
    type(called_owners), pointer :: called
    integer(int32), pointer :: of_k(:, :)
    integer(c_int), pointer :: found(:)
    integer :: code
    call c_f_pointer(user, called)
    call c_f_pointer(waves, of_k, [3_c_int64_t, count])
    call c_f_pointer(owners, found, [count])
    code = 0
    call called%function%of(int(k) + 1, of_k, found, code)
    status = int(code, c_int)
  end function
end module
