! SPDX-License-Identifier: BSD-3-Clause
!> \file  What programs of Quantum ESPRESSO call instead of its own procedures: link.sh makes copies of some of its
!> objects, in which some names that they call are these. Where a plan cannot serve, the original is called.

!> For vloc_psi_k, _gamma and _nc, as h_psi calls them.
subroutine seiche_vloc_psi_k(lda, n, m, psi, v, hpsi)
  use qe_names, only: current_k, dffts, dp
  use seiche_on_files, only: progress_files
  use seiche_on_waves, only: add_potential, can_serve
  implicit none
  integer, intent(in) :: lda, n, m
  complex(dp), target, asynchronous, intent(in) :: psi(lda, m)
  real(dp), intent(in) :: v(dffts%nnr)
  complex(dp), intent(inout) :: hpsi(lda, m)
  external :: vloc_psi_k
  call progress_files()
  if (.not. can_serve('local potential')) then
    call vloc_psi_k(lda, n, m, psi, v, hpsi)
    return
  end if
  call start_clock('vloc_psi')
  call add_potential(current_k, n, lda, 1, m, psi, v, dffts%nnr, hpsi)
  call stop_clock('vloc_psi')
end subroutine

subroutine seiche_vloc_psi_gamma(lda, n, m, psi, v, hpsi)
  use qe_names, only: dffts, dp
  use seiche_on_files, only: progress_files
  use seiche_on_waves, only: add_potential, can_serve
  implicit none
  integer, intent(in) :: lda, n, m
  complex(dp), target, asynchronous, intent(in) :: psi(lda, m)
  real(dp), intent(in) :: v(dffts%nnr)
  complex(dp), intent(inout) :: hpsi(lda, m)
  external :: vloc_psi_gamma
  call progress_files()
  if (.not. can_serve('local potential')) then
    call vloc_psi_gamma(lda, n, m, psi, v, hpsi)
    return
  end if
  call start_clock('vloc_psi')
  call add_potential(1, n, lda, 1, m, psi, v, dffts%nnr, hpsi)
  call stop_clock('vloc_psi')
end subroutine

subroutine seiche_vloc_psi_nc(lda, n, m, psi, v, hpsi)
  use qe_names, only: current_k, dfftp, dp, npol
  use seiche_on_files, only: progress_files
  use seiche_on_waves, only: add_potential, can_serve
  implicit none
  integer, intent(in) :: lda, n, m
  complex(dp), target, asynchronous, intent(in) :: psi(lda, npol, m)
  real(dp), intent(in) :: v(dfftp%nnr, 4)
  complex(dp), intent(inout) :: hpsi(lda, npol, m)
  external :: vloc_psi_nc
  call progress_files()
  if (.not. can_serve('local potential')) then
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

!> The density. sum_band calls weights once, and then, k-point after k-point, brings its bands to the grid, one call for
!> each band (two of them at gamma, each component of a spinor), to add their squares. The first of these calls at a
!> k-point adds the squares of all its bands, and all of them return zeros.
module seiche_density
  use qe_names
  implicit none
  logical, save :: serves = .false.
  integer, save :: calls = 0, first = 1, last = 0
contains
  !> What sum_band adds to the squares of its bands, or ''.
  function addition_of_sum_band() result(addition)
    character(:), allocatable :: addition
    addition = ''
    if (dft_is_meta() .or. lxdm) addition = 'a meta-GGA or XDM'
    if (sic) addition = 'a self-interaction correction'
    if (dmft) addition = 'DMFT'
  end function

  !> For one call that brings a band to the grid.
  subroutine count_call(f)
    complex(dp), intent(inout) :: f(:)
    integer :: calls_of_k
    calls_of_k = npol * (last - first + 1)
    if (gamma_only) calls_of_k = (calls_of_k + 1) / 2
    if (mod(calls, calls_of_k) == 0) call add_bands_of(calls / calls_of_k + 1)
    calls = calls + 1
    f(:dffts%nnr) = 0
  end subroutine

  subroutine add_bands_of(k)
    use seiche_on_waves, only: add_density
    integer, intent(in) :: k
    integer :: spin
    spin = 1
    if (lsda) spin = isk(k)
    call add_density(merge(1, k, gamma_only), ngk(k), npwx, npol, last - first + 1, evc(:, first:last), &
                     wg(first:last, k) / omega, rho%of_r(:, spin:))
  end subroutine
end module

subroutine seiche_weights()
  use qe_names, only: inter_bgrp_comm, nbnd
  use seiche_checkpoints, only: checkpoint
  use seiche_density, only: addition_of_sum_band, calls, first, last, serves
  use seiche_on_waves, only: can_serve, say_once
  implicit none
  external :: divide, weights
  call checkpoint()
  serves = addition_of_sum_band() == ''
  if (serves) then
    serves = can_serve('density')
  else
    call say_once('not used for the density of '//addition_of_sum_band())
  end if
  calls = 0
  call divide(inter_bgrp_comm, nbnd, first, last)
  call weights()
end subroutine

#ifdef QE_HAS_wave_g2r
!> For wave_g2r. Several bands in one call, howmany_set, are of programs for GPUs.
subroutine seiche_wave_to_grid(f_in, f, dfft, igk, howmany_set)
  use fft_wave, only: wave_g2r
  use qe_names, only: dmft, dp, fft_type_descriptor
  use seiche_density, only: count_call, serves
  use seiche_on_waves, only: say_once
  implicit none
  complex(dp), intent(in) :: f_in(:, :)
  complex(dp) :: f(:)
  type(fft_type_descriptor), intent(in) :: dfft
  integer, optional, intent(in) :: igk(:), howmany_set(3)
  if (dmft) call say_once('not used for the density of DMFT')  ! for which weights may not be called before
  if (serves .and. .not. dmft .and. .not. present(howmany_set)) then
    call count_call(f)
  else
    call wave_g2r(f_in, f, dfft, igk, howmany_set)
  end if
end subroutine
#else
!> For invfft.
subroutine seiche_wave_to_grid(kind, f, dfft, howmany)
  use fft_interfaces, only: invfft
  use qe_names, only: dp, fft_type_descriptor
  use seiche_density, only: count_call, serves
  implicit none
  character(*), intent(in) :: kind
  complex(dp) :: f(:)
  type(fft_type_descriptor), intent(in) :: dfft
  integer, optional, intent(in) :: howmany
  if (serves .and. kind == 'Wave') then
    call count_call(f)
  else
    call invfft(kind, f, dfft, howmany)
  end if
end subroutine
#endif
