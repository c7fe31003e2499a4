! SPDX-License-Identifier: BSD-3-Clause
!> \file  Electron densities: summation over bands, files and comparison.
module seiche_densities
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_moves
  use seiche_orbital_sets
  use seiche_wavefiles
  use seiche_status_types
  use seiche_c_status
  use seiche_fft_types
  use seiche_c_fft
  use seiche_c_density
  implicit none
  private

  public :: seiche_density, density_options

  !> Options for the summation of a density.
  type :: density_options
    type(fft_options), allocatable :: fft  !< options of the transforms; not allocated: defaults with reproducible results
    integer :: algorithm = seiche_algorithm_automatic  !< exchange algorithm of bands to the transforms
    integer :: progress = seiche_progress_automatic
    integer :: window = 0
    integer(int64) :: memory = 0
    logical :: as_they_are = .false.  !< do not check the number of electrons
    class(progress_function), pointer :: on_progress => null()
  end type

  !> A density on a grid, distributed over ranks in boxes with whole rows along x.
  type :: seiche_density
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: density_of_file, density_of_orbitals, density_read_f08, density_read_integer
    !> Collective. create(file [, status] [, options]) or create(orbitals [, status] [, options]): computes the
    !> density, symmetrized. Fails if the number of electrons differs from the header's.
    generic :: create => density_of_file, density_of_orbitals
    procedure :: create_beside
    !> Collective. read(comm, path [, status]): reads a file of a density, or of another quantity on a grid.
    generic :: read => density_read_f08, density_read_integer
    procedure :: grid_box
    procedure :: components
    procedure :: values
    procedure :: integrals
    procedure :: compare => density_compare
    !> set_unit(unit [, status]): sets the unit of values from a .cube or .xsf file of another program, and converts
    !> them. unit: 'electrons/bohr3', 'electrons/angstrom3', 'hartree', 'rydberg' or 'eV'.
    procedure :: set_unit
    procedure :: write => density_write
    procedure :: draw
    procedure :: close => density_close
  end type


contains

  recursive subroutine density_of_file(self, file, status, options)
    class(seiche_density), intent(inout) :: self
    class(wavefile), intent(in) :: file
    integer, intent(out), optional :: status
    type(density_options), intent(in), optional :: options
    type(called_progress), target :: called
    type(c_fft_options), target :: fft
    integer(c_int), allocatable, target :: chunks(:)
    if (created(self%handle, 'density', status)) return
    call settle(c_density_create_of_file(self%handle, handle_of_file(file), &
                                  asked_of_density(options, called, fft, chunks)), status)
  end subroutine

  recursive subroutine density_of_orbitals(self, orbitals, status, options)
    class(seiche_density), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: orbitals
    integer, intent(out), optional :: status
    type(density_options), intent(in), optional :: options
    type(called_progress), target :: called
    type(c_fft_options), target :: fft
    integer(c_int), allocatable, target :: chunks(:)
    if (created(self%handle, 'density', status)) return
    call settle(c_density_create_of_orbitals(self%handle, handle_of_orbitals(orbitals), &
                                      asked_of_density(options, called, fft, chunks)), status)
  end subroutine

  !> Collective. Reads the density that is stored with the wavefunctions.
  recursive subroutine create_beside(self, file, status)
    class(seiche_density), intent(inout) :: self
    class(wavefile), intent(in) :: file
    integer, intent(out), optional :: status
    if (created(self%handle, 'density', status)) return
    call settle(c_density_create_beside(self%handle, handle_of_file(file)), status)
  end subroutine

  recursive subroutine density_read_f08(self, comm, path, status)
    class(seiche_density), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    call self%read(comm%MPI_VAL, path, status)
  end subroutine

  recursive subroutine density_read_integer(self, comm, path, status)
    class(seiche_density), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    if (created(self%handle, 'density', status)) return
    call settle(c_density_create_read(self%handle, int(comm, c_int), c_text(path)), status)
  end subroutine

  !> Local. Returns this rank's part of the grid. Rows along x are whole.
  recursive function grid_box(self, points, status) result(box)
    class(seiche_density), intent(in) :: self
    integer, intent(out), optional :: points(3)  !< shape of the whole grid
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

  !> Local. Returns the number of components: 1 (total), 2 (total, m_z) or 4 (total, m_x, m_y, m_z).
  recursive integer function components(self, status)
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

  !> Local. Sets a pointer to the values (x, y, z) of a component on this rank's box, in electrons per bohr^3. They may
  !> be changed.
  recursive subroutine values(self, component, points, status)
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

  !> Collective. Returns the integral of each component over the cell: the number of electrons, then the magnetic
  !> moments.
  recursive function integrals(self, status)
    class(seiche_density), intent(in) :: self
    integer, intent(out), optional :: status
    real(real64), allocatable :: integrals(:)
    integer :: known
    allocate (integrals(self%components(known)))
    integrals = 0
    call settle(c_density_integrals(self%handle, integrals, size(integrals, kind=c_int64_t)), status)
  end function

  !> Collective. Returns the largest |self - other| divided by the largest |other|, of the total and of the
  !> magnetization.
  recursive real(real64) function density_compare(self, other, magnetisation, status)
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

  !> Collective. Writes the density. The name selects the format: .cube, .xsf, .h5, or charge-density.dat or .hdf5.
  recursive subroutine density_write(self, path, status)
    class(seiche_density), intent(in) :: self
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    call settle(c_density_write(self%handle, c_text(path)), status)
  end subroutine

  recursive subroutine set_unit(self, unit, status)
    class(seiche_density), intent(in) :: self
    character(*), intent(in) :: unit
    integer, intent(out), optional :: status
    call settle(c_density_set_unit(self%handle, c_text(unit)), status)
  end subroutine

  !> Collective. Draws the total on a plane through atoms, as a PNG picture.
  recursive subroutine draw(self, path, status)
    class(seiche_density), intent(in) :: self
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    call settle(c_density_draw(self%handle, c_text(path)), status)
  end subroutine

  !> Collective. Destroys the density.
  recursive subroutine density_close(self, status)
    class(seiche_density), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_density_destroy(self%handle), status)
  end subroutine

  !> Converts options to C. The objects that they refer to must live as long as the call.
  recursive function asked_of_density(options, called, fft, chunks) result(asked)
    type(density_options), intent(in), optional :: options
    type(called_progress), target, intent(inout) :: called
    type(c_fft_options), target, intent(inout) :: fft
    integer(c_int), allocatable, target, intent(out) :: chunks(:)
    type(c_density_options) :: asked
    asked%size = c_sizeof(asked)
    if (.not. present(options)) return
    if (allocated(options%fft)) then
      fft = c_fft_options_of(options%fft, chunks)
      asked%fft = c_loc(fft)
    end if
    asked%algorithm = int(options%algorithm, c_int)
    asked%progress = int(options%progress, c_int)
    asked%window = int(options%window, c_int)
    asked%as_they_are = as_integer(options%as_they_are)
    asked%memory = options%memory
    call progress_of(options%on_progress, called, asked%on_progress, asked%user)
  end function
end module
