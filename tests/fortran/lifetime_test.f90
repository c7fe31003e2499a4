! SPDX-License-Identifier: BSD-3-Clause
!> \file  What is created and closed again and again leaves the process as large as it was.
module lifetime_cases
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use expect_seiche
  use seiche
  use seiche_files
  implicit none
  character(*), parameter :: silicon = 'data/si_small/si_small.save'
  type(wavefile) :: file
  type(seiche_orbitals) :: orbitals
  integer :: ranks

contains

  !> Bytes of this process that are in memory.
  integer(int64) function resident()
    integer(int64) :: all
    integer :: unit
    open (newunit=unit, file='/proc/self/statm', action='read')
    read (unit, *) all, resident
    close (unit)
    resident = resident * 4096
  end function

  !> In one of three thirds of the last nine tenths less than 20 bytes each stay, besides a tenth of a megabyte. What leaks grows
  !> in each of them; pools of MPI, and of malloc for the threads that read, grow when they like.
  subroutine expect_no_leak(once, times, what)
    interface
      subroutine once(turn)
        integer, intent(in) :: turn
      end subroutine
    end interface
    integer, intent(in) :: times
    character(*), intent(in) :: what
    integer(int64) :: before, least
    integer :: i, part, first, third, handles, unset
    logical :: sanitized
    call get_environment_variable('SEICHE_SANITIZED', status=unset)  ! sanitizers keep what was freed, and tell of leaks
    sanitized = unset == 0
    handles = seiche_open_handles()
    first = times / 10
    third = (times - first) / 3
    do i = 1, first
      call once(i)
    end do
    least = huge(least)
    do part = 1, 3
      before = resident()
      do i = 1, third
        call once(first + (part - 1) * third + i)
      end do
      least = min(least, resident() - before)
    end do
    call expect(sanitized .or. least < 100000 + 20 * third, what)
    call expect(seiche_open_handles() == handles, what)
  end subroutine

  subroutine plans(turn)
    integer, intent(in) :: turn
    type(dense_fft) :: dense
    type(sphere_fft) :: sphere
    call dense%create(MPI_COMM_WORLD, seiche_double, [4, 3, 5 + mod(turn, 20)])
    call sphere%create(MPI_COMM_WORLD, seiche_double, [4, 3, 5 + mod(turn, 20)], reshape([0], [3, 0]))
    call sphere%close()
    call dense%close()
  end subroutine

  subroutine matrices(turn)
    integer, intent(in) :: turn
    type(block_layout) :: layout
    type(block_matrix) :: matrix
    type(multiplier) :: multiply
    call layout%create(MPI_COMM_WORLD, [2, 1, 3], [2, 1, 3])
    call matrix%create(layout, seiche_double)
    call multiply%create()
    call multiply%close()
    call matrix%close()
    call layout%close()
  end subroutine

  subroutine files(turn)
    integer, intent(in) :: turn
    type(wavefile) :: again
    type(seiche_header) :: header
    call again%create(MPI_COMM_WORLD, silicon)
    header = again%header()
    call again%close()
  end subroutine

  subroutine copies(turn)
    integer, intent(in) :: turn
    type(seiche_orbitals) :: again
    call again%redistribute(orbitals, merge([1, ranks, 1], [1, 1, ranks], mod(turn, 2) == 0))
    call again%close()
  end subroutine
end module

program lifetime_test
  use lifetime_cases
  implicit none
  integer :: many
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  many = 10000  ! pools of MPI fill slowly: MPICH's on three ranks takes thousands of plans
  call expect_no_leak(plans, many, 'plans')
  call expect_no_leak(matrices, many, 'matrices')
  call expect_no_leak(files, merge(200, 10000, ranks > 1), 'files')
  call file%create(MPI_COMM_WORLD, silicon)
  call orbitals%read(file, [1, 1, ranks])
  call expect_no_leak(copies, merge(200, 10000, ranks > 1), 'copies')
  call orbitals%close()
  call file%close()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()
end program
