! SPDX-License-Identifier: BSD-3-Clause
!> \file  Fortran interface of seiche_files: files of wavefunctions and densities, orbitals in memory. Units are hartree
!> and bohr. Spins, k-points, bands and components are numbered from 1.
module seiche_files
  use seiche_orbitals_types
  use seiche_density_types
  use seiche_moves, only: move_options, progress_function, wave_owners
  use seiche_headers, only: seiche_header
  use seiche_wavefiles, only: wavefile
  use seiche_orbital_sets, only: seiche_orbitals, orbital_part, basis_request, seiche_read_wfc
  use seiche_densities, only: seiche_density, density_options
  implicit none
  public
end module
