! SPDX-License-Identifier: BSD-3-Clause
!> \file  Exact exchange against an explicit convolution of coefficients. All ranks have all orbitals for it. The last
!> of several ranks has no waves.
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
  call full_spheres()
  call spinors()
  call half_spheres()
  call on_grid()
  call started()
  call faults()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()

contains

  !> Returns the waves of a cube; of one half of it, with the origin, if `half`.
  function cube(most, half) result(waves)
    integer, intent(in) :: most
    logical, intent(in) :: half
    integer(int32), allocatable :: waves(:, :)
    integer :: x, y, z, n
    allocate (waves(3, (2 * most + 1)**3))
    n = 0
    do x = -most, most
      do y = -most, most
        do z = -most, most
          if (half .and. (x < 0 .or. (x == 0 .and. (y < 0 .or. (y == 0 .and. z < 0))))) cycle
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

  !> Returns V_x psi(wave, component, orbital) of the orbitals themselves.
  function convolution(waves, psi) result(v_psi)
    integer(int32), intent(in) :: waves(:, :)
    complex(real64), intent(in) :: psi(:, :, :)
    complex(real64) :: v_psi(size(psi, 1), size(psi, 2), size(psi, 3))
    complex(real64) :: a(-edge:edge, -edge:edge, -edge:edge, size(psi, 2), size(psi, 3)), pair
    integer :: i, j, w, u, x, q(3), p(3)
    do w = 1, size(waves, 2)
      a(waves(1, w), waves(2, w), waves(3, w), :, :) = psi(w, :, :)
    end do
    v_psi = 0
    do i = 1, orbitals
      do j = 1, orbitals
        do w = 1, size(waves, 2)  ! G of the result
          do u = 1, size(waves, 2)  ! G' of psi_j
            q = waves(:, w) - waves(:, u)
            pair = 0
            do x = 1, size(waves, 2)
              p = waves(:, x) + q
              if (all(abs(p) <= edge)) pair = pair + sum(conjg(psi(x, :, j)) * a(p(1), p(2), p(3), :, i))
            end do
            v_psi(w, :, i) = v_psi(w, :, i) - weights(j) * kernel_at(q) * pair * psi(u, :, j)
          end do
        end do
      end do
    end do
  end function

  !> Returns coefficients that depend on their position only.
  function some(waves, components) result(psi)
    integer, intent(in) :: waves, components
    complex(real64) :: psi(waves, components, orbitals)
    integer :: i
    psi = reshape([(cmplx(sin(1.7_real64 * i), cos(2.3_real64 * i), real64), i=1, size(psi))], shape(psi))
  end function

  real(real64) function energy_of(psi, v_psi)
    complex(real64), intent(in) :: psi(:, :, :), v_psi(:, :, :)
    integer :: i
    energy_of = 0
    do i = 1, orbitals
      energy_of = energy_of + weights(i) * real(sum(conjg(psi(:, :, i)) * v_psi(:, :, i))) / 2
    end do
  end function

  logical function near(a, b)
    complex(real64), intent(in) :: a(:, :), b(:, :)
    near = all(abs(a - b) < rounding)
  end function

  !> (wave, orbital) and (wave), with padded rows, added, and in place.
  subroutine full_spheres()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied, again
    type(exact_report) :: report
    type(progress_report) :: progress
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    complex(real64), allocatable :: all_psi(:, :, :), expected(:, :, :), want(:, :), psi(:, :), out(:, :), own(:, :)
    real(real64), allocatable :: kernel(:)
    real(real64) :: energy
    integer :: n, status
    waves = cube(edge, .false.)
    density_waves = cube(2 * edge, .false.)
    all_psi = some(size(waves, 2), 1)
    expected = convolution(waves, all_psi)
    psi = all_psi(mine(size(waves, 2)), 1, :)
    want = expected(mine(size(waves, 2)), 1, :)
    waves = waves(:, mine(size(waves, 2)))
    density_waves = density_waves(:, mine(size(density_waves, 2)))
    kernel = kernel_on(density_waves)
    n = size(psi, 1)
    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves, density_waves, batch=2)
    call occupied%create(exchange, psi, weights)
    call expect(occupied%count() == 2, 'orbitals without weight are left out')
    call expect(occupied%memory() > 0, 'memory')
    allocate (out(n + 2, orbitals))
    out = 7
    call exchange%apply(occupied, kernel, psi, out)
    call expect(near(out(:n, :), want), 'V_x')
    call expect(all(abs(out(n + 1:, :) - 7) <= 0), 'what is beyond the waves')
    call again%create(exchange, psi, weights, waves)
    call exchange%apply(again, kernel, psi, out, add=.true.)
    call expect(near(out(:n, :), 2 * want), 'V_x, added')
    allocate (own(n, 2), source=(0.0_real64, 0.0_real64))
    call exchange%apply_to_occupied(occupied, kernel, own)
    call expect(near(own, want(:, [1, 3])), 'V_x of occupied orbitals')
    call exchange%apply_to_occupied(occupied, kernel, own, add=.true.)
    call expect(near(own, 2 * want(:, [1, 3])), 'V_x of occupied orbitals, added')
    call exchange%apply_to_occupied(occupied, kernel, out, status)
    call expect_fault(status, seiche_bad_argument, 'but the components and orbitals of the call are (1, 2): pass')
    energy = exchange%energy(occupied, kernel, psi, weights)
    call expect(abs(energy - energy_of(all_psi, expected)) < rounding, 'energy')
    call exchange%apply(occupied, kernel, psi(:, 2), out(:, 1))
    call expect(near(out(:n, 1:1), want(:, 2:2)), 'V_x of one orbital')
    call exchange%apply(occupied, kernel, psi)
    call expect(near(psi, want), 'V_x in place')
    report = exchange%report()
    call expect(report%batch == 2 .and. report%memory > 0 .and. report%band_groups == 1, 'report')
    call expect(len(report%algorithm) > 0 .and. len(report%decomposition) > 0, 'names in the report')
    progress = exchange%progress()
    call expect(progress%worked > 0, 'progress')
    call exchange%close()
    call exchange%close()
    call expect(occupied%count() == 2, 'orbitals outlive the object that created them')
    call occupied%close()
    call again%close()
  end subroutine

  !> (wave, component, orbital)
  subroutine spinors()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(fft_options) :: options
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    complex(real64), allocatable :: all_psi(:, :, :), expected(:, :, :), psi(:, :, :), out(:, :, :), flat(:, :)
    real(real64), allocatable :: kernel(:)
    integer :: component, status
    waves = cube(edge, .false.)
    density_waves = cube(2 * edge, .false.)
    all_psi = some(size(waves, 2), 2)
    expected = convolution(waves, all_psi)
    psi = all_psi(mine(size(waves, 2)), :, :)
    expected = expected(mine(size(waves, 2)), :, :)
    density_waves = density_waves(:, mine(size(density_waves, 2)))
    kernel = kernel_on(density_waves)
    options%components = 2
    call exchange%create(MPI_COMM_WORLD%MPI_VAL, seiche_complex_double, grid, waves(:, mine(size(waves, 2))), &
      density_waves, options)
    call occupied%create(exchange, psi, weights)
    allocate (out, mold=psi)
    call exchange%apply(occupied, kernel, psi, out)
    do component = 1, 2
      call expect(near(out(:, component, :), expected(:, component, :)), 'V_x of spinors')
    end do
    flat = reshape(psi, [2 * size(psi, 1), orbitals])  ! components follow each other
    call exchange%apply(occupied, kernel, flat)
    call expect(near(flat, reshape(expected, shape(flat))), 'V_x of spinors in two dimensions')
    call exchange%apply(occupied, kernel, reshape(psi, [size(psi, 1), 1, 2 * orbitals]), out, status)
    call expect_fault(status, seiche_bad_argument, 'exact_exchange: in has shape (')
    call exchange%close()
    call occupied%close()
  end subroutine

  !> The constant orbital on a grid of real values: V_x |G> = -K(G) |G>.
  subroutine half_spheres()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(seiche_box) :: box
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    real(real64), allocatable :: one(:, :, :)
    complex(real64), allocatable :: psi(:), out(:)
    integer :: e(3), i
    waves = cube(edge, .true.)
    waves = waves(:, mine(size(waves, 2)))
    density_waves = cube(2 * edge, .true.)
    density_waves = density_waves(:, mine(size(density_waves, 2)))
    call exchange%create(MPI_COMM_WORLD, seiche_double, grid, waves, density_waves)
    box = exchange%grid_box()
    e = box%extent()
    allocate (one(e(1), e(2), e(3)))
    one = 1
    call occupied%create_on_grid(exchange, one, [1.0_real64])
    psi = [(cmplx(1 + waves(1, i), 0.5_real64 * waves(3, i), real64), i=1, size(waves, 2))]
    allocate (out, mold=psi)
    call exchange%apply(occupied, kernel_on(density_waves), psi, out)
    call expect(all(abs(out + kernel_on(waves) * psi) < rounding), 'V_x of real orbitals')
    call exchange%close()
    call occupied%close()
  end subroutine

  !> Two constant orbitals with half a weight each: V_x |G> = -K(G) |G>.
  subroutine on_grid()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(seiche_box) :: box
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    complex(real64), allocatable :: ones(:, :, :, :), psi(:), out(:)
    real(real64) :: single(1, 1, 1)
    integer :: e(3), i, status
    waves = cube(edge, .false.)
    waves = waves(:, mine(size(waves, 2)))
    density_waves = cube(2 * edge, .false.)
    density_waves = density_waves(:, mine(size(density_waves, 2)))
    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves, density_waves)
    box = exchange%grid_box()
    e = box%extent()
    allocate (ones(e(1), e(2), e(3), exchange%bands_here(2)))
    ones = 1
    call occupied%create_on_grid(exchange, ones, [0.5_real64, 0.5_real64])
    psi = [(cmplx(1 + waves(1, i), 0.5_real64 * waves(3, i), real64), i=1, size(waves, 2))]
    allocate (out, mold=psi)
    call exchange%apply(occupied, kernel_on(density_waves), psi, out)
    call expect(all(abs(out + kernel_on(waves) * psi) < rounding), 'V_x of orbitals on the grid')
    call occupied%close()

    single = 1
    if (rank == 0) call occupied%create_on_grid(exchange, single, [1.0_real64], status)
    if (rank /= 0) call occupied%create_on_grid(exchange, ones(:, :, :, 1), [1.0_real64], status)
    call expect_fault(status, seiche_misuse, &
      'occupied_orbitals: the values are real(real64), but the exchange is for complex(real64)')
    call occupied%create_on_grid(exchange, ones(:, :, 2:, 1), [1.0_real64], status)
    call expect_fault(status, seiche_bad_argument, ' values (got ')
    call exchange%close()
  end subroutine

  !> Two started calls at the same time, whose occupied orbitals are closed before they are finished.
  subroutine started()
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(seiche_pending) :: replaces, adds
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    complex(real64), allocatable :: all_psi(:, :, :), expected(:, :, :)
    complex(real64), allocatable, target, asynchronous :: psi(:, :, :), out(:, :, :), flat(:, :), one(:), &
      two(:, :)
    real(real64), allocatable, target, asynchronous :: kernel(:)
    integer :: i, status
    logical :: done
    waves = cube(edge, .false.)
    density_waves = cube(2 * edge, .false.)
    all_psi = some(size(waves, 2), 1)
    expected = convolution(waves, all_psi)
    psi = all_psi(mine(size(waves, 2)), :, :)
    expected = expected(mine(size(waves, 2)), :, :)
    density_waves = density_waves(:, mine(size(density_waves, 2)))
    kernel = kernel_on(density_waves)
    call exchange%create(MPI_COMM_WORLD, seiche_complex_double, grid, waves(:, mine(size(waves, 2))), density_waves)
    call occupied%create(exchange, psi, weights)
    out = psi
    flat = psi(:, 1, :)
    one = flat(:, 2)
    two = flat(:, 2:)
    call exchange%start_apply(replaces, occupied, kernel, flat, two, status)
    call expect(status == seiche_ok, 'errors of arrays are reported by finish')
    call replaces%finish(status)
    call expect_fault(status, seiche_bad_argument, 'too short')
    call exchange%start_apply(adds, occupied, kernel, psi, out, add=.true.)
    call exchange%start_apply(replaces, occupied, kernel, flat(:, 2), one)
    call occupied%close()
    do i = 1, 5 * rank
      done = adds%progress(status)
      call expect(status == seiche_ok, 'progress')
    end do
    call adds%finish()
    call replaces%finish()
    call expect(near(out(:, 1, :), flat + expected(:, 1, :)), 'added V_x of a started call')
    call expect(all(abs(one - expected(:, 1, 2)) < rounding), 'V_x of one orbital of a started call')
    call occupied%create(exchange, psi, weights)
    call exchange%start_apply(replaces, occupied, kernel, flat(:, 2:), two)
    call replaces%finish()
    call expect(near(two, expected(:, 1, 2:)), 'V_x of a started call')
    call exchange%close()
    call occupied%close()
  end subroutine

  !> What one rank gets wrong, all ranks are told.
  subroutine faults()
    type(exact_exchange) :: exchange, other
    type(occupied_orbitals) :: occupied, more
    integer(int32), allocatable :: waves(:, :), density_waves(:, :)
    complex(real64), allocatable :: psi(:, :)
    real(real64), allocatable :: kernel(:)
    integer :: status, n
    waves = cube(edge, .false.)
    waves = waves(:, mine(size(waves, 2)))
    density_waves = cube(2 * edge, .false.)
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
