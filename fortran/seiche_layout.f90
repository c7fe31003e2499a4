! SPDX-License-Identifier: BSD-3-Clause
!> \file  Waves, and which rank owns which of them.
module seiche_layout
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_status_types
  use seiche_c_fft
  implicit none
  private

  public :: balanced_owners, sphere_of_waves

contains

  !> Local. The rank, from 0, that should own each wave so that sticks stay whole and all ranks get nearly as many; the
  !> same on every rank.
  recursive function balanced_owners(waves, ranks, status) result(owners)
    integer(int32), contiguous, intent(in) :: waves(:, :)
    integer, intent(in) :: ranks
    integer, intent(out), optional :: status
    integer :: owners(size(waves, 2))
    if (size(waves, 1) /= 3) then
      owners = 0
      call refuse('balanced_owners: waves must have shape (3, number)', status)
      return
    end if
    call settle(c_balanced_owners(waves, size(waves, 2, c_int64_t), int(ranks, c_int), owners, &
                                  size(owners, kind=c_int64_t)), status)
  end function

  !> Local. The waves G with |k + G|^2 / 2 <= cutoff (hartree) in x, y, z order, for reciprocal vectors b(:, 1), b(:, 2),
  !> b(:, 3) (bohr^-1) and k in units of them; `half`: one of each pair G, -G.
  recursive function sphere_of_waves(b, k, cutoff, half, status) result(waves)
    real(real64), intent(in) :: b(3, 3), k(3), cutoff
    logical, intent(in), optional :: half
    integer, intent(out), optional :: status
    integer(int32), allocatable :: waves(:, :)
    integer(c_int64_t) :: found
    integer(c_int) :: code, halved
    halved = 0
    if (present(half)) halved = as_integer(half)
    found = 0
    code = c_sphere_of_waves(b, k, cutoff, halved, capacity=0_c_int64_t, found=found)
    allocate (waves(3, found))
    if (code == seiche_ok .and. found > 0) then
      code = c_sphere_of_waves(b, k, cutoff, halved, waves, found, found)
    end if
    call settle(code, status)
  end function
end module
