! SPDX-License-Identifier: BSD-3-Clause
!> \file  Distribution and memory layout of the caller's own arrays of one or many dense grids.
module seiche_dense_arrays
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use seiche_base
  use seiche_c_fft
  implicit none
  private

  public :: field_array, dense_arrays, interleaved, consecutive, c_arrays_of

  !> A box of each of several fields on this rank, and its layout in memory. Strides count elements of the array.
  type :: field_array
    type(seiche_box) :: box  !< may be empty
    integer(int64) :: stride(3) = 0  !< between neighbouring points along x, y and z
    integer(int64) :: field_stride = 0  !< between neighbouring fields
    integer(int64) :: offset = 0  !< elements before the first point of the first field; box_exchange only
  end type

  !> Fields that are transformed together, in arrays of the caller.
  type :: dense_arrays
    integer(int64) :: fields = 1
    type(field_array) :: grid  !< whole planes of constant z; any range of z on each rank, or nothing
    type(field_array) :: spectrum  !< whole columns along z, any range of y; or, on all ranks, the planes of `grid`
    logical :: in_place = .false.  !< grid and spectrum share the same memory
    logical :: plus = .false.  !< forward uses exp(+i G.r), backward exp(-i G.r); complex fields only
    logical :: unscaled = .false.  !< forward does not scale by 1/(nx ny nz)
  end type

contains

  !> Returns the layout of an array (fields, x, y, z): the fields of a point are contiguous.
  recursive pure function interleaved(box, fields) result(array)
    type(seiche_box), intent(in) :: box
    integer, intent(in) :: fields
    type(field_array) :: array
    integer(int64) :: n(3)
    n = extents(box)
    array = field_array(box, fields * [1_int64, n(1), n(1) * n(2)], 1_int64)
  end function

  !> Returns the layout of an array (x, y, z, fields): each field is contiguous.
  recursive pure function consecutive(box) result(array)
    type(seiche_box), intent(in) :: box
    type(field_array) :: array
    integer(int64) :: n(3)
    n = extents(box)
    array = field_array(box, [1_int64, n(1), n(1) * n(2)], product(n))
  end function

  recursive pure function extents(box) result(n)
    type(seiche_box), intent(in) :: box
    integer(int64) :: n(3)
    n = max(box%high - box%low + 1, 0)
  end function

  recursive pure function c_arrays_of(arrays) result(same)
    type(dense_arrays), intent(in) :: arrays
    type(c_dense_arrays) :: same
    same%size = c_sizeof(same)
    same%fields = arrays%fields
    same%grid = c_array_of(arrays%grid)
    same%spectrum = c_array_of(arrays%spectrum)
    same%in_place = as_integer(arrays%in_place)
    same%plus = as_integer(arrays%plus)
    same%unscaled = as_integer(arrays%unscaled)
  end function

  recursive pure function c_array_of(array) result(same)
    type(field_array), intent(in) :: array
    type(c_field_array) :: same
    same%box%low = array%box%low - 1
    same%box%high = array%box%high
    same%stride = array%stride
    same%field_stride = array%field_stride
  end function
end module
