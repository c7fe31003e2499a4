! SPDX-License-Identifier: BSD-3-Clause
!> \file  Everything of Quantum ESPRESSO that is used here, under the names of version 6.7. Where a later version has
!> moved or renamed something, this is the file to change (README.md lists what 7.x calls otherwise).
module qe_names
  use kinds, only: dp
  use becmod, only: bec_type
  use cell_base, only: at, omega  ! lattice vectors; volume of the cell
  use control_flags, only: gamma_only, lxdm
  use exx, only: dfftt, gt, exxalfa, exxbuff, x_nbnd_occ, x_occupation, vexx  ! grid and orbitals of exact exchange
  use exx_base, only: coulomb_fac, g2_convolution_all, index_xk, index_xkq, nqs, xkq_collect
  use fft_base, only: dffts, dfftp  ! the grids of waves, and of densities
  use fft_types, only: fft_type_descriptor
  use funct, only: dft_is_meta
  use gvect, only: mill  ! Miller indices of all waves
  use io_global, only: ionode, stdout
  use klist, only: nks, nkstot, ngk, igk_k, xk  ! k-points of this pool and of all, numbers of their waves, which these are
  use lsda_mod, only: lsda, isk
  use mp_bands, only: inter_bgrp_comm
  use mp_exx, only: negrp
  use noncollin_module, only: noncolin, npol
  use paw_variables, only: okpaw
  use realus, only: real_space
  use scf, only: rho
  use spin_orb, only: domag
  use uspp, only: nkb, okvan  ! number of projectors
  use wavefunctions, only: evc
  use wvfct, only: current_k, nbnd, npwx, wg
  implicit none
  public
end module
