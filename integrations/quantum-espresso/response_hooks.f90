! SPDX-License-Identifier: BSD-3-Clause
!> \file  What programs of linear response call instead of procedures of LR_Modules. link.sh gives the originals, which
!> serve the other cases, the names original_...

!> Waves at k and at k + q, of the program's k-point ik.
module seiche_response_points
  use control_lr, only: nbnd_occ
  use qe_names, only: gamma_only
  use qpoint, only: ikks, ikqs
  use seiche_on_waves, only: can_serve
  implicit none
contains
  logical function can_serve_response()
    can_serve_response = .false.  ! real orbitals
    if (.not. gamma_only) can_serve_response = can_serve('linear response')
  end function
end module

#ifdef QE_HAS_apply_dpot_bands
!> dvpsi = dV psi of all bands.
subroutine seiche_apply_dpot_bands(ik, nbnd, dv, psi, dvpsi)
  use qe_names, only: current_spin, dffts, domag, dp, noncolin, npol, npwx
  use seiche_on_waves, only: apply_perturbation
  use seiche_response_points
  implicit none
  integer, intent(in) :: ik, nbnd
  complex(dp), intent(in) :: dv(dffts%nnr, *), psi(npwx * npol, nbnd)
  complex(dp), intent(inout) :: dvpsi(npwx * npol, nbnd)
  external :: original_apply_dpot_bands
  integer :: first, last
  if (.not. can_serve_response()) then
    call original_apply_dpot_bands(ik, nbnd, dv, psi, dvpsi)
    return
  end if
  call start_clock('apply_dpot_b')
  first = merge(1, current_spin, noncolin)
  last = merge(4, first, noncolin .and. domag)
  call apply_perturbation(ikks(ik), ikqs(ik), npwx, npol, nbnd, psi, dv(:, first:last), dvpsi)
  call stop_clock('apply_dpot_b')
end subroutine
#endif

!> Adds the response of the density of a k-point.
subroutine incdrhoscf(drhoscf, weight, ik, dbecsum, dpsi)
  use qe_names, only: dffts, dp, evc, nbnd, npwx, omega
  use seiche_on_waves, only: add_response
  use seiche_response_points
  implicit none
  complex(dp), intent(inout) :: drhoscf(dffts%nnr, 1), dbecsum(*)
  real(dp), intent(in) :: weight
  integer, intent(in) :: ik
  complex(dp), intent(in) :: dpsi(npwx, nbnd)
  external :: addusdbec, original_incdrhoscf
  if (.not. can_serve_response()) then
    call original_incdrhoscf(drhoscf, weight, ik, dbecsum, dpsi)
    return
  end if
  call start_clock('incdrhoscf')
  call add_response(ikks(ik), ikqs(ik), 1, nbnd_occ(ikks(ik)), evc, dpsi, 2 * weight / omega, 1.0_dp, drhoscf)
  call addusdbec(ik, weight, dpsi, dbecsum)
  call stop_clock('incdrhoscf')
end subroutine

!> Same for spinors. `rsign`: sign of the magnetization. Columns of `drhoscf` have the rows of the grid that the original
!> uses: before 7.5 the grid of densities, of which only the first rows are set.
subroutine incdrhoscf_nc(drhoscf, weight, ik, dbecsum, dpsi, rsign)
#ifdef QE_RESPONSE_ON_DENSE_GRID
  use fft_base, only: rows => dfftp
#else
  use fft_base, only: rows => dffts
#endif
  use lrus, only: becp1
  use qe_names, only: bec_type, domag, dp, evc, nbnd, npol, npwx, omega
  use qpoint_aux, only: becpt
  use seiche_on_waves, only: add_response
  use seiche_response_points
  implicit none
  complex(dp), intent(inout) :: drhoscf(rows%nnr, *), dbecsum(*)
  real(dp), intent(in) :: weight, rsign
  integer, intent(in) :: ik
  complex(dp), intent(in) :: dpsi(npwx * npol, nbnd)
  external :: original_incdrhoscf_nc
  interface
    subroutine addusdbec_nc(ik, wgt, dpsi, dbecsum, becps)
      import :: bec_type, dp
      integer, intent(in) :: ik
      real(dp), intent(in) :: wgt
      complex(dp), intent(in) :: dpsi(*)
      complex(dp), intent(inout) :: dbecsum(*)
      type(bec_type), intent(in) :: becps(*)
    end subroutine
  end interface
  if (.not. can_serve_response()) then
    call original_incdrhoscf_nc(drhoscf, weight, ik, dbecsum, dpsi, rsign)
    return
  end if
  call start_clock('incdrhoscf')
  call add_response(ikks(ik), ikqs(ik), npol, nbnd_occ(ikks(ik)), evc, dpsi, 2 * weight / omega, rsign, &
                    drhoscf(:, :merge(4, 1, domag)))
  if (rsign == 1.0_dp) then
    call addusdbec_nc(ik, weight, dpsi, dbecsum, becp1)
  else
    call addusdbec_nc(ik, weight, dpsi, dbecsum, becpt)
  end if
  call stop_clock('incdrhoscf')
end subroutine
