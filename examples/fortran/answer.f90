! SPDX-License-Identifier: BSD-3-Clause
!> \file  Common parts of the examples: at the end they print whether the result is right, and a checksum of its bits,
!> which is the same in all languages.
module answers
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  implicit none

contains

  !> Collective. Ends the program with an error if the deviation is above `allowed` on any rank. The checksum combines
  !> the bits of the values of all ranks, rotated by their positions.
  subroutine answer(name, error, allowed, values)
    character(*), intent(in) :: name
    real(real64), intent(in) :: error, allowed, values(:)
    integer(int64) :: bits, all_bits
    real(real64) :: largest
    integer :: i, rank
    bits = 0
    do i = 1, size(values)
      bits = ieor(bits, ishftc(transfer(values(i), bits), mod(i - 1, 63) + 1))
    end do
    call MPI_Reduce(bits, all_bits, 1, MPI_INTEGER8, MPI_BXOR, 0, MPI_COMM_WORLD)
    call MPI_Allreduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) then
      print '(2a, es8.1, a, z16.16)', name, merge(': right, error', ': WRONG, error', largest <= allowed), largest, &
        ', bits ', all_bits
    end if
    call MPI_Finalize()
    if (.not. largest <= allowed) error stop 1
  end subroutine

  !> Returns the real and imaginary parts of complex values, alternating.
  function parts(values)
    complex(real64), intent(in) :: values(:)
    real(real64) :: parts(2 * size(values))
    parts(1::2) = real(values)
    parts(2::2) = aimag(values)
  end function
end module
