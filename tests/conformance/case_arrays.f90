! SPDX-License-Identifier: BSD-3-Clause
!> \file  Arrays of a case, as Fortran has them.
module case_arrays
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Comm_rank
  use seiche
  implicit none
  private :: numbers, seen_points

  !> Doubles the values. The array `seen` receives their number and the largest real part.
  type, extends(grid_function) :: doubled
  contains
    procedure :: on_real32 => double_real32
    procedure :: on_real64 => double_real64
    procedure :: on_complex32 => double_complex32
    procedure :: on_complex64 => double_complex64
    procedure :: on_spinor32 => double_spinor32
    procedure :: on_spinor64 => double_spinor64
  end type

  !> Lists pairs, counted from 0, and densities in the array `seen`, whose first value is their number.
  type, extends(pair_function) :: listed
  contains
    procedure :: on_pairs32 => list32
    procedure :: on_pairs64 => list64
  end type

  interface
    function c_at(name) bind(c, name='case_at')
      import
      character(c_char), intent(in) :: name(*)
      type(c_ptr) :: c_at
    end function
    integer(c_int64_t) function c_extent(name, axis) bind(c, name='case_extent')
      import
      character(c_char), intent(in) :: name(*)
      integer(c_int), value :: axis
    end function
    subroutine reset() bind(c, name='case_reset')
    end subroutine
    subroutine c_begin(language, name) bind(c, name='case_begin')
      import
      character(c_char), intent(in) :: language(*), name(*)
    end subroutine
    subroutine c_same(call_) bind(c, name='case_same')
      import
      character(c_char), intent(in) :: call_(*)
    end subroutine
    subroutine c_tried(status, call_) bind(c, name='case_tried')
      import
      integer(c_int), value :: status
      character(c_char), intent(in) :: call_(*)
    end subroutine
    subroutine c_refused(status, text, call_) bind(c, name='case_refused')
      import
      integer(c_int), value :: status
      character(c_char), intent(in) :: text(*), call_(*)
    end subroutine
  end interface

