! SPDX-License-Identifier: BSD-3-Clause
!> \file  Pair densities from Fortran: reports, lifetime, callbacks and faults. Only the first rank has waves.
module pair_callbacks
  use, intrinsic :: iso_fortran_env, only: real64
  use seiche
  implicit none

  !> Counts pairs, and returns `code`.
  type, extends(pair_function) :: counter
    integer :: number = 0, code = 0
  contains
    procedure :: on_pairs64 => count_pairs
  end type

  !> Overrides no procedure.
  type, extends(pair_function) :: nothing
  end type

contains

  subroutine count_pairs(self, pairs, densities, status)
    class(counter), intent(inout) :: self
    integer, intent(in) :: pairs(:, :)
    complex(real64), intent(in) :: densities(:, :)
    integer, intent(inout) :: status
    self%number = self%number + size(densities, 2)
    status = merge(0, self%code, all(pairs >= 1 .and. pairs <= 2) .and. self%code == 0)
  end subroutine
end module

program pair_densities_test
  use, intrinsic :: iso_fortran_env, only: int32
  use mpi_f08
  use pair_callbacks
  use expect_seiche
  implicit none

  integer, parameter :: grid(3) = [6, 5, 8]
  type(pair_densities) :: densities
  type(grid_orbitals) :: orbitals, other
  type(pair_report) :: report
  type(progress_report) :: progress
  type(seiche_pending) :: pending
  type(fft_options) :: options
  type(counter) :: found
  type(nothing) :: empty
  integer(int32), allocatable :: waves(:, :)
  complex(real64), allocatable :: psi(:, :, :), out(:, :)
  complex(real64) :: factors(2, 2, 1)
  integer :: rank, n, status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  n = merge(1, 0, rank == 0)
  allocate (waves(3, n), psi(n, 2, 2), out(n, 1))
  waves = 0
  psi = 1
  factors = 1
  options%components = 2
  call densities%create(MPI_COMM_WORLD%MPI_VAL, seiche_complex_double, grid, waves, options, block=3)
  call orbitals%create(densities, waves, psi)
  call expect(orbitals%count() == 2, 'count')
  call expect(orbitals%memory() > 0, 'memory')
  call densities%compute(orbitals, orbitals, found)
  call expect(found%number == 4, 'all pairs')
  call densities%start_compute(pending, orbitals, orbitals, found)
  call pending%finish()
  call expect(found%number == 8, 'all pairs of a started call')
  call densities%sum(orbitals, orbitals, factors, out)
  call expect(all(abs(out - 8) < 1e-12_real64), 'sum over pairs and components')
  report = densities%report()
  call expect(report%block == 3 .and. report%memory > 0 .and. report%band_groups == 1, 'report')
  call expect(len(report%algorithm) > 0 .and. len(report%decomposition) > 0, 'names in the report')
  progress = densities%progress()
  call expect(progress%worked > 0, 'progress')

  found%code = merge(5, 0, rank == 0)
  call densities%compute(orbitals, orbitals, found, status)
  call expect_fault(status, seiche_bad_argument, 'pair_densities: the callback returned 5 for pairs from (1, 1): return 0')
  call densities%compute(orbitals, orbitals, empty, status)
  call expect_fault(status, seiche_bad_argument, 'pair_densities: the callback returned 1 for pairs from (1, 1): return 0')
  call other%create(densities, waves, reshape(psi, [n, 1, 4]), status)
  call expect_fault(status, seiche_bad_argument, 'but the number of components is')
  call densities%sum(orbitals, orbitals, reshape(factors, [4, 1, 1]), out, status)
  call expect_fault(status, seiche_bad_argument, 'but the numbers of orbitals are (2, 2): pass (right, left, sums)')
  call densities%close()
  call densities%close()
  call expect(orbitals%count() == 2, 'orbitals outlive the object that created them')
  call orbitals%close()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()
end program
