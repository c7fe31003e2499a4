! SPDX-License-Identifier: BSD-3-Clause
!> \file  Exact exchange from Fortran: reports, lifetime, started calls and faults. The last of several ranks has no waves.
program exact_exchange_test
  use, intrinsic :: iso_fortran_env, only: int32, real64
  use mpi_f08
  use seiche
  use expect_seiche
  implicit none

  integer, parameter :: grid(3) = [6, 5, 8], edge = 1, orbitals = 3
  real(real64), parameter :: weights(orbitals) = [1.0_real64, 0.0_real64, 0.5_real64], rounding = 1e-12_real64
  integer :: rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call reports()
  call started()
  call faults()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()

contains

  !> Returns the waves of a cube.
  function cube(most) result(waves)
    integer, intent(in) :: most
    integer(int32), allocatable :: waves(:, :)
    integer :: x, y, z, n
    allocate (waves(3, (2 * most + 1)**3))
    n = 0
    do x = -most, most
      do y = -most, most
        do z = -most, most
          n = n + 1
          waves(:, n) = [x, y, z]
        end do
      end do
    end do
    waves = waves(:, :n)
  end function

  !> Returns the positions of the waves of this rank.
  function mine(number)
    integer, intent(in) :: number
    integer, allocatable :: mine(:)
    integer :: i
    mine = pack([(i, i=1, number)], [(mod(i, max(ranks - 1, 1)) == rank, i=1, number)])
  end function

  pure real(real64) function kernel_at(g)
    integer, intent(in) :: g(3)
    kernel_at = 1 / (1.0_real64 + g(1)**2 + 2 * g(2)**2 + 3 * g(3)**2)
  end function

  function kernel_on(waves) result(kernel)
    integer(int32), intent(in) :: waves(:, :)
    real(real64) :: kernel(size(waves, 2))
    integer :: i
    do i = 1, size(waves, 2)
      kernel(i) = kernel_at(waves(:, i))
    end do
  end function

  !> Reports, orbitals that outlive their creator, and shapes of orbitals.
  subroutine reports()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(exact_report) :: report
    type(progress_report) :: progress
    type(fft_options) :: options
    type(seiche_box) :: box
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    complex(real64), allocatable :: psi(:, :, :), flat(:, :), values(:, :, :)
    real(real64), allocatable :: kernel(:)
    real(real64) :: single(1, 1, 1)
    integer :: n, e(3), status
    waves = cube(edge)
    waves = waves(:, mine(size(waves, 2)))
    density_waves = cube(2 * edge)
    density_waves = density_waves(:, mine(size(density_waves, 2)))
    kernel = kernel_on(density_waves)
    n = size(waves, 2)
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

    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves, density_waves)
    box = exchange%grid_box()
    e = box%extent()
    allocate (values(e(1), e(2), e(3)))
    values = 1
    single = 1
    if (rank == 0) call occupied%create_on_grid(exchange, single, [1.0_real64], status)
    if (rank /= 0) call occupied%create_on_grid(exchange, values, [1.0_real64], status)
    call expect_fault(status, seiche_misuse, &
      'occupied_orbitals: the values are real(real64), but the exchange is for complex(real64)')
    call occupied%create_on_grid(exchange, values(:, :, 2:), [1.0_real64], status)
    call expect_fault(status, seiche_bad_argument, ' values (got ')
    call exchange%close()
  end subroutine

  !> Two started calls at the same time, whose occupied orbitals are closed before they are finished.
  subroutine started()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(seiche_pending) :: replaces, adds
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    complex(real64), allocatable, target, asynchronous :: psi(:, :), out(:, :), one(:), two(:, :)
    complex(real64), allocatable :: expected(:, :)
    real(real64), allocatable, target, asynchronous :: kernel(:)
    integer :: i, status
    logical :: done
    waves = cube(edge)
    waves = waves(:, mine(size(waves, 2)))
    density_waves = cube(2 * edge)
    density_waves = density_waves(:, mine(size(density_waves, 2)))
    kernel = kernel_on(density_waves)
    psi = reshape([(cmplx(sin(1.7_real64 * i), cos(2.3_real64 * i), real64), i=1, orbitals * size(waves, 2))], &
      [size(waves, 2), orbitals])
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
    call expect(all(abs(out - psi - expected) < rounding), 'added V_x of a started call')
    call expect(all(abs(one - expected(:, 2)) < rounding), 'V_x of one orbital of a started call')
    call exchange%close()
  end subroutine

  !> What one rank gets wrong, all ranks are told.
  subroutine faults()
    type(exact_exchange) :: exchange, other
    type(occupied_orbitals) :: occupied, more
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    complex(real64), allocatable :: psi(:, :)
    real(real64), allocatable :: kernel(:)
    integer :: status, n
    waves = cube(edge)
    waves = waves(:, mine(size(waves, 2)))
    density_waves = cube(2 * edge)
    density_waves = density_waves(:, mine(size(density_waves, 2)))
    kernel = kernel_on(density_waves)
    n = size(waves, 2)
    allocate (psi(n, orbitals))
    psi = 1
    call exchange%create(MPI_COMM_WORLD, seiche_complex_float, grid, waves, density_waves, status=status)
    call expect_fault(status, seiche_unsupported, 'single precision is not supported')
    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves(:merge(2, 3, rank == 0), :), &
      density_waves, status=status)
    call expect_fault(status, seiche_misuse, 'exact_exchange: waves must have shape (3, number)')
    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves, density_waves, batch=-1, status=status)
    call expect_fault(status, seiche_bad_argument, 'the batch must not be negative (got -1)')
    call occupied%create(exchange, psi, weights, status=status)
    call expect_fault(status, seiche_misuse, 'exact_exchange: the handle is NULL')
    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves, density_waves)
    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves, density_waves, status=status)
    call expect_fault(status, seiche_misuse, 'exact_exchange: this object already exists')
    call occupied%create(exchange, psi, weights(:2), status=status)
    call expect_fault(status, seiche_bad_argument, 'exact_exchange: orbitals has shape (')
    call occupied%create(exchange, psi, weights, waves(:merge(2, 3, rank == 0), :), status)
    call expect_fault(status, seiche_misuse, 'occupied_orbitals: waves must have shape (3, number)')
    call occupied%create(exchange, psi, weights)
    call occupied%create(exchange, psi, weights, status=status)
    call expect_fault(status, seiche_misuse, 'occupied_orbitals: this object already exists')
    call exchange%apply(occupied, [kernel, 1.0_real64], psi, status)
    call expect_fault(status, seiche_bad_argument, 'the kernel needs one value for each of the')
    call exchange%apply(occupied, kernel, psi(:, :1), psi(:, 2:), status)
    call expect_fault(status, seiche_bad_argument, 'exact_exchange: out has shape (')
    call exchange%apply(more, kernel, psi, status)
    call expect_fault(status, seiche_misuse, 'occupied_orbitals: the handle is NULL')
    call other%create(MPI_COMM_WORLD, seiche_double, grid, waves(:, :0), density_waves(:, :0))
    call other%apply(occupied, kernel(:0), psi(:0, :), status)
    call expect_fault(status, seiche_bad_argument, 'the occupied orbitals have another type of values')
    call other%close()
    call exchange%close()
    call occupied%close()
  end subroutine
end program
