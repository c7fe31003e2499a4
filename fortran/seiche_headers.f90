! SPDX-License-Identifier: BSD-3-Clause
!> \file  Metadata of orbitals in memory of Fortran.
module seiche_headers
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_status_types
  use seiche_wavefile_types
  use seiche_c_wavefile
  implicit none
  private

  public :: seiche_header, read_header, write_header

  !> Metadata of a set of orbitals: the contents of a file except the coefficients.
  type :: seiche_header
    character(:), allocatable :: format  !< e.g. 'Quantum ESPRESSO .save (dat)'
    integer :: grid(3) = 0  !< FFT grid of the density
    real(real64) :: lattice(3, 3) = 0  !< lattice(:, i) is a_i, bohr
    real(real64) :: cutoff = 0, density_cutoff = 0  !< hartree
    real(real64) :: electrons = 0
    real(real64) :: total_energy = 0, fermi_energy = 0  !< hartree; NaN: not in the file
    real(real64) :: fermi_energy_down = 0  !< of spin down, if it differs from fermi_energy, hartree; 0 or NaN: none
    integer :: spins = 1, spinor = 1, bands = 0
    logical :: half_sphere = .false.  !< one of each pair G, -G is stored
    integer :: magnetism = 0  !< 0: none, 1: collinear, 2: vector
    integer :: norm_conserving = 1  !< 0: no, 1: yes, 2: unknown
    logical :: weighted = .true.  !< .false.: the file has no weights of k-points; all weights are equal
    integer :: density_components = 0  !< components of the density stored with the wavefunctions; 0: none
    real(real64), allocatable :: k(:, :), weights(:)  !< k(:, i) in units of b1, b2, b3
    integer(int64), allocatable :: plane_waves(:)  !< number of plane waves of each k-point
    real(real64), allocatable :: energies(:, :, :), occupations(:, :, :)  !< (band, k, spin)
    character(8), allocatable :: symbols(:)  !< element symbols of the atoms
    real(real64), allocatable :: positions(:, :)  !< positions(:, i): Cartesian position of atom i, bohr
    integer, allocatable :: rotations(:, :, :)  !< rotations(i, j, o): R_ij of operation o, in units of the lattice vectors
    real(real64), allocatable :: translations(:, :)
    logical, allocatable :: time_reversal(:)
  contains
    procedure :: band_edges => edges_of_header, table_of_bands
  end type

