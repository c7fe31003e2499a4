! SPDX-License-Identifier: BSD-3-Clause
!> \file  Common parts of the Fortran interface: status codes, error messages, kinds of values, boxes.
!>
!> Collective procedures must be called by all ranks of the communicator. They fail on all ranks or on none. An invalid
!> object (not created, created twice, closed) is an exception: only the ranks that passed it fail. Local procedures do
!> not communicate.
!>
!> Every procedure that can fail takes an optional `status`. Without it, an error ends the program with the error
!> message.
!>
!> One thread at a time may use an object. Threads that run at the same time need a communicator each. All procedures
!> are recursive: a callback on the grid may use other plans, and several threads may call it.
module seiche_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64, error_unit
  use seiche_status_types
  use seiche_c_status
  implicit none
  private

  public :: int32, int64, real32, real64
  public :: seiche_last_error, seiche_open_handles, seiche_version
  public :: settle, refuse, refuse_create, name_number, refuses_kind, wrong_kind, already_exists, has_no_waves, box_of, box_for_c, &
    as_integer, seiche_box, text_of, c_text, name_of, counted, counted_on, bands_of, row_of, section_among, shape_text, &
    complex_kind, asked, given_or

  !> A box of grid points: low(a) <= index <= high(a) along each axis. The first point of a grid is (1, 1, 1).
  type :: seiche_box
    integer :: low(3) = 1, high(3) = 0
  contains
    procedure :: extent  !< number of points along each axis
    procedure :: volume  !< number of points
  end type

  interface
    function c_strlen(text) bind(c, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function
  end interface

  abstract interface
    !> A C function that replaces a collective call on a rank that cannot make it.
    function c_refuse_call(handle, status, sentence) bind(c)
      import :: c_ptr, c_int, c_char
      type(c_ptr), value :: handle
      integer(c_int), value :: status
      character(kind=c_char), intent(in) :: sentence(*)
      integer(c_int) :: c_refuse_call
    end function
  end interface

  !> Returns the value of an optional argument, or its default.
  interface given_or
    procedure :: logical_or, integer_or, real_or, text_or
  end interface

contains

  !> Local. Returns the error message of this thread's last call that failed.
  recursive function seiche_last_error() result(sentence)
    character(:), allocatable :: sentence
    sentence = text_of(c_last_error())
  end function

  !> Local. Returns the version of the library, e.g. "0.2.0".
  recursive function seiche_version() result(version)
    character(:), allocatable :: version
    version = text_of(c_version())
  end function

  !> Local. Returns the number of objects of this process that were created and not closed. For tests of a program.
  recursive integer function seiche_open_handles()
    seiche_open_handles = int(c_open_handles())
  end function

  !> Passes the status of a C function to the caller, or ends the program with the error message.
  recursive subroutine settle(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (present(status)) then
      status = int(code)
    else if (code /= seiche_ok) then
      write (error_unit, '(a)') seiche_last_error()
      error stop 1
    end if
  end subroutine

  !> Collective. Reports an error of this rank, found before a collective create, on all ranks of `comm`.
  recursive subroutine refuse_create(comm, fault, sentence, status)
    integer, intent(in) :: comm, fault
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: status
    call settle(c_refuse_create(int(comm, c_int), int(fault, c_int), c_text(sentence)), status)
  end subroutine

  !> Local. Same as settle, for an error that the C function does not detect.
  recursive subroutine refuse(sentence, status)
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: status
    call settle(c_refuse(int(seiche_misuse, c_int), c_text(sentence)), status)
  end subroutine

  !> Local. Replaces the error message of C, which counts from 0, if `given` is not 1 to `last`.
  recursive subroutine name_number(code, sentence, given, last)
    integer(c_int), intent(inout) :: code
    character(*), intent(in) :: sentence  !< such as 'density: no axis'
    integer, intent(in) :: given, last
    character(40) :: numbers
    if (code /= seiche_bad_argument .or. (given >= 1 .and. given <= last)) return
    write (numbers, '(i0, ": use 1 to ", i0)') given, last
    code = c_refuse(code, c_text(sentence//' '//numbers))
  end subroutine

  !> Tells whether arrays have another kind of value than an object. Collective if it returns .true. Then `refuse_call`
  !> reports the error on all ranks.
  recursive logical function refuses_kind(refuse_call, handle, arrays, given, object, expected, status)
    procedure(c_refuse_call) :: refuse_call
    type(c_ptr), intent(in) :: handle
    character(*), intent(in) :: arrays, object
    integer, intent(in) :: given, expected
    integer, intent(out), optional :: status
    refuses_kind = c_associated(handle) .and. given /= expected
    if (refuses_kind) call settle(refuse_call(handle, int(seiche_misuse, c_int), &
      c_text(wrong_kind(arrays, given, object, expected))), status)
  end function

  recursive function wrong_kind(arrays, given, object, expected) result(sentence)
    character(*), intent(in) :: arrays, object
    integer, intent(in) :: given, expected
    character(:), allocatable :: sentence
    sentence = arrays//' '//name_of(given)//', but '//object//' '//name_of(expected)//': pass arrays of that type'
  end function

  !> Tells whether create finds an object that was not closed, and reports it.
  recursive logical function already_exists(handle, noun, word, status)
    type(c_ptr), intent(in) :: handle
    character(*), intent(in) :: noun, word
    integer, intent(out), optional :: status
    already_exists = c_associated(handle)
    if (already_exists) call refuse(noun//': this '//word//' already exists: close it first', status)
  end function

  !> Tells whether an array of waves has another shape than (3, number). Collective over `comm` if it returns .true. Then
  !> all ranks report the error.
  recursive logical function has_no_waves(waves, name, comm, noun, status)
    integer(int32), intent(in) :: waves(:, :)
    character(*), intent(in) :: name, noun
    integer, intent(in) :: comm
    integer, intent(out), optional :: status
    has_no_waves = size(waves, 1) /= 3
    if (has_no_waves) call refuse_create(comm, seiche_misuse, noun//': '//name//' must have shape (3, number)', status)
  end function

  !> Converts a text of C.
  recursive function text_of(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(text, letters, [c_strlen(text)])
    allocate (character(size(letters)) :: copy)
    do i = 1, size(letters)
      copy(i:i) = letters(i)
    end do
  end function

  !> Converts a text to C.
  recursive pure function c_text(text)
    character(*), intent(in) :: text
    character(kind=c_char) :: c_text(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      c_text(i) = text(i:i)
    end do
    c_text(len_trim(text) + 1) = c_null_char
  end function

  recursive pure function box_of(box) result(same)
    type(c_box), intent(in) :: box
    type(seiche_box) :: same
    same%low = int(box%low) + 1
    same%high = int(box%high)
  end function

  recursive pure function box_for_c(box) result(same)
    type(seiche_box), intent(in) :: box
    type(c_box) :: same
    same%low = box%low - 1
    same%high = box%high
  end function

  recursive pure integer(c_int) function as_integer(flag)
    logical, intent(in) :: flag
    as_integer = merge(1_c_int, 0_c_int, flag)
  end function

  !> Returns the value of an optional flag. The default is .false..
  recursive pure logical function asked(flag)
    logical, intent(in), optional :: flag
    asked = .false.
    if (present(flag)) asked = flag
  end function

  recursive pure logical function logical_or(given, default)
    logical, intent(in), optional :: given
    logical, intent(in) :: default
    logical_or = default
    if (present(given)) logical_or = given
  end function

  recursive pure integer function integer_or(given, default)
    integer, intent(in), optional :: given
    integer, intent(in) :: default
    integer_or = default
    if (present(given)) integer_or = given
  end function

  recursive pure real(real64) function real_or(given, default)
    real(real64), intent(in), optional :: given
    real(real64), intent(in) :: default
    real_or = default
    if (present(given)) real_or = given
  end function

  recursive pure function text_or(given, default)
    character(*), intent(in), optional :: given
    character(*), intent(in) :: default
    character(:), allocatable :: text_or
    text_or = default
    if (present(given)) text_or = given
  end function

  recursive pure function extent(self)
    class(seiche_box), intent(in) :: self
    integer :: extent(3)
    extent = max(self%high - self%low + 1, 0)
  end function

  recursive pure integer(int64) function volume(self)
    class(seiche_box), intent(in) :: self
    volume = product(int(self%extent(), int64))
  end function

  recursive pure integer function complex_kind(value)
    integer, intent(in) :: value
    complex_kind = merge(value, value + 2, value >= seiche_complex_float)
  end function

  recursive pure function name_of(value) result(name)
    integer, intent(in) :: value
    character(:), allocatable :: name
    character(15), parameter :: names(0:3) = [character(15) :: 'real(real32)', 'real(real64)', 'complex(real32)', &
                                              'complex(real64)']
    name = trim(names(min(max(value, 0), 3)))
  end function

  !> Returns the number of elements of an array if it has the expected shape, else 0.
  recursive pure integer(c_int64_t) function counted(given, expected)
    integer, intent(in) :: given(:), expected(:)
    counted = 0
    if (all(given == expected)) counted = product(int(given, c_int64_t))
  end function

  !> Returns a shape as text: (8, 24, 4).
  recursive function shape_text(given) result(text)
    integer, intent(in) :: given(:)
    character(:), allocatable :: text
    character(12*size(given) + 2) :: digits
    write (digits, '("(", *(i0, :, ", "))') given
    text = trim(digits)//')'
  end function

  !> Returns the error message for the first array of a started call that is not contiguous. The compiler would pass a
  !> copy of it, which does not exist until finish.
  recursive pure function section_among(noun, names, contiguous) result(sentence)
    character(*), intent(in) :: noun, names(:)
    logical, intent(in) :: contiguous(:)
    character(:), allocatable :: sentence
    sentence = noun//': '//trim(names(findloc(contiguous, .false., 1)))// &
               ' is not contiguous: pass a contiguous array to a started call, or make the call without start_'
  end function

  !> Returns the row length of coefficients (wave), (wave, band) or (wave, component, band): the first extent. Without a
  !> dimension for them, the components follow each other in the first dimension. Returns -1 if they do not fit.
  recursive pure integer(c_int64_t) function row_of(given, components)
    integer, intent(in) :: given(:), components
    integer :: rows
    rows = merge(1, components, size(given) == 3)
    row_of = -1
    if (mod(given(1), rows) == 0) row_of = given(1)/rows
  end function

  !> Returns the number of values of an array (x, y, z, ...) if it has the extent of the box, else 0.
  recursive pure integer(c_int64_t) function counted_on(given, extent)
    integer, intent(in) :: given(:), extent(3)
    counted_on = 0
    if (size(given) < 3) return
    if (all(given(:3) == extent)) counted_on = product(int(given, c_int64_t))
  end function

  !> Returns the number of bands of an array: its last extent. An array of one dimension has one band.
  recursive pure integer(c_int64_t) function bands_of(given)
    integer, intent(in) :: given(:)
    bands_of = 1
    if (size(given) > 1) bands_of = given(size(given))
  end function
end module
