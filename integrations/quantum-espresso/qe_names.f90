! SPDX-License-Identifier: BSD-3-Clause
!> \file  Everything of Quantum ESPRESSO that is used here, under the names of version 6.7. Where a later version has
!> moved or renamed something, this is the file to change (README.md lists what 7.x calls otherwise).
module qe_names
  use kinds, only: dp
  use cell_base, only: omega  ! volume of the cell
  use control_flags, only: gamma_only, lxdm
  use fft_base, only: dffts, dfftp  ! the grids of waves, and of densities
  use fft_types, only: fft_type_descriptor
  use funct, only: dft_is_meta
  use gvect, only: mill  ! Miller indices of all waves
  use io_global, only: ionode, stdout
  use klist, only: nks, ngk, igk_k  ! k-points of this pool, numbers of their waves, and which waves these are
  use lsda_mod, only: lsda, isk
  use mp_bands, only: inter_bgrp_comm
  use noncollin_module, only: noncolin, npol
  use scf, only: rho
  use spin_orb, only: domag
  use wavefunctions, only: evc
  use wvfct, only: current_k, nbnd, npwx, wg
  implicit none
  public
end module
