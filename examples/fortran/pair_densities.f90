! SPDX-License-Identifier: BSD-3-Clause
!> \file  Static polarisability of electrons in a box without a potential. Their orbitals are plane waves, so that
!> rho_ij(G) is 1 if G = G_j - G_i, else 0. The polarisability is diagonal: chi(G) = 4 / volume sum_ij |rho_ij(G)|^2 /
!> (e_i - e_j), for filled i and empty j.
module polarisabilities
  use, intrinsic :: iso_fortran_env, only: real64
  use seiche
  implicit none
  real(real64), parameter :: length = 10  ! edge of the cubic box, bohr

  ! [function]
  !> Adds the pairs that it receives.
  type, extends(pair_function) :: polarisability
    integer, allocatable :: filled(:, :), empty(:, :)
    real(real64), allocatable :: chi(:)
  contains
    procedure :: on_pairs64 => add_pairs
  end type

contains

  subroutine add_pairs(self, pairs, densities, status)
    class(polarisability), intent(inout) :: self
    integer, intent(in) :: pairs(:, :)
    complex(real64), intent(in) :: densities(:, :)
    integer, intent(inout) :: status
    real(real64) :: factor
    integer :: p
    status = 0
    do p = 1, size(pairs, 2)
      factor = 4/(length*length*length*(energy(self%filled(:, pairs(1, p))) - energy(self%empty(:, pairs(2, p)))))
      self%chi = self%chi + factor*(real(densities(:, p))*real(densities(:, p)) + aimag(densities(:, p))*aimag(densities(:, p)))
    end do
  end subroutine
  ! [/function]

  pure real(real64) function energy(g)
    integer, intent(in) :: g(3)
    real(real64), parameter :: unit = 2*acos(-1.0_real64)/length
    energy = 0.5_real64*unit*unit*(g(1)*g(1) + g(2)*g(2) + g(3)*g(3))
  end function
end module

program polarisability_of_electrons
  use mpi_f08
  use polarisabilities
  use answers
  implicit none
  integer, parameter :: radius = 2  ! of the spheres of plane waves
  type(pair_densities) :: densities
  type(grid_orbitals) :: left, right
  type(fft_options) :: options
  type(polarisability) :: found
  integer, allocatable :: all_waves(:, :), waves(:, :), owners(:)
  complex(real64), allocatable :: psi_filled(:, :), psi_empty(:, :), ones(:, :, :), transitions(:, :)
  real(real64) :: error, expected
  integer :: i, w, number, other(3), rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  found%filled = shell(0, 1)
  found%empty = shell(2, radius*radius)
  all_waves = reshape([found%filled, found%empty], [3, size(found%filled, 2) + size(found%empty, 2)])
  owners = balanced_owners(all_waves, ranks)
  waves = reshape(pack(all_waves, spread(owners == rank, 1, 3)), [3, count(owners == rank)])
  psi_filled = plane_waves(found%filled)
  psi_empty = plane_waves(found%empty)
  allocate (ones(size(found%empty, 2), size(found%filled, 2), 1), transitions(size(waves, 2), 1))
  ones = 1
  allocate (found%chi(size(waves, 2)))
  found%chi = 0

  ! [pairs]
  options%reproducible = .true.  ! the same bits in every run
  call densities%create(MPI_COMM_WORLD, seiche_complex_double, [15, 14, 16], waves, options)
  call left%create(densities, waves, psi_filled)
  call right%create(densities, waves, psi_empty)

  call densities%compute(left, right, found)
  call densities%sum(left, right, ones, transitions)  ! sum_ij rho_ij(G)
  ! [/pairs]

  error = 0
  do w = 1, size(waves, 2)
    expected = 0
    number = 0
    do i = 1, size(found%filled, 2)
      other = found%filled(:, i) + waves(:, w)
      if (.not. any(all(found%empty == spread(other, 2, size(found%empty, 2)), 1))) cycle
      expected = expected + 4/(length*length*length*(energy(found%filled(:, i)) - energy(other)))
      number = number + 1
    end do
    error = max(error, abs(found%chi(w) - expected), abs(transitions(w, 1) - number))
  end do
  call left%close()
  call right%close()
  call densities%close()
  call answer('pair_densities', error, 1e-13_real64, found%chi)

contains

  !> Returns the waves with squares from `least` to `most`.
  function shell(least, most) result(some)
    integer, intent(in) :: least, most
    integer, allocatable :: some(:, :)
    integer :: x, y, z
    some = reshape([integer ::], [3, 0])
    do x = -radius, radius
      do y = -radius, radius
        do z = -radius, radius
          if (x*x + y*y + z*z < least .or. x*x + y*y + z*z > most) cycle
          some = reshape([some, x, y, z], [3, size(some, 2) + 1])
        end do
      end do
    end do
  end function

  !> Returns one orbital for each wave, on the waves of this rank.
  function plane_waves(orbitals) result(psi)
    integer, intent(in) :: orbitals(:, :)
    complex(real64), allocatable :: psi(:, :)
    integer :: j, k
    allocate (psi(size(waves, 2), size(orbitals, 2)))
    do j = 1, size(orbitals, 2)
      do k = 1, size(waves, 2)
        psi(k, j) = merge(1, 0, all(waves(:, k) == orbitals(:, j)))
      end do
    end do
  end function

end program
