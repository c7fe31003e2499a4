! SPDX-License-Identifier: BSD-3-Clause
!> \file  The Fortran face of seiche_files: files of wavefunctions and densities, orbitals in memory. Hartree and bohr;
!> spins, k-points, bands and components are counted from 1.
module seiche_files
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  implicit none
  private

  public :: wavefile, seiche_header, seiche_orbitals, orbital_part, seiche_density, move_options

  !> How coefficients travel between ranks, and between ranks and files. Alike on all ranks but for `memory`.
  type :: move_options
    integer :: algorithm = seiche_algorithm_automatic
    integer :: progress = seiche_progress_automatic
    integer :: window = 0  !< rounds of bands in flight; 0: by rule
    integer(int64) :: memory = 0  !< bytes that this rank may take for it; 0: about 64 MB
    logical :: density = .false.  !< of convert() alone: the density beside the waves goes along
  end type

  !> What is known of a set of orbitals besides their coefficients.
  type :: seiche_header
    character(:), allocatable :: format  !< e.g. 'Quantum ESPRESSO .save (dat)'
    integer :: grid(3) = 0  !< of the density's FFT
    real(real64) :: lattice(3, 3) = 0  !< lattice(:, i) is a_i, bohr
    real(real64) :: cutoff = 0, density_cutoff = 0  !< hartree
    real(real64) :: electrons = 0
    real(real64) :: total_energy = 0, fermi_energy = 0  !< hartree; NaN where the file does not say
    integer :: spins = 1, spinor = 1, bands = 0
    logical :: half_sphere = .false.  !< of each pair G, -G one is kept
    integer :: density_components = 0  !< of the density beside the waves; 0: there is none
    real(real64), allocatable :: k(:, :), weights(:)  !< k(:, i) in units of b1, b2, b3
    integer(int64), allocatable :: plane_waves(:)  !< of each k-point
    real(real64), allocatable :: energies(:, :, :), occupations(:, :, :)  !< (band, k, spin)
    character(8), allocatable :: symbols(:)  !< of atoms
    real(real64), allocatable :: positions(:, :)  !< positions(:, i) of atom i, bohr
    integer, allocatable :: rotations(:, :, :)  !< rotations(i, j, o): R_ij of operation o in units of the lattice
    real(real64), allocatable :: translations(:, :)
    logical, allocatable :: time_reversal(:)
  end type

  !> A wavefunction file or directory, opened by all ranks of a communicator together.
  type :: wavefile
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: file_create_f08, file_create_integer
    !> Collective. create(comm, path [, status]); the format is found from content.
    generic :: create => file_create_f08, file_create_integer
    procedure :: complete
    procedure :: header => file_header
    procedure :: convert
    procedure :: expand
    procedure :: compare => file_compare
    procedure :: close => file_close
  end type

  !> Wavefunctions spread over the ranks of a communicator.
  type :: seiche_orbitals
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: spinor = 1
  contains
    procedure :: read => orbitals_read
    procedure :: redistribute
    procedure :: full_zone
    procedure :: read_into
    procedure :: write => orbitals_write
    procedure :: header => orbitals_header
    procedure :: parts
    procedure :: part
    procedure :: close => orbitals_close
  end type

  !> What this rank holds of one spin and k-point.
  type :: orbital_part
    integer :: spin = 0, k = 0, first_band = 1, last_band = 0
    integer(int32), pointer :: waves(:, :) => null()  !< (3, wave)
    complex(real64), pointer :: coefficients(:, :, :) => null()  !< (wave, component, band); may be changed
  end type

  !> A density on its grid, spread over ranks in boxes whose rows along x are whole.
  type :: seiche_density
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: density_of_file, density_of_orbitals, density_read_f08, density_read_integer
    !> Collective. create(file [, status]) or create(orbitals [, status]): the sum over states, symmetrised.
    generic :: create => density_of_file, density_of_orbitals
    procedure :: create_beside
    !> Collective. read(comm, path [, status])
    generic :: read => density_read_f08, density_read_integer
    procedure :: grid_box
    procedure :: components
    procedure :: values
    procedure :: integrals
    procedure :: compare => density_compare
    procedure :: write => density_write
    procedure :: draw
    procedure :: close => density_close
  end type

  include 'file_interfaces.inc'

