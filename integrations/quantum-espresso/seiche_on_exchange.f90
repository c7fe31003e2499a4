! SPDX-License-Identifier: BSD-3-Clause
!> \file  Exact exchange of Quantum ESPRESSO, done by Seiche: V_x psi of norm-conserving pseudopotentials.
module seiche_on_exchange
  use, intrinsic :: iso_fortran_env, only: int32
  use fft_interfaces, only: fwfft
  use mpi_f08, only: MPI_Allreduce, MPI_Comm, MPI_LAND, MPI_LOGICAL
  use qe_names
  use seiche
  use seiche_on_waves, only: say_once, switched_off, waves_of
  !$ use omp_lib, only: omp_get_max_threads
  implicit none
  private

  public :: can_serve_exchange, add_exchange

contains

  !> Whether Seiche can compute V_x psi; else it says why not.
  logical function can_serve_exchange()
    character(:), allocatable :: obstacle
    obstacle = ''
    if (okvan .or. okpaw) obstacle = 'ultrasoft or PAW pseudopotentials'
    if (negrp > 1) obstacle = 'band groups (-nb)'
    if (dfftt%nproc2 /= 1) obstacle = 'planes divided along y (-ntg or -nyfft)'
    if (switched_off()) obstacle = 'SEICHE_QE=never'
    can_serve_exchange = obstacle == ''
    if (can_serve_exchange) then
      call say_once('exact exchange by Seiche '//seiche_version())
    else
      call say_once('not used for exact exchange with '//obstacle)
    end if
  end function

  !> Collective over the ranks of a pool. hpsi += V_x psi, at the current k-point. The sum over its points k' = k - q has
  !> the kernels of Quantum ESPRESSO.
  subroutine add_exchange(waves, lda, components, bands, psi, hpsi)
    integer, intent(in) :: waves, lda, components, bands
    complex(dp), intent(in) :: psi(lda, components, bands)
    complex(dp), intent(inout) :: hpsi(lda, components, bands)
    type(exact_exchange) :: exchange
    type(occupied_orbitals) :: occupied
    type(fft_options) :: options
    integer(int32), allocatable :: density_waves(:, :)
    complex(dp), allocatable :: orbitals(:, :, :)
    real(dp), allocatable :: weights(:), kernel(:)
    integer, external :: global_kpoint_index
    integer :: k, iq, ikq, first
    density_waves = nint(matmul(transpose(at), gt(:, :dfftt%ngm)), int32)
    options%components = components
    !$ options%threads = omp_get_max_threads()
    call exchange%create(MPI_Comm(dfftt%comm), merge(seiche_double, seiche_complex_double, gamma_only), &
                         [dfftt%nr1, dfftt%nr2, dfftt%nr3], waves_of(current_k, waves), density_waves, options)
    k = global_kpoint_index(nkstot, current_k)
    do iq = 1, nqs
      ikq = index_xkq(k, iq)
      call g2_convolution_all(dfftt%ngm, gt, xk(:, current_k), xkq_collect(:, ikq), iq, current_k)
      orbitals = occupied_of(ikq, components)
      weights = x_occupation(:x_nbnd_occ, index_xk(ikq)) / nqs
      kernel = exxalfa / omega * coulomb_fac(:, iq, current_k)
      call occupied%create(exchange, orbitals, weights, density_waves)
      first = 1
      if (are_occupied(waves, bands, psi, orbitals, weights)) then
        call exchange%apply_to_occupied(occupied, kernel, hpsi(:, :, :x_nbnd_occ), add=.true.)
        first = x_nbnd_occ + 1
      end if
      if (first <= bands) call exchange%apply(occupied, kernel, psi(:, :, first:), hpsi(:, :, first:), add=.true.)
      call occupied%close()
    end do
    call exchange%close()
  end subroutine

  !> Collective over the ranks of a pool. Whether the first of the bands are the occupied orbitals of the same k-point, as
  !> they are when pw.x constructs its ACE operator.
  logical function are_occupied(waves, bands, psi, orbitals, weights)
    integer, intent(in) :: waves, bands
    complex(dp), intent(in) :: psi(:, :, :), orbitals(:, :, :)
    real(dp), intent(in) :: weights(:)
    real(dp), parameter :: rounding = 1e-12_dp
    integer :: band
    logical :: here
    are_occupied = bands >= x_nbnd_occ .and. all(weights > 0)  ! equal on all ranks
    if (.not. are_occupied) return
    here = .true.
    do band = 1, x_nbnd_occ
      here = here .and. all(abs(psi(:waves, :, band) - orbitals(igk_k(:waves, current_k), :, band)) < rounding)
    end do
    call MPI_Allreduce(here, are_occupied, 1, MPI_LOGICAL, MPI_LAND, MPI_Comm(dfftt%comm))
  end function

  !> Coefficients of the occupied orbitals at a point k', which exxbuff has on the grid. At gamma, it has one orbital in
  !> the real parts, and the next one in the imaginary parts.
  function occupied_of(ikq, components) result(coefficients)
    integer, intent(in) :: ikq, components
    complex(dp), allocatable :: coefficients(:, :, :), values(:), other(:)
    integer :: band, component
    allocate (coefficients(dfftt%ngm, components, x_nbnd_occ), values(dfftt%nnr))
    do band = 1, x_nbnd_occ, merge(2, 1, gamma_only)
      do component = 1, components
        values = exxbuff(1 + (component - 1) * dfftt%nnr:component * dfftt%nnr, merge((band + 1) / 2, band, gamma_only), ikq)
        call fwfft('Rho', values, dfftt)
        coefficients(:, component, band) = values(dfftt%nl(:dfftt%ngm))
      end do
      if (.not. gamma_only) cycle
      other = conjg(values(dfftt%nlm(:dfftt%ngm)))
      if (band < x_nbnd_occ) coefficients(:, 1, band + 1) = (0.0_dp, -0.5_dp) * (coefficients(:, 1, band) - other)
      coefficients(:, 1, band) = 0.5_dp * (coefficients(:, 1, band) + other)
    end do
  end function
end module
