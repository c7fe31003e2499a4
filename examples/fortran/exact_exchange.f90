! SPDX-License-Identifier: BSD-3-Clause
!> \file  Exact exchange of electrons in a box without a potential. Their orbitals are plane waves, and the exchange
!> operator is diagonal: V_x |G> = -sum_j weight_j K(G - G_j) |G>. Orbitals of a k-point interact with those of another
!> one in the same way, with K(G + q).
program exchange_of_electrons
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  use answers
  implicit none
  real(real64), parameter :: length = 10  ! edge of the cubic box, bohr
  integer, parameter :: radius = 3, bands = 7  ! radius of the sphere of plane waves
  integer, parameter :: filled(3, bands) = reshape([0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1], &
                                                   [3, bands])
  type(exact_exchange) :: exchange
  type(occupied_orbitals) :: occupied
  type(fft_options) :: options
  integer, allocatable :: waves(:, :), density_waves(:, :)
  complex(real64), allocatable :: psi(:, :), v_psi(:, :)
  real(real64), allocatable :: kernel(:)
  real(real64) :: weights(bands), energy, q, error, expected_energy
  integer :: band, i

  call MPI_Init()
  waves = my_sphere(radius)
  density_waves = my_sphere(2 * radius)
  allocate (psi(size(waves, 2), bands), v_psi(size(waves, 2), bands), kernel(size(density_waves, 2)))
  do band = 1, bands  ! each orbital is one plane wave
    do i = 1, size(waves, 2)
      psi(i, band) = merge(1, 0, all(waves(:, i) == filled(:, band)))
    end do
  end do
  weights = 1  ! electrons of one spin in each orbital

  ! [exchange]
  options%reproducible = .true.  ! the same bits in every run
  call exchange%create(MPI_COMM_WORLD, seiche_complex_double, [15, 14, 16], waves, density_waves, options)
  call occupied%create(exchange, psi, weights)

  kernel = [(interaction(density_waves(:, i), 0.0_real64), i=1, size(density_waves, 2))]
  call exchange%apply(occupied, kernel, psi, v_psi)
  energy = exchange%energy(occupied, kernel, psi, weights)
  ! [/exchange]
  ! [kpoints]
  q = 0.25_real64  ! k - k', here along x
  kernel = [(interaction(density_waves(:, i), q), i=1, size(density_waves, 2))]
  call exchange%apply(occupied, kernel, psi, v_psi, add=.true.)
  ! [/kpoints]

  error = 0
  expected_energy = 0
  do band = 1, bands
    expected_energy = expected_energy + 0.5_real64 * eigenvalue(band, 0.0_real64)
    do i = 1, size(waves, 2)
      error = max(error, abs(v_psi(i, band) - (eigenvalue(band, 0.0_real64) + eigenvalue(band, q)) * psi(i, band)))
    end do
  end do
  error = max(error, abs(energy - expected_energy))
  call occupied%close()
  call exchange%close()
  call answer('exact_exchange', error, 1e-13_real64, parts(reshape(v_psi, [size(v_psi)])))

contains

  !> The interaction 4 pi / (volume |G + q|^2). The value at G + q = 0 is a choice of the method.
  pure real(real64) function interaction(g, q)
    integer, intent(in) :: g(3)
    real(real64), intent(in) :: q
    real(real64), parameter :: pi = acos(-1.0_real64), unit = 2 * pi / length
    real(real64) :: square
    square = unit * unit * ((g(1) + q) * (g(1) + q) + g(2) * g(2) + g(3) * g(3))
    interaction = 0.05_real64
    if (square > 0) interaction = 4 * pi / (length * length * length * square)
  end function

  !> Returns the eigenvalue of V_x for an orbital.
  real(real64) function eigenvalue(band, q)
    integer, intent(in) :: band
    real(real64), intent(in) :: q
    integer :: j
    eigenvalue = 0
    do j = 1, bands
      eigenvalue = eigenvalue - interaction(filled(:, band) - filled(:, j), q)
    end do
  end function

  !> Returns the waves of a sphere that balanced_owners assigns to this rank.
  function my_sphere(around) result(mine)
    integer, intent(in) :: around
    integer, allocatable :: mine(:, :), all(:, :), owners(:)
    integer :: x, y, z, n, rank, ranks
    n = 0
    allocate (all(3, (2 * around + 1)**3))
    do x = -around, around
      do y = -around, around
        do z = -around, around
          if (x**2 + y**2 + z**2 > around**2) cycle
          n = n + 1
          all(:, n) = [x, y, z]
        end do
      end do
    end do
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    owners = balanced_owners(all(:, :n), ranks)
    mine = reshape(pack(all(:, :n), spread(owners == rank, 1, 3)), [3, count(owners == rank)])
  end function

end program
