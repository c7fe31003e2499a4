! SPDX-License-Identifier: BSD-3-Clause
!> \file  Writes wavefunctions to a file while it computes:  checkpoint FILE OUTPUT
program example_checkpoint
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  use seiche_files
  use answers
  implicit none
  type(wavefile) :: file
  type(seiche_orbitals) :: orbitals, again
  type(seiche_density) :: density
  type(seiche_pending) :: pending
  type(orbital_part) :: written, found
  real(real64), pointer :: values(:, :, :)
  real(real64), allocatable :: total(:)
  real(real64) :: error
  character(1000) :: path, output
  integer :: ranks, i
  logical :: done

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  path = 'data/si_small/si_small.save'
  output = 'checkpoint.save'
  if (command_argument_count() > 0) call get_command_argument(1, path)
  if (command_argument_count() > 1) call get_command_argument(2, output)
  call file%create(MPI_COMM_WORLD, path)
  call orbitals%read(file, [1, 1, ranks])
  call again%redistribute(orbitals, [1, 1, ranks])
  call file%close()

  ! [checkpoint]
  call orbitals%start_write(pending, output)
  call density%create(orbitals)  ! work that does not change the orbitals
  done = pending%progress()      ! between steps of the work: sends further bands to the ranks that write
  call pending%finish()          ! gives the file its name, or fails on all ranks
  ! [/checkpoint]

  call file%create(MPI_COMM_WORLD, output)
  call again%start_read_into(pending, file)
  call pending%finish()
  error = 0
  do i = 1, orbitals%parts()
    written = orbitals%part(i)
    found = again%part(i)
    error = max(error, maxval(abs(written%coefficients - found%coefficients)))
  end do
  call density%values(1, values)
  total = reshape(values, [size(values)])
  call density%close()
  call again%close()
  call orbitals%close()
  call file%close()
  call answer('checkpoint', error, 0.0_real64, total)
end program
