! SPDX-License-Identifier: BSD-3-Clause
!> \file  Everything of Quantum ESPRESSO that is used here, under one name for all versions. link.sh defines QE_HAS_...
!> for names that only some versions have.
module qe_names
  use kinds, only: dp
  use becmod, only: bec_type
  use cell_base, only: alat, at, bg, omega, tpiba  ! lattice vectors, reciprocal ones; volume of the cell
  use control_flags, only: gamma_only, lxdm
  use exx, only: dfftt, gt, exxalfa, exxbuff, x_nbnd_occ, x_occupation, vexx  ! grid and orbitals of exact exchange
  use exx_base, only: coulomb_fac, g2_convolution_all, index_xk, index_xkq, nqs, xkq_collect
  use fft_base, only: dffts, dfftp  ! the grids of waves, and of densities
  use fft_types, only: fft_type_descriptor
  use gvect, only: mill  ! Miller indices of all waves
  use io_base, only: read_wfc, write_wfc
  use io_files, only: xmlfile
  use io_global, only: ionode, stdout
  use klist, only: nks, nkstot, ngk, igk_k, xk  ! k-points of this pool and of all, numbers of their waves, which these are
  use lsda_mod, only: lsda, isk, nspin, current_spin
  use mp_bands, only: inter_bgrp_comm
  use mp_images, only: intra_image_comm
  use mp_exx, only: negrp
  use noncollin_module, only: noncolin, npol
#ifdef QE_HAS_pw_write_binaries
  use pw_restart_new, only: pw_write_schema, write_collected_wfc => pw_write_binaries
#else
  use pw_restart_new, only: pw_write_schema, write_collected_wfc
#endif
  use paw_variables, only: okpaw
  use realus, only: real_space
  use scf, only: rho
  use uspp, only: nkb, okvan  ! number of projectors
  use wavefunctions, only: evc
  use wvfct, only: current_k, nbnd, npwx, wg
#ifdef QE_HAS_dft_is_meta
  use funct, only: dft_is_meta
#else
  use xc_lib, only: xclib_dft_is
#endif
#ifdef QE_HAS_domag
  use spin_orb, only: domag
#else
  use noncollin_module, only: domag
#endif
#ifdef QE_HAS_sic
  use control_flags, only: sic  ! self-interaction correction
#endif
#ifdef QE_HAS_dmft
  use add_dmft_occ, only: dmft
#endif
  implicit none
  public
#ifndef QE_HAS_sic
  logical, parameter :: sic = .false.
#endif
#ifdef QE_HAS_hdf5
  logical, parameter :: hdf5 = .true.
#else
  logical, parameter :: hdf5 = .false.
#endif
#ifndef QE_HAS_dmft
  logical, parameter :: dmft = .false.
#endif
#ifndef QE_HAS_dft_is_meta
contains
  logical function dft_is_meta()
    dft_is_meta = xclib_dft_is('meta')
  end function
#endif
end module