contains

  subroutine file_create_f08(self, comm, path, status)
    class(wavefile), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    call self%create(comm%MPI_VAL, path, status)
  end subroutine

  subroutine file_create_integer(self, comm, path, status)
    class(wavefile), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    if (created(self%handle, 'wavefile', status)) return
    call settle(c_file_create(self%handle, int(comm, c_int), c_text(path)), status)
  end subroutine

  !> Collective. What a WAVECAR leaves out: atoms from a POSCAR or CONTCAR, weights of k-points from an IBZKPT, KPOINTS or
  !> vasprun.xml; '': nothing.
  subroutine complete(self, atoms, kpoints, status)
    class(wavefile), intent(in) :: self
    character(*), intent(in) :: atoms, kpoints
    integer, intent(out), optional :: status
    call settle(c_file_complete(self%handle, c_text(atoms), c_text(kpoints)), status)
  end subroutine

  !> Local.
  function file_header(self, status) result(header)
    class(wavefile), intent(in) :: self
    integer, intent(out), optional :: status
    type(seiche_header) :: header
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_header_of_file(handle, self%handle)
    if (code == seiche_ok) code = read_header(handle, header)
    call settle(code, status)
  end function

  !> Collective. Writes the file again, in a format ('qe', 'wfn', ...; none: by the name).
  subroutine convert(self, path, format, options, status)
    class(wavefile), intent(in) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: format
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call settle(c_file_write(self%handle, c_text(path), c_text(given(format)), 0_c_int, numbers_of(options), &
                             memory_of(options)), status)
  end subroutine

  !> Collective. Writes the full Brillouin zone that the crystal's operations make of the file.
  subroutine expand(self, path, format, options, status)
    class(wavefile), intent(in) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: format
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call settle(c_file_write(self%handle, c_text(path), c_text(given(format)), 1_c_int, numbers_of(options), &
                             memory_of(options)), status)
  end subroutine

  !> Collective. Whether two files hold the same wavefunctions, whatever mixes degenerate bands; `difference`: what keeps
  !> them from being compared at all.
  logical function file_compare(self, other, bands, occupied, overlap, difference, status)
    class(wavefile), intent(in) :: self, other
    integer, intent(in), optional :: bands
    logical, intent(in), optional :: occupied
    real(real64), intent(out), optional :: overlap
    character(:), allocatable, intent(out), optional :: difference
    integer, intent(out), optional :: status
    character(kind=c_char), target :: text(256)
    real(c_double) :: worst(4)
    integer(c_int) :: first, filled, equal, code
    first = 0
    if (present(bands)) first = int(bands, c_int)
    filled = 0
    if (present(occupied)) filled = as_integer(occupied)
    equal = 0
    worst = 0
    text = c_null_char
    code = c_file_compare(self%handle, other%handle, first, filled, equal, worst, text)
    file_compare = equal == 1
    if (present(overlap)) overlap = worst(1)
    if (present(difference)) difference = text_of(c_loc(text))
    call settle(code, status)
  end function

  !> Collective.
  subroutine file_close(self, status)
    class(wavefile), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_file_destroy(self%handle), status)
  end subroutine

  !> Collective. A whole file, spread over groups = [k-points, bands, waves] of ranks, whose product is their number.
  subroutine orbitals_read(self, file, groups, options, status)
    class(seiche_orbitals), intent(inout) :: self
    class(wavefile), intent(in) :: file
    integer, intent(in) :: groups(3)
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(seiche_header) :: header
    integer(c_int) :: code
    if (created(self%handle, 'orbitals', status)) return
    code = c_orbitals_read(self%handle, file%handle, int(groups, c_int), numbers_of(options), memory_of(options))
    if (code == seiche_ok) then
      header = file%header()
      self%spinor = header%spinor
    end if
    call settle(code, status)
  end subroutine

  !> Collective. The wavefunctions of others in another layout.
  subroutine redistribute(self, of, groups, options, status)
    class(seiche_orbitals), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: of
    integer, intent(in) :: groups(3)
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    if (created(self%handle, 'orbitals', status)) return
    self%spinor = of%spinor
    call settle(c_orbitals_redistribute(self%handle, of%handle, int(groups, c_int), numbers_of(options), &
                                        memory_of(options)), status)
  end subroutine

  !> Collective. The full zone that the crystal's operations make of others.
  subroutine full_zone(self, of, status)
    class(seiche_orbitals), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: of
    integer, intent(out), optional :: status
    if (created(self%handle, 'orbitals', status)) return
    self%spinor = of%spinor
    call settle(c_orbitals_full_zone(self%handle, of%handle), status)
  end subroutine

  !> Collective. A restart: the file's coefficients into memory that is there, spread out as it is.
  subroutine read_into(self, file, options, status)
    class(seiche_orbitals), intent(in) :: self
    class(wavefile), intent(in) :: file
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call settle(c_orbitals_read_into(self%handle, file%handle, numbers_of(options), memory_of(options)), status)
  end subroutine

  !> Collective. A file that appears under its name when it is complete.
  subroutine orbitals_write(self, path, format, options, status)
    class(seiche_orbitals), intent(in) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: format
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    call settle(c_orbitals_write(self%handle, c_text(path), c_text(given(format)), numbers_of(options), &
                                 memory_of(options)), status)
  end subroutine

  !> Local.
  function orbitals_header(self, status) result(header)
    class(seiche_orbitals), intent(in) :: self
    integer, intent(out), optional :: status
    type(seiche_header) :: header
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_header_of_orbitals(handle, self%handle)
    if (code == seiche_ok) code = read_header(handle, header)
    call settle(code, status)
  end function

  !> Local. How many parts this rank holds.
  integer function parts(self, status)
    class(seiche_orbitals), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int64_t) :: count
    integer(c_int) :: code
    count = 0
    code = c_orbitals_part_count(self%handle, count)
    parts = int(count)
    call settle(code, status)
  end function

  !> Local. Part 1, 2, ... of this rank; its pointers are good until the orbitals are closed.
  function part(self, number, status) result(found)
    class(seiche_orbitals), intent(in) :: self
    integer, intent(in) :: number
    integer, intent(out), optional :: status
    type(orbital_part) :: found
    integer(c_int64_t) :: counts(6)
    type(c_ptr) :: waves, coefficients
    integer(c_int) :: code
    code = c_orbitals_part(self%handle, int(number - 1, c_int64_t), counts, waves, coefficients)
    if (code == seiche_ok) then
      found%spin = int(counts(1)) + 1
      found%k = int(counts(2)) + 1
      found%first_band = int(counts(3)) + 1
      found%last_band = int(counts(4))
      call c_f_pointer(waves, found%waves, [3_c_int64_t, counts(5)])
      call c_f_pointer(coefficients, found%coefficients, [counts(5), int(self%spinor, c_int64_t), counts(4) - counts(3)])
    end if
    call settle(code, status)
  end function

  !> Collective.
  subroutine orbitals_close(self, status)
    class(seiche_orbitals), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_orbitals_destroy(self%handle), status)
  end subroutine

  subroutine density_of_file(self, file, status)
    class(seiche_density), intent(inout) :: self
    class(wavefile), intent(in) :: file
    integer, intent(out), optional :: status
    if (created(self%handle, 'density', status)) return
    call settle(c_density_of_file(self%handle, file%handle, c_null_ptr), status)
  end subroutine

  subroutine density_of_orbitals(self, orbitals, status)
    class(seiche_density), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: orbitals
    integer, intent(out), optional :: status
    if (created(self%handle, 'density', status)) return
    call settle(c_density_of_orbitals(self%handle, orbitals%handle, c_null_ptr), status)
  end subroutine

  !> Collective. The density that a code wrote beside its waves.
  subroutine create_beside(self, file, status)
    class(seiche_density), intent(inout) :: self
    class(wavefile), intent(in) :: file
    integer, intent(out), optional :: status
    if (created(self%handle, 'density', status)) return
    call settle(c_density_beside(self%handle, file%handle), status)
  end subroutine

  subroutine density_read_f08(self, comm, path, status)
    class(seiche_density), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    call self%read(comm%MPI_VAL, path, status)
  end subroutine

  subroutine density_read_integer(self, comm, path, status)
    class(seiche_density), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    if (created(self%handle, 'density', status)) return
    call settle(c_density_read(self%handle, int(comm, c_int), c_text(path)), status)
  end subroutine

  !> Local. The part of the grid that this rank holds.
  function grid_box(self, points, status) result(box)
    class(seiche_density), intent(in) :: self
    integer, intent(out), optional :: points(3)  !< of the whole grid
    integer, intent(out), optional :: status
    type(seiche_box) :: box
    integer(c_int64_t) :: all(3)
    type(c_box) :: found
    integer(c_int) :: code, count
    all = 0
    code = c_density_grid(self%handle, all, found, count)
    if (code == seiche_ok) box = box_of(found)
    if (present(points)) points = int(all)
    call settle(code, status)
  end function

  !> Local. 1: the total; 2: and m_z; 4: and m_x, m_y, m_z.
  integer function components(self, status)
    class(seiche_density), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int64_t) :: all(3)
    type(c_box) :: found
    integer(c_int) :: code, count
    count = 0
    code = c_density_grid(self%handle, all, found, count)
    components = int(count)
    call settle(code, status)
  end function

  !> Local. Points to a component's values (x, y, z) on this rank's box, electrons per bohr^3; they may be changed.
  subroutine values(self, component, points, status)
    class(seiche_density), intent(in) :: self
    integer, intent(in) :: component
    real(real64), pointer, intent(out) :: points(:, :, :)
    integer, intent(out), optional :: status
    type(seiche_box) :: box
    type(c_ptr) :: at
    integer(c_int64_t) :: count
    integer(c_int) :: code
    integer :: known
    nullify (points)
    code = c_density_values(self%handle, int(component - 1, c_int), at, count)
    if (code == seiche_ok) then
      box = self%grid_box(status=known)
      call c_f_pointer(at, points, box%extent())
    end if
    call settle(code, status)
  end subroutine

  !> Collective. Electrons in the cell, and the integrals of the magnetisation's components.
  function integrals(self, status)
    class(seiche_density), intent(in) :: self
    integer, intent(out), optional :: status
    real(real64), allocatable :: integrals(:)
    integer :: known
    allocate (integrals(self%components(known)))
    integrals = 0
    call settle(c_density_integrals(self%handle, integrals, size(integrals, kind=c_int64_t)), status)
  end function

  !> Collective. Largest |self - other| over the largest |other|: of the total, and of the magnetisation.
  real(real64) function density_compare(self, other, magnetisation, status)
    class(seiche_density), intent(in) :: self, other
    real(real64), intent(out), optional :: magnetisation
    integer, intent(out), optional :: status
    real(c_double) :: of_magnetisation
    integer(c_int) :: code
    density_compare = 0
    of_magnetisation = 0
    code = c_density_compare(self%handle, other%handle, density_compare, of_magnetisation)
    if (present(magnetisation)) magnetisation = of_magnetisation
    call settle(code, status)
  end function

  !> Collective. .cube, .xsf, .h5, or charge-density.dat or .hdf5, by the name.
  subroutine density_write(self, path, status)
    class(seiche_density), intent(in) :: self
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    call settle(c_density_write(self%handle, c_text(path)), status)
  end subroutine

  !> Collective. A PNG picture of the total on a plane through atoms.
  subroutine draw(self, path, status)
    class(seiche_density), intent(in) :: self
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    call settle(c_density_draw(self%handle, c_text(path)), status)
  end subroutine

  !> Collective.
  subroutine density_close(self, status)
    class(seiche_density), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_density_destroy(self%handle), status)
  end subroutine

  !> Takes everything out of C's header, and destroys that.
  integer(c_int) function read_header(handle, header) result(code)
    type(c_ptr), intent(inout) :: handle
    type(seiche_header), intent(out) :: header
    character(kind=c_char), target :: format(64)
    real(c_double) :: reals(14)
    integer(c_int64_t) :: counts(14)
    code = c_header_info(handle, reals, counts, format)
    if (code /= seiche_ok) return
    header%format = text_of(c_loc(format))
    header%grid = int(counts(:3))
    header%lattice = reshape(reals(:9), [3, 3])
    header%cutoff = reals(10)
    header%density_cutoff = reals(11)
    header%electrons = reals(12)
    header%total_energy = reals(13)
    header%fermi_energy = reals(14)
    header%spins = int(counts(4))
    header%spinor = int(counts(5))
    header%half_sphere = counts(6) /= 0
    header%bands = int(counts(7))
    header%density_components = int(counts(8))
    call read_states(handle, counts(12), header)
    call read_crystal(handle, counts(13), counts(14), header)
    code = c_header_destroy(handle)
  end function

  subroutine read_states(handle, kpoints, header)
    type(c_ptr), intent(in) :: handle
    integer(c_int64_t), intent(in) :: kpoints
    type(seiche_header), intent(inout) :: header
    integer(c_int) :: code
    allocate (header%k(3, kpoints), header%weights(kpoints), header%plane_waves(kpoints))
    allocate (header%energies(header%bands, kpoints, header%spins))
    allocate (header%occupations(header%bands, kpoints, header%spins))
    code = c_header_kpoints(handle, header%k, header%weights, header%plane_waves, kpoints)
    code = c_header_states(handle, header%energies, header%occupations, size(header%energies, kind=c_int64_t))
  end subroutine

  subroutine read_crystal(handle, atoms, operations, header)
    type(c_ptr), intent(in) :: handle
    integer(c_int64_t), intent(in) :: atoms, operations
    type(seiche_header), intent(inout) :: header
    type(c_ptr) :: symbol
    integer(c_int) :: code, rotation(9), reversal
    integer(c_int64_t) :: i
    allocate (header%symbols(atoms), header%positions(3, atoms))
    do i = 1, atoms
      code = c_header_atom(handle, i - 1, header%positions(:, i), symbol)
      header%symbols(i) = text_of(symbol)
    end do
    allocate (header%rotations(3, 3, operations), header%translations(3, operations), header%time_reversal(operations))
    do i = 1, operations
      code = c_header_operation(handle, i - 1, rotation, header%translations(:, i), reversal)
      header%rotations(:, :, i) = transpose(reshape(int(rotation), [3, 3]))
      header%time_reversal(i) = reversal /= 0
    end do
  end subroutine

  !> Whether there is something behind the handle already, which is refused.
  logical function created(handle, noun, status)
    type(c_ptr), intent(in) :: handle
    character(*), intent(in) :: noun
    integer, intent(out), optional :: status
    created = c_associated(handle)
    if (created) call refuse(noun//': this was created before; close it first', status)
  end function

  function given(text)
    character(*), intent(in), optional :: text
    character(:), allocatable :: given
    given = ''
    if (present(text)) given = text
  end function

  !> The numbers that file_shims.c takes.
  function numbers_of(options) result(numbers)
    type(move_options), intent(in), optional :: options
    integer(c_int) :: numbers(4)
    numbers = 0
    if (present(options)) numbers = [integer(c_int) :: options%algorithm, options%progress, options%window, &
                                     as_integer(options%density)]
  end function

  integer(c_int64_t) function memory_of(options)
    type(move_options), intent(in), optional :: options
    memory_of = 0
    if (present(options)) memory_of = options%memory
  end function
end module
