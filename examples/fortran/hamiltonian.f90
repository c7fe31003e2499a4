! SPDX-License-Identifier: BSD-3-Clause
!> \file  H|psi> of many bands, and their density. The kinetic energy is applied to the plane waves, the potential on
!> the grid. Exchanges of some bands overlap with computation of others. The potential 2 cos x couples each coefficient
!> to its two neighbours. With the argument `cuda`, transforms run on a CUDA device.
program hamiltonian
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  use answers
  implicit none
  integer, parameter :: bands = 8, radius = 5, nx = 16
  type(sphere_fft) :: fft
  type(fft_options) :: options
  type(seiche_box) :: mine
  integer, allocatable :: waves(:, :)
  complex(real64), allocatable :: psi(:, :), h_psi(:, :)
  real(real64), allocatable :: potential(:, :, :), density(:, :, :)
  real(real64) :: error, kinetic, expected, here
  integer :: band, i, x
  character(len=4) :: place

  call MPI_Init()
  waves = my_waves()
  allocate (psi(size(waves, 2), bands), h_psi(size(waves, 2), bands))
  do band = 1, bands
    do i = 1, size(waves, 2)
      psi(i, band) = coefficient(band, waves(:, i))
    end do
  end do

  ! [sphere]
  call get_command_argument(1, place)
  if (place == 'cuda') options%space = seiche_space_cuda
  options%window = 3  ! bands in flight at once
  options%reproducible = .true.  ! the same bits in every run
  call fft%create(MPI_COMM_WORLD, seiche_complex_double, [nx, 15, 18], waves, options)
  mine = fft%grid_box()
  allocate (potential(mine%low(1):mine%high(1), mine%low(2):mine%high(2), mine%low(3):mine%high(3)))
  do x = 1, nx  ! rows along x are whole
    potential(x, :, :) = 2 * cos(2 * acos(-1.0_real64) * (x - 1) / nx)
  end do
  call fft%apply_potential(psi, h_psi, potential)
  ! [/sphere]
  ! [density]
  density = 0 * potential
  call fft%add_density(psi, [(2.0_real64, band=1, bands)], density)  ! electrons in each band
  ! [/density]

  here = sum(density) / (nx * 15 * 18) - 2 * sum(abs(psi)**2)  ! compares with the norm of the coefficients
  call MPI_Allreduce(here, error, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  error = abs(error) / (2 * bands)
  do band = 1, bands
    do i = 1, size(waves, 2)
      kinetic = 0.5_real64 * sum(waves(:, i)**2) * coefficient(band, waves(:, i))
      expected = kinetic + coefficient(band, waves(:, i) - [1, 0, 0]) + coefficient(band, waves(:, i) + [1, 0, 0])
      h_psi(i, band) = h_psi(i, band) + kinetic
      error = max(error, abs(h_psi(i, band) - expected))
    end do
  end do
  call fft%close()
  call answer('hamiltonian', error, 1e-13_real64, parts(reshape(h_psi, [size(h_psi)])))

contains

  !> Returns the coefficient of a wave of a band; 0 outside the sphere.
  pure real(real64) function coefficient(band, g)
    integer, intent(in) :: band, g(3)
    coefficient = 0
    if (sum(g**2) <= radius**2) coefficient = 1.0_real64 / (sum(g**2) + band)
  end function

  !> Returns the waves that balanced_owners assigns to this rank.
  function my_waves() result(mine)
    integer, allocatable :: mine(:, :), all(:, :), owners(:)
    integer :: x, y, z, n, rank, ranks
    n = 0
    allocate (all(3, (2 * radius + 1)**3))
    do x = -radius, radius
      do y = -radius, radius
        do z = -radius, radius
          if (coefficient(1, [x, y, z]) <= 0) cycle
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
