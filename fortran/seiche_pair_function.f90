! SPDX-License-Identifier: BSD-3-Clause
!> \file  Callbacks for pair densities: a type to extend, with data in its components.
module seiche_pair_function
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_status_types
  use seiche_c_status
  use seiche_c_pair_densities
  implicit none
  private

  public :: pair_function, called_for_pairs, call_pair_function

  !> Extend this type and override the procedure for the precision. It receives a block of pairs of this rank's group:
  !> pairs(:, p) are the numbers i and j of pair p, from 1. `densities` are (wave, pair), and exist until the procedure
  !> returns. Do not call the object, or any collective operation, from inside the callback. `status` is 0 initially;
  !> any other value ends the call with an error on all ranks.
  type, abstract :: pair_function
  contains
    procedure :: on_pairs32  !< for single precision
    procedure :: on_pairs64
  end type

  !> Argument that C passes to call_pair_function.
  type :: called_for_pairs
    integer :: value = -1
    class(pair_function), pointer :: function => null()
  end type

contains

  !> Called by C. Calls the procedure for the precision.
  recursive function call_pair_function(block, user) bind(c) result(status)
    type(c_pair_block), intent(in) :: block
    type(c_ptr), value :: user
    integer(c_int) :: status
    type(called_for_pairs), pointer :: called
    integer(c_int64_t), pointer :: pairs(:, :)
    complex(c_float), pointer :: densities32(:, :)
    complex(c_double), pointer :: densities64(:, :)
    integer :: code
    call c_f_pointer(user, called)
    call c_f_pointer(block%pairs, pairs, [2_c_int64_t, block%count])
    code = 0
    if (called%value == seiche_float .or. called%value == seiche_complex_float) then
      call c_f_pointer(block%densities, densities32, [block%waves, block%count])
      call called%function%on_pairs32(int(pairs) + 1, densities32, code)
    else
      call c_f_pointer(block%densities, densities64, [block%waves, block%count])
      call called%function%on_pairs64(int(pairs) + 1, densities64, code)
    end if
    status = status_of(code, int(pairs(:, 1)) + 1)
  end function

  !> Returns the status of a callback for C. Sets the message if it is not 0. The message of C counts orbitals from 0.
  recursive integer(c_int) function status_of(code, pair) result(status)
    integer, intent(in) :: code, pair(2)
    character(120) :: sentence
    status = seiche_ok
    if (code == 0) return
    write (sentence, '("pair_densities: the callback returned ", i0, " for pairs from (", i0, ", ", i0, ")")') code, pair
    status = c_refuse(int(seiche_bad_argument, c_int), c_text(trim(sentence)//': return 0 on success'))
  end function

  ! A procedure that is not overridden ends the call with an error.
  recursive subroutine on_pairs32(self, pairs, densities, status)
    class(pair_function), intent(inout) :: self
    integer, intent(in) :: pairs(:, :)
    complex(c_float), intent(in) :: densities(:, :)
    integer, intent(inout) :: status
    status = 1
  end subroutine

  recursive subroutine on_pairs64(self, pairs, densities, status)
    class(pair_function), intent(inout) :: self
    integer, intent(in) :: pairs(:, :)
    complex(c_double), intent(in) :: densities(:, :)
    integer, intent(inout) :: status
    status = 1
  end subroutine
end module
