! SPDX-License-Identifier: BSD-3-Clause
!> \file  Files of wavefunctions.
module seiche_wavefiles
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_headers
  use seiche_moves
  use seiche_status_types
  use seiche_c_wavefile
  implicit none
  private

  public :: wavefile, handle_of_file

  !> A wavefunction file or directory that all ranks of a communicator open together.
  type :: wavefile
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: file_create_f08, file_create_integer
    !> Collective. create(comm, path [, status]): opens a file. The format is detected from the content.
    generic :: create => file_create_f08, file_create_integer
    procedure :: complete
    procedure :: header => file_header
    procedure :: convert
    procedure :: expand
    procedure :: compare => file_compare
    procedure :: close => file_close
  end type

contains

  recursive subroutine file_create_f08(self, comm, path, status)
    class(wavefile), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    call self%create(comm%MPI_VAL, path, status)
  end subroutine

  recursive subroutine file_create_integer(self, comm, path, status)
    class(wavefile), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    if (created(self%handle, 'wavefile', status)) return
    call settle(c_wavefile_create(self%handle, int(comm, c_int), c_text(path)), status)
  end subroutine

  !> Collective. Adds data that a WAVECAR lacks. `atoms`: a POSCAR or CONTCAR. `kpoints`: an IBZKPT, KPOINTS or
  !> vasprun.xml with the weights of k-points. '': none.
  recursive subroutine complete(self, atoms, kpoints, status)
    class(wavefile), intent(in) :: self
    character(*), intent(in) :: atoms, kpoints
    integer, intent(out), optional :: status
    call settle(c_wavefile_complete(self%handle, c_text(atoms), c_text(kpoints)), status)
  end subroutine

  !> Local. Returns the header of the file.
  recursive function file_header(self, status) result(header)
    class(wavefile), intent(in) :: self
    integer, intent(out), optional :: status
    type(seiche_header) :: header
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_header_create_of_file(handle, self%handle)
    if (code == seiche_ok) code = read_header(handle, header)
    call settle(code, status)
  end function

  !> Collective. Writes the file in another format ('qe', 'wfn', ...; absent: by the name).
  recursive subroutine convert(self, path, format, options, status)
    class(wavefile), intent(in) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: format
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(called_progress), target :: called
    call settle(c_wavefile_convert(self%handle, c_text(path), c_text(given(format)), asked_of(options, called)), status)
  end subroutine

  !> Collective. Writes the full Brillouin zone that the crystal's symmetry operations generate.
  recursive subroutine expand(self, path, format, options, status)
    class(wavefile), intent(in) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: format
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(called_progress), target :: called
    call settle(c_wavefile_expand(self%handle, c_text(path), c_text(given(format)), asked_of(options, called)), status)
  end subroutine

  !> Collective. Tells whether two files contain the same wavefunctions, up to unitary mixing of degenerate bands.
  !> `difference`: reason why they cannot be compared.
  recursive logical function file_compare(self, other, bands, occupied, overlap, difference, status)
    class(wavefile), intent(in) :: self, other
    integer, intent(in), optional :: bands
    logical, intent(in), optional :: occupied
    real(real64), intent(out), optional :: overlap
    character(:), allocatable, intent(out), optional :: difference
    integer, intent(out), optional :: status
    type(c_compare_options) :: asked
    type(c_comparison), target :: found
    integer(c_int) :: code
    asked%size = c_sizeof(asked)
    found%size = c_sizeof(found)
    if (present(bands)) asked%bands = int(bands, c_int)
    if (present(occupied)) asked%occupied = as_integer(occupied)
    code = c_wavefile_compare(self%handle, other%handle, asked, found)
    file_compare = found%equal == 1
    if (present(overlap)) overlap = found%overlap
    if (present(difference)) difference = text_of(c_loc(found%difference))
    call settle(code, status)
  end function

  !> Collective. Closes the file.
  recursive subroutine file_close(self, status)
    class(wavefile), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_wavefile_destroy(self%handle), status)
  end subroutine

  !> For other modules of this interface.
  recursive pure type(c_ptr) function handle_of_file(self) result(handle)
    class(wavefile), intent(in) :: self
    handle = self%handle
  end function
end module
