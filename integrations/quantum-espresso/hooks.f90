! SPDX-License-Identifier: BSD-3-Clause
!> \file  What pw.x calls instead of its own procedures: link.sh makes copies of two of its objects, in which some names
!> that they call are these. Where a plan cannot serve, the original is called.

!> For vloc_psi_k, _gamma and _nc, as h_psi calls them.
subroutine seiche_vloc_psi_k(lda, n, m, psi, v, hpsi)
  use qe_names, only: current_k, dffts, dp
  use seiche_on_waves, only: add_potential, can_serve
  implicit none
  integer, intent(in) :: lda, n, m
  complex(dp), intent(in) :: psi(lda, m)
  real(dp), intent(in) :: v(dffts%nnr)
  complex(dp), intent(inout) :: hpsi(lda, m)
  external :: vloc_psi_k
  if (.not. can_serve()) then
    call vloc_psi_k(lda, n, m, psi, v, hpsi)
    return
  end if
  call start_clock('vloc_psi')
  call add_potential(current_k, n, lda, 1, m, psi, v, dffts%nnr, hpsi)
  call stop_clock('vloc_psi')
end subroutine

subroutine seiche_vloc_psi_gamma(lda, n, m, psi, v, hpsi)
  use qe_names, only: dffts, dp
  use seiche_on_waves, only: add_potential, can_serve
  implicit none
  integer, intent(in) :: lda, n, m
  complex(dp), intent(in) :: psi(lda, m)
  real(dp), intent(in) :: v(dffts%nnr)
  complex(dp), intent(inout) :: hpsi(lda, m)
  external :: vloc_psi_gamma
  if (.not. can_serve()) then
    call vloc_psi_gamma(lda, n, m, psi, v, hpsi)
    return
  end if
  call start_clock('vloc_psi')
  call add_potential(1, n, lda, 1, m, psi, v, dffts%nnr, hpsi)
  call stop_clock('vloc_psi')
end subroutine

subroutine seiche_vloc_psi_nc(lda, n, m, psi, v, hpsi)
  use qe_names, only: current_k, dfftp, dp, npol
  use seiche_on_waves, only: add_potential, can_serve
  implicit none
  integer, intent(in) :: lda, n, m
  complex(dp), intent(in) :: psi(lda, npol, m)
  real(dp), intent(in) :: v(dfftp%nnr, 4)
  complex(dp), intent(inout) :: hpsi(lda, npol, m)
  external :: vloc_psi_nc
  if (.not. can_serve()) then
    call vloc_psi_nc(lda, n, m, psi, v, hpsi)
    return
  end if
  call start_clock('vloc_psi')
  call add_potential(current_k, n, lda, npol, m, psi, v, dfftp%nnr, hpsi)
  call stop_clock('vloc_psi')
end subroutine

!> The density. sum_band calls weights once, and then, k-point after k-point, brings its bands to the grid by invfft, one
!> call for each band (two of them at gamma, each component of a spinor), to add their squares. The first of these
!> calls at a k-point adds the squares of all its bands, and all of them return zeros.
module seiche_density_count
  implicit none
  logical, save :: serves = .false.
  integer, save :: calls = 0, first = 1, last = 0
end module

subroutine seiche_weights()
  use qe_names, only: dft_is_meta, inter_bgrp_comm, lxdm, nbnd
  use seiche_density_count, only: calls, first, last, serves
  use seiche_on_waves, only: can_serve, say_once
  implicit none
  external :: divide, weights
  serves = can_serve()
  if (serves .and. (dft_is_meta() .or. lxdm)) then
    serves = .false.
    call say_once('not used for the density of a meta-GGA or XDM')
  end if
  calls = 0
  call divide(inter_bgrp_comm, nbnd, first, last)
  call weights()
end subroutine

subroutine seiche_invfft(kind, f, dfft, howmany)
  use qe_names, only: dffts, dp, fft_type_descriptor, gamma_only, npol
  use fft_interfaces, only: invfft
  use seiche_density_count, only: calls, first, last, serves
  implicit none
  character(*), intent(in) :: kind
  complex(dp) :: f(:)
  type(fft_type_descriptor), intent(in) :: dfft
  integer, optional, intent(in) :: howmany
  integer :: calls_of_k
  if (.not. serves .or. kind /= 'Wave') then
    call invfft(kind, f, dfft, howmany)
    return
  end if
  calls_of_k = npol * (last - first + 1)
  if (gamma_only) calls_of_k = (calls_of_k + 1) / 2
  if (mod(calls, calls_of_k) == 0) call add_bands_of(calls / calls_of_k + 1)
  calls = calls + 1
  f(:dffts%nnr) = 0
contains
  subroutine add_bands_of(k)
    use qe_names, only: evc, isk, lsda, ngk, npwx, omega, rho, wg
    use seiche_on_waves, only: add_density
    integer, intent(in) :: k
    integer :: spin
    spin = 1
    if (lsda) spin = isk(k)
    call add_density(merge(1, k, gamma_only), ngk(k), npwx, npol, last - first + 1, evc(:, first:last), &
                     wg(first:last, k) / omega, rho%of_r(:, spin:))
  end subroutine
end subroutine
