! SPDX-License-Identifier: BSD-3-Clause
!> \file  What pw.x calls instead of its own procedures: link.sh makes copies of three of its objects, in which some names
!> that they call are these. Where a plan cannot serve, the original is called.

!> For vloc_psi_k, _gamma and _nc, as h_psi calls them.
subroutine seiche_vloc_psi_k(lda, n, m, psi, v, hpsi)
  use qe_names, only: current_k, dffts, dp
  use seiche_on_waves, only: add_potential, can_serve
  implicit none
  integer, intent(in) :: lda, n, m
  complex(dp), target, asynchronous, intent(in) :: psi(lda, m)
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
  complex(dp), target, asynchronous, intent(in) :: psi(lda, m)
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
  complex(dp), target, asynchronous, intent(in) :: psi(lda, npol, m)
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

!> For add_vuspsi, which h_psi calls next where there are projectors: V psi that was started ends here.
subroutine seiche_add_vuspsi(lda, n, m, hpsi)
  use qe_names, only: dp, npol
  use seiche_on_waves, only: finish_potential
  implicit none
  integer, intent(in) :: lda, n, m
  complex(dp), intent(inout) :: hpsi(lda, npol, m)
  external :: add_vuspsi
  call add_vuspsi(lda, n, m, hpsi)
  call finish_potential(n, lda, npol, m, hpsi)
end subroutine

!> For vexx of the module exx, as it and h_psi call it.
subroutine seiche_vexx(lda, n, m, psi, hpsi, becpsi)
  use qe_names, only: bec_type, dp, npol, vexx
  use seiche_on_exchange, only: add_exchange, can_serve_exchange
  implicit none
  integer :: lda, n, m
  complex(dp) :: psi(lda * npol, m), hpsi(lda * npol, m)
  type(bec_type), optional :: becpsi
  if (.not. can_serve_exchange()) then
    call vexx(lda, n, m, psi, hpsi, becpsi)
    return
  end if
  call start_clock('vexx')
  call add_exchange(n, lda, npol, m, psi, hpsi)
  call stop_clock('vexx')
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