contains

  !> Copies all data from a header of C, and destroys that header.
  recursive integer(c_int) function read_header(handle, header) result(code)
    type(c_ptr), intent(inout) :: handle
    type(seiche_header), intent(out) :: header
    type(c_header_info), target :: info
    info%size = c_sizeof(info)
    code = c_header_get_info(handle, info)
    if (code /= seiche_ok) return
    header%format = text_of(c_loc(info%format))
    header%grid = int(info%grid)
    header%lattice = reshape(info%lattice, [3, 3])
    header%cutoff = info%cutoff
    header%density_cutoff = info%density_cutoff
    header%electrons = info%electrons
    header%total_energy = info%total_energy
    header%fermi_energy = info%fermi_energy
    header%fermi_energy_down = info%fermi_energy_down
    header%spins = int(info%spins)
    header%spinor = int(info%spinor)
    header%half_sphere = info%half_sphere /= 0
    header%bands = int(info%bands)
    header%magnetism = int(info%magnetism)
    header%norm_conserving = int(info%norm_conserving)
    header%weighted = info%weighted /= 0
    header%density_components = int(info%density_components)
    call read_states(handle, info%kpoint_count, header)
    call read_crystal(handle, info%atom_count, info%operation_count, header)
    code = c_header_destroy(handle)
  end function

  recursive subroutine read_states(handle, kpoints, header)
    type(c_ptr), intent(in) :: handle
    integer(c_int64_t), intent(in) :: kpoints
    type(seiche_header), intent(inout) :: header
    integer(c_int) :: code
    allocate (header%k(3, kpoints), header%weights(kpoints), header%plane_waves(kpoints))
    allocate (header%energies(header%bands, kpoints, header%spins))
    allocate (header%occupations(header%bands, kpoints, header%spins))
    code = c_header_get_kpoints(handle, header%k, header%weights, header%plane_waves, kpoints)
    code = c_header_get_states(handle, header%energies, header%occupations, size(header%energies, kind=c_int64_t))
  end subroutine

  recursive subroutine read_crystal(handle, atoms, operations, header)
    type(c_ptr), intent(in) :: handle
    integer(c_int64_t), intent(in) :: atoms, operations
    type(seiche_header), intent(inout) :: header
    type(c_ptr) :: symbol
    integer(c_int) :: code, rotation(9), reversal
    integer(c_int64_t) :: i
    allocate (header%symbols(atoms), header%positions(3, atoms))
    do i = 1, atoms
      code = c_header_get_atom(handle, i - 1, header%positions(:, i), symbol)
      header%symbols(i) = text_of(symbol)
    end do
    allocate (header%rotations(3, 3, operations), header%translations(3, operations), header%time_reversal(operations))
    do i = 1, operations
      code = c_header_get_operation(handle, i - 1, rotation, header%translations(:, i), reversal)
      header%rotations(:, :, i) = transpose(reshape(int(rotation), [3, 3]))
      header%time_reversal(i) = reversal /= 0
    end do
  end subroutine

  !> Creates a header of C with the same data. The caller must destroy it. Arrays that are not allocated count as
  !> empty.
  recursive integer(c_int) function write_header(header, handle) result(code)
    type(seiche_header), intent(in) :: header
    type(c_ptr), intent(inout) :: handle
    type(c_header_info) :: info
    integer(c_int64_t) :: i
    info%size = c_sizeof(info)
    info%grid = header%grid
    info%lattice = reshape(header%lattice, [9])
    info%cutoff = header%cutoff
    info%density_cutoff = header%density_cutoff
    info%electrons = header%electrons
    info%total_energy = header%total_energy
    info%fermi_energy = header%fermi_energy
    info%fermi_energy_down = header%fermi_energy_down
    info%spins = int(header%spins, c_int)
    info%spinor = int(header%spinor, c_int)
    info%half_sphere = as_integer(header%half_sphere)
    info%bands = int(header%bands, c_int)
    info%magnetism = int(header%magnetism, c_int)
    info%norm_conserving = int(header%norm_conserving, c_int)
    info%weighted = as_integer(header%weighted)
    info%density_components = int(header%density_components, c_int)
    if (allocated(header%k)) info%kpoint_count = size(header%k, 2)
    if (allocated(header%symbols)) info%atom_count = size(header%symbols)
    if (allocated(header%rotations)) info%operation_count = size(header%rotations, 3)
    code = c_header_create(handle, info)
    if (code == seiche_ok .and. info%kpoint_count > 0) then
      code = c_header_set_kpoints(handle, header%k, header%weights, header%plane_waves, info%kpoint_count)
    end if
    if (code == seiche_ok .and. allocated(header%energies)) then
      code = c_header_set_states(handle, header%energies, header%occupations, size(header%energies, kind=c_int64_t))
    end if
    do i = 1, info%atom_count
      if (code == seiche_ok) code = c_header_set_atom(handle, i - 1, header%positions(:, i), c_text(header%symbols(i)))
    end do
    do i = 1, info%operation_count
      if (code == seiche_ok) code = c_header_set_operation(handle, i - 1, &
        reshape(int(transpose(header%rotations(:, :, i)), c_int), [9]), header%translations(:, i), &
        as_integer(header%time_reversal(i)))
    end do
  end function

  !> Local. Finds the band edges of one spin, or of all spins.
  recursive function edges_of_header(self, spin, status) result(edges)
    class(seiche_header), intent(in) :: self
    integer, intent(in), optional :: spin
    integer, intent(out), optional :: status
    type(band_edges) :: edges
    type(c_band_edges) :: found
    type(c_ptr) :: handle
    integer(c_int) :: code, ended, number
    handle = c_null_ptr
    found%size = c_sizeof(found)
    number = -1  ! all spins
    if (present(spin)) number = int(merge(spin - 1, -2, spin > 0), c_int)
    code = write_header(self, handle)
    if (code == seiche_ok) code = c_header_band_edges(handle, number, found)
    if (code == seiche_ok) edges = band_edges_of(found)
    if (present(spin)) call name_number(code, 'header: no spin', spin, self%spins)
    call settle(code, status)
    ended = c_header_destroy(handle)
  end function

  !> Local. Returns energies and occupations, with one row per spin, k-point and band. Rows of `values` (11, row): spin,
  !> k-point, k (3 numbers), weight, length of the path from the first k-point (bohr^-1), band, energy (hartree), energy
  !> (eV), occupation.
  recursive subroutine table_of_bands(self, values, status)
    class(seiche_header), intent(in) :: self
    real(real64), contiguous, intent(inout) :: values(:, :)
    integer, intent(out), optional :: status
    type(c_ptr) :: handle
    integer(c_int) :: code, ended
    handle = c_null_ptr
    code = write_header(self, handle)
    if (code == seiche_ok) code = c_header_table_of_bands(handle, values, size(values, kind=c_int64_t))
    call settle(code, status)
    ended = c_header_destroy(handle)
  end subroutine
end module
