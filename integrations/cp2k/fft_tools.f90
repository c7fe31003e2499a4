! SPDX-License-Identifier: BSD-3-Clause
!> \file  Replaces the procedures fft3d_ps and fft3d_pb of CP2K's module fft_tools. The compiler gives them the same
!> symbols. The library with this file is preloaded, so that the dynamic linker binds CP2K's calls to it.
module fft_tools
  use, intrinsic :: iso_c_binding
  use message_passing, only: mp_cart_type
  use mpi, only: MPI_WTIME
  implicit none
  private

  public :: fft3d_ps, fft3d_pb

  !> See RayTransform in ray_transform.hpp.
  type, bind(C) :: ray_transform
    integer(c_int) :: comm, ranks, forward, shape(3), most
    type(c_ptr) :: count, lines, boxes
  end type

  interface
    integer(c_int) function seiche_cp2k_transform(t, grid, lines) bind(C)
      import :: c_double_complex, c_int, ray_transform
      type(ray_transform), intent(in) :: t
      complex(c_double_complex), intent(inout) :: grid(*), lines(*)
    end function
    subroutine seiche_cp2k_original_took(t, seconds) bind(C)
      import :: c_double, ray_transform
      type(ray_transform), intent(in) :: t
      real(c_double), value :: seconds
    end subroutine
    type(c_funptr) function seiche_cp2k_original(symbol) bind(C)
      import :: c_char, c_funptr
      character(kind=c_char), intent(in) :: symbol(*)
    end function
    ! The timers of CP2K.
    subroutine timeset(name, handle, length) bind(C, name='__base_hooks_MOD_timeset')
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: handle
      integer(c_size_t), value :: length
    end subroutine
    subroutine timestop(handle) bind(C, name='__base_hooks_MOD_timestop')
      import :: c_int
      integer(c_int), intent(in) :: handle
    end subroutine
  end interface

  character(*), parameter :: timer = 'seiche_fft3d'

contains

  !> Transforms between the grid `cin` and the lines `gin`. Has the arguments of CP2K's procedure. `yzp` has y and z of
  !> the lines of each rank.
  subroutine fft3d_ps(fsign, n, cin, gin, rs_group, yzp, nyzray, bo, status, debug)
    integer, intent(in) :: fsign, n(:)
    complex(c_double_complex), contiguous, intent(inout) :: cin(:, :, :), gin(:, :)
    type(mp_cart_type), intent(in) :: rs_group
    integer, contiguous, target, intent(in) :: yzp(:, :, 0:), nyzray(0:), bo(:, :, 0:, :)
    integer, intent(out), optional :: status
    logical, intent(in), optional :: debug
    procedure(fft3d_ps), pointer, save :: original => null()
    type(ray_transform) :: t
    real(c_double) :: start
    if (present(status)) status = 0
    t = request(fsign, n(:3), rs_group, yzp, nyzray, bo(:, :, :, 1))
    if (transformed(t, cin, gin)) return
    if (.not. associated(original)) &
      call c_f_procpointer(seiche_cp2k_original('__fft_tools_MOD_fft3d_ps' // c_null_char), original)
    start = MPI_WTIME()
    call original(fsign, n, cin, gin, rs_group, yzp, nyzray, bo, status, debug)
    call note_time(t, MPI_WTIME() - start)
  end subroutine

  !> The same for lines of boxes: in reciprocal space each rank has the lines of bo(:, :, rank, 3).
  subroutine fft3d_pb(fsign, n, zin, gin, group, bo, status, debug)
    integer, intent(in) :: fsign, n(3)
    complex(c_double_complex), contiguous, intent(inout) :: zin(:, :, :), gin(:, :)
    type(mp_cart_type), intent(in) :: group
    integer, contiguous, target, intent(in) :: bo(:, :, 0:, :)
    integer, intent(out), optional :: status
    logical, intent(in), optional :: debug
    procedure(fft3d_pb), pointer, save :: original => null()
    integer, allocatable, target :: lines(:, :, :), counts(:)
    type(ray_transform) :: t
    real(c_double) :: start
    allocate (counts, source=product(bo(2, 2:3, :, 3) - bo(1, 2:3, :, 3) + 1, dim=1))
    lines = lines_of(bo(:, :, :, 3), maxval(counts))
    if (present(status)) status = 0
    t = request(fsign, n, group, lines, counts, bo(:, :, :, 1))
    if (transformed(t, zin, gin)) return
    if (.not. associated(original)) &
      call c_f_procpointer(seiche_cp2k_original('__fft_tools_MOD_fft3d_pb' // c_null_char), original)
    start = MPI_WTIME()
    call original(fsign, n, zin, gin, group, bo, status, debug)
    call note_time(t, MPI_WTIME() - start)
  end subroutine

  !> Returns y and z of the lines of each rank's box, y fastest.
  function lines_of(boxes, most) result(lines)
    integer, intent(in) :: boxes(:, :, 0:), most
    integer :: lines(2, most, 0:size(boxes, 3) - 1), rank, y, z, line
    lines = 0
    do rank = 0, size(boxes, 3) - 1
      line = 0
      do z = boxes(1, 3, rank), boxes(2, 3, rank)
        do y = boxes(1, 2, rank), boxes(2, 2, rank)
          line = line + 1
          lines(:, line, rank) = [y, z]
        end do
      end do
    end do
  end function

  !> Describes a transform. `places`: y and z of the lines of each rank.
  type(ray_transform) function request(fsign, n, group, places, counts, boxes)
    integer, intent(in) :: fsign, n(3)
    type(mp_cart_type), intent(in) :: group
    integer, contiguous, target, intent(in) :: places(:, :, :), counts(:), boxes(:, :, :)
    integer, parameter :: forward = 1  ! FWFFT of CP2K
    request = ray_transform(group%get_handle(), size(counts), merge(1, 0, fsign == forward), n, size(places, 2), &
                            c_loc(counts), c_loc(places), c_loc(boxes))
  end function

  !> Transforms by Seiche, or returns false: then CP2K does. All ranks return the same.
  logical function transformed(t, grid, lines)
    type(ray_transform), intent(in) :: t
    complex(c_double_complex), contiguous, intent(inout) :: grid(:, :, :), lines(:, :)
    integer :: handle
    call timeset(timer, handle, len(timer, c_size_t))
    transformed = seiche_cp2k_transform(t, grid, lines) == 1
    call timestop(handle)
  end function

  subroutine note_time(t, seconds)
    type(ray_transform), intent(in) :: t
    real(c_double), intent(in) :: seconds
    integer :: handle
    call timeset(timer, handle, len(timer, c_size_t))
    call seiche_cp2k_original_took(t, seconds)
    call timestop(handle)
  end subroutine
end module
