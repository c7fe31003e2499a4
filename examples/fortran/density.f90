! SPDX-License-Identifier: BSD-3-Clause
!> \file  Reads a wavefunction file into a process grid and computes its density:  density FILE [OUTPUT.cube]
program example_density
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  use seiche_files
  use answers
  implicit none
  type(wavefile) :: file
  type(seiche_header) :: header
  type(seiche_orbitals) :: orbitals
  type(seiche_density) :: density, reference
  real(real64), pointer :: values(:, :, :)
  real(real64), allocatable :: integrals(:), total(:)
  real(real64) :: error
  character(1000) :: path, output
  integer :: ranks, waves

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  path = 'data/si_small/si_small.save'
  if (command_argument_count() > 0) call get_command_argument(1, path)

  ! [density]
  call file%create(MPI_COMM_WORLD, path)
  header = file%header()
  waves = merge(2, 1, mod(ranks, 2) == 0)  ! groups of ranks that share out the plane waves; others share the bands
  call orbitals%read(file, [1, ranks / waves, waves])
  call density%create(orbitals)
  integrals = density%integrals()
  if (command_argument_count() > 1) then
    call get_command_argument(2, output)
    call density%write(output)
  end if
  ! [/density]

  error = abs(integrals(1) - header%electrons)
  if (header%density_components > 0) then  ! the file has a density, too
    call reference%create_beside(file)
    error = max(error, density%compare(reference))
    call reference%close()
  end if
  call density%values(1, values)
  total = reshape(values, [size(values)])
  call density%close()
  call orbitals%close()
  call file%close()
  call answer('density', error, 1e-6_real64, total)
end program
