! SPDX-License-Identifier: BSD-3-Clause
!> \file  Replaces devxlib for builds without GPUs: what Quantum ESPRESSO 7.1 to 7.5 calls of it there. get.sh compiles it
!> where the sources of devxlib are missing. Without GPUs all memory is the host's, so copies are assignments.
module device_memcpy_m
  implicit none
  private
  public :: dev_memcpy, dev_memset

  integer, parameter :: dp = kind(1d0)

  !> Copies elements ranges of which, or all, are given. Indices of a range start at the lower bound that follows it.
  interface dev_memcpy
    module procedure copy_r1, copy_r2, copy_r3, copy_r4, copy_c1, copy_c2, copy_c4
  end interface

  !> Sets these elements to a value.
  interface dev_memset
    module procedure set_r1, set_r2, set_c1, set_c2, set_c3
  end interface

contains

  !> First and last index, from 1, of a range in an array of n elements.
  pure function ends(n, range, lower)
    integer, intent(in) :: n
    integer, optional, intent(in) :: range(2), lower
    integer :: ends(2)
    ends = [1, n]
    if (present(range)) ends = range
    if (present(range) .and. present(lower)) ends = ends - lower + 1
  end function

  subroutine copy_r1(out, in, range1, lower1)
    real(dp), intent(inout) :: out(:)
    real(dp), intent(in) :: in(:)
    integer, optional, intent(in) :: range1(2), lower1
    integer :: e(2, 1)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    out(e(1, 1):e(2, 1)) = in(e(1, 1):e(2, 1))
  end subroutine

  subroutine copy_r2(out, in, range1, lower1, range2, lower2)
    real(dp), intent(inout) :: out(:, :)
    real(dp), intent(in) :: in(:, :)
    integer, optional, intent(in) :: range1(2), lower1, range2(2), lower2
    integer :: e(2, 2)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    e(:, 2) = ends(size(out, 2), range2, lower2)
    out(e(1, 1):e(2, 1), e(1, 2):e(2, 2)) = in(e(1, 1):e(2, 1), e(1, 2):e(2, 2))
  end subroutine

  subroutine copy_c1(out, in, range1, lower1)
    complex(dp), intent(inout) :: out(:)
    complex(dp), intent(in) :: in(:)
    integer, optional, intent(in) :: range1(2), lower1
    integer :: e(2, 1)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    out(e(1, 1):e(2, 1)) = in(e(1, 1):e(2, 1))
  end subroutine

  subroutine copy_c2(out, in, range1, lower1, range2, lower2)
    complex(dp), intent(inout) :: out(:, :)
    complex(dp), intent(in) :: in(:, :)
    integer, optional, intent(in) :: range1(2), lower1, range2(2), lower2
    integer :: e(2, 2)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    e(:, 2) = ends(size(out, 2), range2, lower2)
    out(e(1, 1):e(2, 1), e(1, 2):e(2, 2)) = in(e(1, 1):e(2, 1), e(1, 2):e(2, 2))
  end subroutine

  subroutine copy_r3(out, in)
    real(dp), intent(inout) :: out(:, :, :)
    real(dp), intent(in) :: in(:, :, :)
    out = in
  end subroutine

  subroutine copy_r4(out, in)
    real(dp), intent(inout) :: out(:, :, :, :)
    real(dp), intent(in) :: in(:, :, :, :)
    out = in
  end subroutine

  subroutine copy_c4(out, in)
    complex(dp), intent(inout) :: out(:, :, :, :)
    complex(dp), intent(in) :: in(:, :, :, :)
    out = in
  end subroutine

  subroutine set_r1(out, value, range1, lower1)
    real(dp), intent(inout) :: out(:)
    real(dp), intent(in) :: value
    integer, optional, intent(in) :: range1(2), lower1
    integer :: e(2, 1)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    out(e(1, 1):e(2, 1)) = value
  end subroutine

  subroutine set_r2(out, value, range1, lower1, range2, lower2)
    real(dp), intent(inout) :: out(:, :)
    real(dp), intent(in) :: value
    integer, optional, intent(in) :: range1(2), lower1, range2(2), lower2
    integer :: e(2, 2)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    e(:, 2) = ends(size(out, 2), range2, lower2)
    out(e(1, 1):e(2, 1), e(1, 2):e(2, 2)) = value
  end subroutine

  subroutine set_c1(out, value, range1, lower1)
    complex(dp), intent(inout) :: out(:)
    complex(dp), intent(in) :: value
    integer, optional, intent(in) :: range1(2), lower1
    integer :: e(2, 1)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    out(e(1, 1):e(2, 1)) = value
  end subroutine

  subroutine set_c2(out, value, range1, lower1, range2, lower2)
    complex(dp), intent(inout) :: out(:, :)
    complex(dp), intent(in) :: value
    integer, optional, intent(in) :: range1(2), lower1, range2(2), lower2
    integer :: e(2, 2)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    e(:, 2) = ends(size(out, 2), range2, lower2)
    out(e(1, 1):e(2, 1), e(1, 2):e(2, 2)) = value
  end subroutine

  subroutine set_c3(out, value, range1, lower1, range2, lower2, range3, lower3)
    complex(dp), intent(inout) :: out(:, :, :)
    complex(dp), intent(in) :: value
    integer, optional, intent(in) :: range1(2), lower1, range2(2), lower2, range3(2), lower3
    integer :: e(2, 3)
    e(:, 1) = ends(size(out, 1), range1, lower1)
    e(:, 2) = ends(size(out, 2), range2, lower2)
    e(:, 3) = ends(size(out, 3), range3, lower3)
    out(e(1, 1):e(2, 1), e(1, 2):e(2, 2), e(1, 3):e(2, 3)) = value
  end subroutine
