! SPDX-License-Identifier: BSD-3-Clause
!> \file  Expectations of tests in Fortran: every rank counts what it compared and what failed, and all end alike.
module expect_seiche
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use seiche
  implicit none
  integer :: compared = 0, failed = 0

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    compared = compared + 1
    if (holds) return
    failed = failed + 1
    write (error_unit, '(4a)') 'not so: ', what, '; the last sentence is: ', seiche_last_error()
  end subroutine

  !> The call failed with this status and a sentence that contains `text`.
  subroutine expect_fault(got, status, text)
    integer, intent(in) :: got, status
    character(*), intent(in) :: text
    call expect(got == status .and. index(seiche_last_error(), text) > 0, text)
  end subroutine

  !> Collective. Ends MPI, and the program with an error unless every rank compared something and nothing failed.
  subroutine verdict()
    integer :: mine(2), all(2)
    mine = [failed, merge(1, 0, compared == 0)]
    call MPI_Allreduce(mine, all, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (any(all /= 0)) error stop 1
  end subroutine
end module
