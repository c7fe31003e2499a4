! SPDX-License-Identifier: BSD-3-Clause
!> \file  Exact exchange from Fortran: reports, lifetime and started calls. Only the first rank has waves.
program exact_exchange_test
  use, intrinsic :: iso_fortran_env, only: int32, real64
  use mpi_f08
  use seiche
  use expect_seiche
  implicit none

  integer, parameter :: grid(3) = [6, 5, 8], orbitals = 3
  integer(int32), parameter :: all_waves(3, 4) = reshape([0, 0, 0, 1, 0, 1, -1, 0, 0, 0, 1, -1], [3, 4])
  real(real64), parameter :: weights(orbitals) = [1.0_real64, 0.0_real64, 0.5_real64]
  integer(int32), allocatable :: waves(:, :), density_waves(:, :)
  real(real64), allocatable, target, asynchronous :: kernel(:)
  integer :: rank, n, status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  n = merge(4, 0, rank == 0)
  waves = all_waves(:, :n)
  density_waves = all_waves(:, :min(n, 1))
  kernel = spread(0.5_real64, 1, min(n, 1))
  call reports()
  call started()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()

contains

  !> Reports, orbitals that outlive their creator, and shapes of orbitals.
  subroutine reports()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(exact_report) :: report
    type(progress_report) :: progress
    type(fft_options) :: options
    complex(real64), allocatable :: psi(:, :, :), flat(:, :)
    options%components = 2
    call exchange%create(MPI_COMM_WORLD%MPI_VAL, seiche_complex_double, grid, waves, density_waves, options, batch=2)
    allocate (psi(n, 2, orbitals))
    psi = 1
    call occupied%create(exchange, psi, weights)
    call expect(occupied%count() == 2, 'orbitals without weight are left out')
    call expect(occupied%memory() > 0, 'memory')
    flat = reshape(psi, [2 * n, orbitals])  ! components follow each other
    call exchange%apply(occupied, kernel, psi)
    call exchange%apply(occupied, kernel, flat)
    call expect(all(abs(flat - reshape(psi, shape(flat))) <= 0), 'V_x of spinors in two dimensions')
    call exchange%apply(occupied, kernel, reshape(psi, [n, 1, 2 * orbitals]), psi, status)
    call expect_fault(status, seiche_bad_argument, 'exact_exchange: in has shape (')
    call exchange%apply_to_occupied(occupied, kernel, psi, status)
    call expect_fault(status, seiche_bad_argument, 'but the components and orbitals of the call are (2, 2): pass')
    report = exchange%report()
    call expect(report%batch == 2 .and. report%memory > 0 .and. report%band_groups == 1, 'report')
    call expect(len(report%algorithm) > 0 .and. len(report%decomposition) > 0, 'names in the report')
    progress = exchange%progress()
    call expect(progress%worked > 0, 'progress')
    call exchange%close()
    call exchange%close()
    call expect(occupied%count() == 2, 'orbitals outlive the object that created them')
    call occupied%close()
  end subroutine

  !> Two started calls at the same time, whose occupied orbitals are closed before they are finished.
  subroutine started()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(seiche_pending) :: replaces, adds
    complex(real64), allocatable, target, asynchronous :: psi(:, :), out(:, :), one(:), two(:, :)
    complex(real64), allocatable :: expected(:, :)
    integer :: i
    logical :: done
    psi = reshape([(cmplx(i, mod(7 * i, 5), real64), i=1, orbitals * n)], [n, orbitals])
    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves, density_waves)
    call occupied%create(exchange, psi, weights)
    out = psi
    expected = psi
    one = psi(:, 2)
    two = psi(:, 2:)
    call exchange%apply(occupied, kernel, psi, expected)
    call exchange%start_apply(replaces, occupied, kernel, psi, two, status)
    call expect(status == seiche_ok, 'errors of arrays are reported by finish')
    call replaces%finish(status)
    call expect_fault(status, seiche_bad_argument, 'too short')
    call exchange%start_apply(adds, occupied, kernel, psi, out, add=.true.)
    call exchange%start_apply(replaces, occupied, kernel, psi(:, 2), one)
    call occupied%close()
    do i = 1, 5 * rank
      done = adds%progress(status)
      call expect(status == seiche_ok, 'progress')
    end do
    call adds%finish()
    call replaces%finish()
    call expect(all(abs(out - psi - expected) < 1e-11_real64), 'added V_x of a started call')
    call expect(all(abs(one - expected(:, 2)) < 1e-11_real64), 'V_x of one orbital of a started call')
    call exchange%close()
  end subroutine
end program
