! SPDX-License-Identifier: BSD-3-Clause
!> \file  Waves, their distribution over ranks, and the order of ranks.
module seiche_layout
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_status_types
  use seiche_c_fft
  implicit none
  private

  public :: balanced_owners, order_ranks, sphere_of_waves

contains

  !> Local. Distributes waves over ranks (from 0) in whole sticks with nearly equal numbers of waves. The result is the
  !> same on all ranks.
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

  !> Collective. Returns the rank of this process in the order in which plans use the ranks of `comm`. The ranks of a node
  !> follow each other, and the nodes of a group. SEICHE_TOPOLOGY has the groups. Without it the rank is that of `comm`.
  !> MPI_Comm_split with this rank as the key makes a communicator that has this order.
  recursive function order_ranks(comm, status) result(rank)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: status
    integer :: rank
    integer(c_int) :: found
    found = -1
    call settle(c_order_ranks(int(comm%MPI_VAL, c_int), found), status)
    rank = found
  end function

  !> Local. Returns the waves G with |k + G|^2 / 2 <= cutoff (hartree), in x, y, z order. `b(:, i)` are the reciprocal
  !> lattice vectors (bohr^-1), and `k` is in units of them. `half`: one of each pair G, -G only.
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
