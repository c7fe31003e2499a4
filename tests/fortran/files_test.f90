! SPDX-License-Identifier: BSD-3-Clause
!> \file  Files, orbitals and densities from Fortran: silicon's, whose numbers Quantum ESPRESSO printed, and whose density
!> it wrote. Writes into the folder that it is given.
module file_cases
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use expect_seiche
  use seiche
  use seiche_files
  implicit none
  character(*), parameter :: silicon = 'data/si_small/si_small.save'
  character(500) :: folder = ''

contains

  integer function ranks()
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  end function

  function place(name)
    character(*), intent(in) :: name
    character(:), allocatable :: place
    place = trim(folder)//'/'//name
  end function

  subroutine headers()
    type(wavefile) :: file
    type(seiche_header) :: header
    type(band_edges) :: edges
    real(real64) :: table(11, 2)
    integer :: spin, status
    call file%create(MPI_COMM_WORLD, silicon)
    header = file%header()
    call expect(index(header%format, 'Quantum ESPRESSO') > 0 .and. header%spins == 1 .and. header%spinor == 1, 'kind')
    call expect(abs(header%electrons - 8) < 1e-12_real64 .and. all(header%grid > 8), 'electrons and grid')
    call expect(size(header%symbols) == 2 .and. header%symbols(2) == 'Si', 'atoms')
    call expect(abs(sum(header%weights) - 1) < 1e-9_real64 .and. all(header%plane_waves > 50), 'k-points')
    call expect(all(header%energies(1, :, 1) < header%energies(4, :, 1)), 'energies')
    call expect(abs(2 * sum(matmul(header%occupations(:, :, 1), header%weights)) - 8) < 1e-9_real64, 'occupations')
    call expect(all(header%rotations(:, :, 1) == reshape([1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3])), 'the identity first')
    call expect(.not. any(header%time_reversal) .and. all(abs(header%translations(:, 1)) <= 0), 'operations')
    edges = header%band_edges()
    call expect(all(edges%highest_occupied([1, 3]) == [1, 4]) .and. edges%lowest_empty(3) == 5, 'band edges')
    call expect(edges%zero_name == 'the highest occupied state' .and. edges%gap > 0 .and. edges%metallic == 0, 'gap')
    do spin = 0, 2, 2
      edges = header%band_edges(spin, status)
      call expect_fault(status, seiche_bad_argument, 'header: no spin '//merge('0', '2', spin == 0)//': use 1 to 1')
    end do
    call header%table_of_bands(table, status)
    call expect_fault(status, seiche_bad_argument, 'the array holds 22')
    call file%close()
    header = file%header(status)
    call expect_fault(status, seiche_misuse, 'wavefile: the handle is NULL')
    call file%create(MPI_COMM_WORLD%MPI_VAL, 'nowhere.save', status)
    call expect_fault(status, seiche_bad_file, 'nowhere.save')
  end subroutine

  subroutine orbitals_and_files()
    type(wavefile) :: file, again
    type(seiche_orbitals) :: read, moved, full
    type(seiche_header) :: header, of_full
    type(orbital_part) :: part
    type(move_options) :: options
    character(:), allocatable :: difference
    real(real64) :: norms, all_norms, overlap
    integer :: i, status
    type(seiche_pending) :: pending
    logical :: done
    call file%create(MPI_COMM_WORLD, silicon)
    options%memory = 20000000
    call read%read(file, [1, ranks(), 1], options)
    call moved%redistribute(read, [1, ranks(), 1])
    call moved%start_redistribute(pending, [1, 1, ranks()], options)
    done = pending%progress()
    call pending%finish()
    call moved%start_redistribute(pending, [1, 1, ranks() + 1])
    call pending%finish(status)
    call expect_fault(status, seiche_bad_argument, 'ranks')
    header = moved%header()
    norms = 0
    do i = 1, moved%parts()
      part = moved%part(i)
      call expect(all(shape(part%coefficients) == [size(part%waves, 2), 1, part%last_band - part%first_band + 1]), 'shape')
      norms = norms + sum(abs(part%coefficients)**2)
      part%coefficients = 0
    end do
    call MPI_Allreduce(norms, all_norms, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call expect(abs(all_norms - size(header%occupations)) < 1e-6_real64, 'norms of all bands')
    part = moved%part(moved%parts() + 1, status)
    call expect_fault(status, seiche_bad_argument, 'no part ')
    call moved%start_read_into(pending, file, options)
    call pending%finish()
    call moved%read_into(file)
    call moved%start_write(pending, place('moved.h5'), 'wfn', options)
    done = pending%progress()
    call pending%finish()
    call moved%start_write(pending, place('moved.h5'), 'no-format')
    call pending%finish(status)
    call expect_fault(status, seiche_bad_argument, 'no-format')
    call again%create(MPI_COMM_WORLD, place('moved.h5'))
    call expect(file%compare(again, overlap=overlap, difference=difference), 'what was wiped out has come back')
    call expect(overlap > 1 - 1e-9_real64 .and. difference == '', 'overlap')
    call again%complete('', '')
    call again%close()
    call file%convert(place('converted.h5'), 'wfn')
    call again%create(MPI_COMM_WORLD, place('converted.h5'))
    call expect(file%compare(again, bands=2, occupied=.true.), 'converted')
    call again%close()
    call file%expand(place('full.h5'))
    call again%create(MPI_COMM_WORLD, place('full.h5'))
    call full%full_zone(read)
    of_full = full%header()
    header = again%header()
    call expect(size(of_full%weights) == size(header%weights) .and. size(header%weights) > 5, 'the full zone')
    call again%close()
    call file%convert(place('x.h5'), 'no-format', status=status)
    call expect_fault(status, seiche_bad_argument, 'no-format')
    call full%close()
    call moved%close()
    call read%close()
    call file%close()
  end subroutine

  subroutine densities()
    type(wavefile) :: file
    type(seiche_density) :: of_file, written, orbital
    type(seiche_box) :: box
    real(real64), pointer :: values(:, :, :)
    real(real64) :: averages(2, 20), largest, centre(3), right(3), up(3)
    integer :: points(3), status
    call file%create(MPI_COMM_WORLD, silicon)
    call of_file%create(file)
    call expect(of_file%components() == 1, 'one component')
    box = of_file%grid_box(points)
    call of_file%values(1, values)
    call expect(all(shape(values) == box%extent()) .and. box%high(1) == points(1), 'values')
    call of_file%values(2, values, status)
    call expect_fault(status, seiche_bad_argument, 'no component 1')
    call of_file%planar_average(4, averages, status)
    call expect_fault(status, seiche_bad_argument, 'density: no axis 4: use 1 to 3')
    call of_file%planar_average(0, averages, status)
    call expect_fault(status, seiche_bad_argument, 'density: no axis 0: use 1 to 3')
    call of_file%planar_average(1, averages(:, 2:), status)
    call expect_fault(status, seiche_bad_argument, 'the array holds 38')
    call of_file%height_cut(0, 1.0_real64, averages, status)
    call expect_fault(status, seiche_bad_argument, 'density: no axis 0: use 1 to 3')
    largest = of_file%plane_values(averages(1, :3), averages(1, :3), averages(1, :3), 1.0_real64, 2, 2, averages, status)
    call expect_fault(status, seiche_bad_argument, 'density: no component 2: use 1 to 1')
    largest = of_file%plane_of_atoms([1, 2, 3], centre, right, up, status)
    call expect_fault(status, seiche_bad_argument, 'no atom 3 among 2')
    largest = of_file%plane_of_indices([0, 0, 0], 0.0_real64, centre, right, up, status)
    call expect_fault(status, seiche_bad_argument, '(0 0 0) is not a lattice plane')
    call orbital%orbital(file, 1, 1, 9, status=status)
    call expect_fault(status, seiche_bad_argument, 'has 8 bands, but no band 9')
    call of_file%write(place('density.h5'))
    call of_file%draw(place('density.png'))
    call written%read(MPI_COMM_WORLD, place('density.h5'))
    call written%set_unit('rydberg', status)
    call expect_fault(status, seiche_bad_argument, 'unit')
    call expect(written%compare(of_file) < 1e-12_real64, 'written and read')
    call written%close()
    call of_file%close()
    call file%close()
  end subroutine
end module

program files_test
  use file_cases
  implicit none
  call get_command_argument(1, folder)
  call MPI_Init()
  call headers()
  call orbitals_and_files()
  call densities()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()
end program