end module

!> Working memory of a device, which is the host's here.
module device_fbuff_m
  implicit none
  private

  integer, parameter :: dp = kind(1d0)

  type, public :: tb_dev
  contains
    procedure, private :: lock_i1, lock_r1, lock_r2, lock_c1, lock_c2, lock_c3
    procedure, private :: release_i1, release_r1, release_r2, release_c1, release_c2, release_c3
    generic :: lock_buffer => lock_i1, lock_r1, lock_r2, lock_c1, lock_c2, lock_c3
    generic :: release_buffer => release_i1, release_r1, release_r2, release_c1, release_c2, release_c3
    procedure :: reinit, print_report
  end type
  type(tb_dev), public, save :: dev_buf, pin_buf

contains

  subroutine lock_i1(this, p, n, status)
    class(tb_dev), intent(inout) :: this
    integer, pointer, intent(inout) :: p(:)
    integer, intent(in) :: n
    integer, intent(out) :: status
    allocate (p(n), stat=status)
  end subroutine

  subroutine release_i1(this, p, status)
    class(tb_dev), intent(inout) :: this
    integer, pointer, intent(inout) :: p(:)
    integer, intent(out) :: status
    deallocate (p, stat=status)
  end subroutine

  subroutine lock_r1(this, p, n, status)
    class(tb_dev), intent(inout) :: this
    real(dp), pointer, intent(inout) :: p(:)
    integer, intent(in) :: n
    integer, intent(out) :: status
    allocate (p(n), stat=status)
  end subroutine

  subroutine release_r1(this, p, status)
    class(tb_dev), intent(inout) :: this
    real(dp), pointer, intent(inout) :: p(:)
    integer, intent(out) :: status
    deallocate (p, stat=status)
  end subroutine

  subroutine lock_r2(this, p, n, status)
    class(tb_dev), intent(inout) :: this
    real(dp), pointer, intent(inout) :: p(:, :)
    integer, intent(in) :: n(2)
    integer, intent(out) :: status
    allocate (p(n(1), n(2)), stat=status)
  end subroutine

  subroutine release_r2(this, p, status)
    class(tb_dev), intent(inout) :: this
    real(dp), pointer, intent(inout) :: p(:, :)
    integer, intent(out) :: status
    deallocate (p, stat=status)
  end subroutine

  subroutine lock_c1(this, p, n, status)
    class(tb_dev), intent(inout) :: this
    complex(dp), pointer, intent(inout) :: p(:)
    integer, intent(in) :: n
    integer, intent(out) :: status
    allocate (p(n), stat=status)
  end subroutine

  subroutine release_c1(this, p, status)
    class(tb_dev), intent(inout) :: this
    complex(dp), pointer, intent(inout) :: p(:)
    integer, intent(out) :: status
    deallocate (p, stat=status)
  end subroutine

  subroutine lock_c2(this, p, n, status)
    class(tb_dev), intent(inout) :: this
    complex(dp), pointer, intent(inout) :: p(:, :)
    integer, intent(in) :: n(2)
    integer, intent(out) :: status
    allocate (p(n(1), n(2)), stat=status)
  end subroutine

  subroutine release_c2(this, p, status)
    class(tb_dev), intent(inout) :: this
    complex(dp), pointer, intent(inout) :: p(:, :)
    integer, intent(out) :: status
    deallocate (p, stat=status)
  end subroutine

  subroutine lock_c3(this, p, n, status)
    class(tb_dev), intent(inout) :: this
    complex(dp), pointer, intent(inout) :: p(:, :, :)
    integer, intent(in) :: n(3)
    integer, intent(out) :: status
    allocate (p(n(1), n(2), n(3)), stat=status)
  end subroutine

  subroutine release_c3(this, p, status)
    class(tb_dev), intent(inout) :: this
    complex(dp), pointer, intent(inout) :: p(:, :, :)
    integer, intent(out) :: status
    deallocate (p, stat=status)
  end subroutine

  subroutine reinit(this, status)
    class(tb_dev), intent(inout) :: this
    integer, intent(out) :: status
    status = 0
  end subroutine

  subroutine print_report(this, unit)
    class(tb_dev), intent(in) :: this
    integer, intent(in) :: unit
    write (unit, '(/5x,a/)') 'No device memory'
  end subroutine
end module