contains

  subroutine begin(name)
    character(*), intent(in) :: name
    call c_begin('Fortran'//c_null_char, name//c_null_char)
  end subroutine

  subroutine tried(status, call_)
    integer, intent(in) :: status
    character(*), intent(in) :: call_
    call c_tried(int(status, c_int), call_//c_null_char)
  end subroutine

  subroutine same(status, call_)
    integer, intent(in) :: status
    character(*), intent(in) :: call_
    call tried(status, call_)
    call c_same(call_//c_null_char)
  end subroutine

  subroutine refused(status, text, call_)
    integer, intent(in) :: status
    character(*), intent(in) :: text, call_
    call c_refused(int(status, c_int), text//c_null_char, call_//c_null_char)
  end subroutine

  logical function is_first()
    integer :: rank
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    is_first = rank == 0
  end function

  function at(name)
    character(*), intent(in) :: name
    type(c_ptr) :: at
    at = c_at(name//c_null_char)
  end function

  function extents(name, axes)
    character(*), intent(in) :: name
    integer, intent(in) :: axes(:)
    integer(int64) :: extents(size(axes))
    integer :: i
    extents = [(c_extent(name//c_null_char, int(axes(i), c_int)), i=1, size(axes))]
  end function

  !> The numbers of a structure with that many.
  function numbers(name, each) result(all)
    character(*), intent(in) :: name
    integer, intent(in) :: each
    integer(int64), pointer :: all(:, :)
    call c_f_pointer(at(name), all, [int(each, int64), extents(name, [0])])
  end function

  !> The text in an array of characters that ends with a null.
  function text_at(name) result(text)
    character(*), intent(in) :: name
    character(:), allocatable :: text
    character(c_char), pointer :: all(:)
    integer :: i
    call c_f_pointer(at(name), all, extents(name, [0]))
    allocate (character(size(all) - 1) :: text)
    do i = 1, len(text)
      text(i:i) = all(i)
    end do
  end function

  function box_of(name) result(box)
    character(*), intent(in) :: name
    type(seiche_box) :: box
    integer(int64), pointer :: all(:, :)
    all => numbers(name, 6)
    box = seiche_box(int(all(1:3, 1)) + 1, int(all(4:6, 1)))
  end function

  subroutine put_box(name, box)
    character(*), intent(in) :: name
    type(seiche_box), intent(in) :: box
    integer(int64), pointer :: all(:, :)
    all => numbers(name, 6)
    all(:, 1) = [box%low - 1, box%high]
  end subroutine

  function field_arrays(name) result(arrays)
    character(*), intent(in) :: name
    type(field_array), allocatable :: arrays(:)
    integer(int64), pointer :: all(:, :)
    integer :: i
    all => numbers(name, 11)
    arrays = [(field_array(seiche_box(int(all(1:3, i)) + 1, int(all(4:6, i))), all(7:9, i), all(10, i), all(11, i)), &
               i=1, size(all, 2))]
  end function

  function dense_arrays_of(name) result(arrays)
    character(*), intent(in) :: name
    type(dense_arrays) :: arrays
    integer(int64), pointer :: all(:, :)
    all => numbers(name, 22)  ! size, fields, and two layouts of ten
    arrays = dense_arrays(all(2, 1), layout(all(3:12, 1)), layout(all(13:22, 1)))
  contains
    type(field_array) function layout(ten)
      integer(int64), intent(in) :: ten(10)
      layout = field_array(seiche_box(int(ten(1:3)) + 1, int(ten(4:6))), ten(7:9), ten(10))
    end function
  end function

  subroutine seen_points(number, most)
    integer, intent(in) :: number
    real(real64), intent(in) :: most
    real(real64), pointer :: seen(:)
    call c_f_pointer(at('seen'), seen, [2])
    seen(1) = seen(1) + number
    seen(2) = max(seen(2), most)
  end subroutine

  subroutine list32(self, pairs, densities, status)
    class(listed), intent(inout) :: self
    integer, intent(in) :: pairs(:, :)
    complex(c_float), intent(in) :: densities(:, :)
    integer, intent(inout) :: status
    call self%on_pairs64(pairs, cmplx(densities, kind=c_double), status)
  end subroutine

  subroutine list64(self, pairs, densities, status)
    class(listed), intent(inout) :: self
    integer, intent(in) :: pairs(:, :)
    complex(c_double), intent(in) :: densities(:, :)
    integer, intent(inout) :: status
    real(real64), pointer :: seen(:)
    integer :: number, p, g
    call c_f_pointer(at('seen'), seen, extents('seen', [0]))
    number = nint(seen(1)) + 1
    do p = 1, size(pairs, 2)
      seen(number + 1:number + 2) = pairs(:, p) - 1
      number = number + 2
      do g = 1, size(densities, 1)
        seen(number + 1:number + 2) = [real(densities(g, p)), aimag(densities(g, p))]
        number = number + 2
      end do
    end do
    seen(1) = number - 1
  end subroutine

  subroutine double_real32(self, band, box, values, status)
    class(doubled), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    real(real32), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    call seen_points(size(values), maxval(real(values, real64)))
    values = values + values
  end subroutine

  subroutine double_real64(self, band, box, values, status)
    class(doubled), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    real(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    call seen_points(size(values), maxval(real(values, real64)))
    values = values + values
  end subroutine

  subroutine double_complex32(self, band, box, values, status)
    class(doubled), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real32), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    call seen_points(size(values), maxval(real(values, real64)))
    values = values + values
  end subroutine

  subroutine double_complex64(self, band, box, values, status)
    class(doubled), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    call seen_points(size(values), maxval(real(values, real64)))
    values = values + values
  end subroutine

  subroutine double_spinor32(self, band, box, up, down, status)
    class(doubled), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real32), intent(inout) :: up(:, :, :), down(:, :, :)
    integer, intent(inout) :: status
    call self%on_complex32(band, box, up, status)
    call self%on_complex32(band, box, down, status)
  end subroutine

  subroutine double_spinor64(self, band, box, up, down, status)
    class(doubled), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: up(:, :, :), down(:, :, :)
    integer, intent(inout) :: status
    call self%on_complex64(band, box, up, status)
    call self%on_complex64(band, box, down, status)
  end subroutine

end module
