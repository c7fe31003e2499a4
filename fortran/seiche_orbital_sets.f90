! SPDX-License-Identifier: BSD-3-Clause
!> \file  Wavefunctions in memory, distributed over ranks: redistribution, changes of basis and symmetry.
module seiche_orbital_sets
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_headers
  use seiche_moves
  use seiche_pending_calls
  use seiche_tuning
  use seiche_wavefiles
  use seiche_status_types
  use seiche_tuning_types
  use seiche_c_tuning
  use seiche_c_wavefile
  use seiche_orbitals_types
  use seiche_c_orbitals
  implicit none
  private

  public :: seiche_orbitals, orbital_part, basis_request, handle_of_orbitals

  !> Requested changes of the basis. Members with their initial value leave the quantity unchanged.
  type :: basis_request
    real(real64) :: cutoff = 0  !< wavefunction cutoff, hartree (0: no change)
    real(real64) :: density_cutoff = 0  !< density cutoff, hartree (0: scaled by the same factor as `cutoff`)
    real(real64), allocatable :: lattice(:, :)  !< lattice(:, i) is a_i, bohr
    integer, allocatable :: grid(:)  !< FFT grid of the density; not allocated: the smallest that holds it
    integer :: bands = 0  !< number of bands (0: no change); more than before requires seiche_cholesky
    integer :: orthonormal = seiche_as_they_are
  end type

  !> Wavefunctions distributed over the ranks of a communicator.
  type :: seiche_orbitals
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: spinor = 1
  contains
    procedure, private :: create_f08, create_integer
    !> Collective. create(comm, header, waves, groups [, owners] [, status]): creates orbitals with coefficients of
    !> zero. part() returns the memory to fill in. `waves(3, number)` has all waves of each k-point, one k-point after
    !> another.
    generic :: create => create_f08, create_integer
    procedure :: read => orbitals_read
    procedure :: redistribute, start_redistribute
    procedure :: full_zone
    procedure :: symmetric
    procedure :: reassign
    procedure :: orthonormal
    procedure :: read_into
    procedure :: write => orbitals_write
    procedure :: header => orbitals_header
    procedure :: parts
    procedure :: part
    procedure :: overlaps => orbitals_overlaps
    procedure :: tune_move
    procedure :: close => orbitals_close
  end type

  !> Part of one spin and k-point on this rank.
  type :: orbital_part
    integer :: spin = 0, k = 0, first_band = 1, last_band = 0
    integer(int32), pointer :: waves(:, :) => null()  !< (3, wave)
    complex(real64), pointer :: coefficients(:, :, :) => null()  !< (wave, component, band); may be changed
  end type

contains

  recursive subroutine create_f08(self, comm, header, waves, groups, owners, status)
    class(seiche_orbitals), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    type(seiche_header), intent(in) :: header
    integer(int32), contiguous, intent(in) :: waves(:, :)
    integer, intent(in) :: groups(3)
    class(wave_owners), target, intent(in), optional :: owners
    integer, intent(out), optional :: status
    call self%create(comm%MPI_VAL, header, waves, groups, owners, status)
  end subroutine

  recursive subroutine create_integer(self, comm, header, waves, groups, owners, status)
    class(seiche_orbitals), intent(inout) :: self
    integer, intent(in) :: comm
    type(seiche_header), intent(in) :: header
    integer(int32), contiguous, intent(in) :: waves(:, :)
    integer, intent(in) :: groups(3)
    class(wave_owners), target, intent(in), optional :: owners
    integer, intent(out), optional :: status
    type(called_owners), target :: dealing
    type(c_ptr) :: of
    integer(c_int) :: code, ended
    integer :: known
    if (created(self%handle, 'orbitals', status)) return
    if (size(waves, 1) /= 3) then
      call refuse_create(comm, seiche_misuse, 'orbitals: waves must have shape (3, number)', status)
      return
    end if
    of = c_null_ptr
    code = write_header(header, of)
    if (code /= seiche_ok) then
      call settle(code, known)  ! for its error message
      if (c_associated(of)) ended = c_header_destroy(of)
      call refuse_create(comm, int(code), seiche_last_error(), status)
      return
    end if
    code = c_orbitals_create(self%handle, int(comm, c_int), of, waves, size(waves, 2, c_int64_t), layout_of(groups, &
      owners, dealing))
    self%spinor = header%spinor
    ended = c_header_destroy(of)
    call settle(code, status)
  end subroutine

  !> Collective. Reads a file into groups = [k-points, bands, waves] of ranks. The product of the three numbers must be
  !> the number of ranks.
  recursive subroutine orbitals_read(self, file, groups, options, status, owners)
    class(seiche_orbitals), intent(inout) :: self
    class(wavefile), intent(in) :: file
    integer, intent(in) :: groups(3)
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    class(wave_owners), target, intent(in), optional :: owners  !< absent: consecutive parts of nearly equal size
    type(called_progress), target :: called
    type(called_owners), target :: dealing
    type(seiche_header) :: header
    integer(c_int) :: code
    if (created(self%handle, 'orbitals', status)) return
    code = c_orbitals_create_read(self%handle, handle_of_file(file), layout_of(groups, owners, dealing), &
      asked_of(options, called))
    if (code == seiche_ok) then
      header = file%header()
      self%spinor = header%spinor
    end if
    call settle(code, status)
  end subroutine

  !> Collective. Creates the wavefunctions of `of` in another layout.
  recursive subroutine redistribute(self, of, groups, options, status, owners)
    class(seiche_orbitals), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: of
    integer, intent(in) :: groups(3)
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    class(wave_owners), target, intent(in), optional :: owners  !< absent: consecutive parts of nearly equal size
    type(called_progress), target :: called
    type(called_owners), target :: dealing
    if (created(self%handle, 'orbitals', status)) return
    self%spinor = of%spinor
    call settle(c_orbitals_create_redistributed(self%handle, of%handle, layout_of(groups, owners, dealing), &
      asked_of(options, called)), status)
  end subroutine

  !> Collective. Starts a redistribution of these orbitals. finish replaces them by the same wavefunctions in groups of
  !> ranks. They must exist until then.
  recursive subroutine start_redistribute(self, pending, groups, status, owners)
    class(seiche_orbitals), intent(in) :: self
    type(seiche_pending), intent(inout) :: pending
    integer, intent(in) :: groups(3)
    integer, intent(out), optional :: status
    class(wave_owners), target, intent(in), optional :: owners  !< absent: consecutive parts of nearly equal size
    type(called_progress), target :: called
    type(called_owners), target :: dealing
    call settle(c_orbitals_start_redistribute(pending%handle, self%handle, layout_of(groups, owners, dealing), &
      asked_of(called=called)), status)
  end subroutine

  !> Collective. Creates the wavefunctions of the full Brillouin zone with the crystal's symmetry operations.
  recursive subroutine full_zone(self, of, status)
    class(seiche_orbitals), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: of
    integer, intent(out), optional :: status
    if (created(self%handle, 'orbitals', status)) return
    self%spinor = of%spinor
    call settle(c_orbitals_create_full_zone(self%handle, of%handle), status)
  end subroutine

  !> Collective. Symmetrizes the bands of `of` under the crystal's operations that keep their k-point.
  recursive subroutine symmetric(self, of, options, status)
    class(seiche_orbitals), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: of
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(called_progress), target :: called
    if (created(self%handle, 'orbitals', status)) return
    self%spinor = of%spinor
    call settle(c_orbitals_create_symmetric(self%handle, of%handle, asked_of(options, called)), status)
  end subroutine

  !> Collective. Creates the wavefunctions of `of` in another basis. norm_lost(band, k, spin) is the fraction of each
  !> band's norm on removed waves.
  recursive subroutine reassign(self, of, request, norm_lost, options, status)
    class(seiche_orbitals), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: of
    type(basis_request), intent(in) :: request
    real(real64), allocatable, intent(out), optional :: norm_lost(:, :, :)
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(called_progress), target :: called
    type(c_basis_request) :: asked
    real(c_double), target :: lattice(9)
    integer(c_int64_t), target :: grid(3)
    type(seiche_header) :: header
    integer(c_int) :: code
    integer :: bands, known
    if (created(self%handle, 'orbitals', status)) return
    asked%size = c_sizeof(asked)
    asked%cutoff = request%cutoff
    asked%density_cutoff = request%density_cutoff
    if (allocated(request%lattice)) then
      lattice = reshape(request%lattice, [9])
      asked%lattice = c_loc(lattice)
    end if
    if (allocated(request%grid)) then
      grid = request%grid
      asked%grid = c_loc(grid)
    end if
    asked%bands = int(request%bands, c_int)
    asked%orthonormal = int(request%orthonormal, c_int)
    self%spinor = of%spinor
    if (present(norm_lost)) then
      header = of%header(known)
      bands = merge(request%bands, header%bands, request%bands > 0)
      allocate (norm_lost(bands, size(header%k, 2), header%spins))
      code = c_orbitals_create_reassigned(self%handle, of%handle, asked, asked_of(options, called), norm_lost, &
                                          size(norm_lost, kind=c_int64_t))
    else
      code = c_orbitals_create_reassigned(self%handle, of%handle, asked, asked_of(options, called), &
                                          norm_count=0_c_int64_t)
    end if
    call settle(code, status)
  end subroutine

  !> Collective. Orthonormalizes the bands of each spin and k-point of `of` (seiche_loewdin or seiche_cholesky).
  recursive subroutine orthonormal(self, of, how, options, status)
    class(seiche_orbitals), intent(inout) :: self
    class(seiche_orbitals), intent(in) :: of
    integer, intent(in) :: how
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(called_progress), target :: called
    if (created(self%handle, 'orbitals', status)) return
    self%spinor = of%spinor
    call settle(c_orbitals_create_orthonormal(self%handle, of%handle, int(how, c_int), asked_of(options, called)), status)
  end subroutine

  !> Collective. Reads a file into existing orbitals, whose layout does not change (restart).
  recursive subroutine read_into(self, file, options, status)
    class(seiche_orbitals), intent(in) :: self
    class(wavefile), intent(in) :: file
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(called_progress), target :: called
    call settle(c_orbitals_read_into(self%handle, handle_of_file(file), asked_of(options, called)), status)
  end subroutine

  !> Collective. Writes the orbitals to a file. It appears under its name only when it is complete.
  recursive subroutine orbitals_write(self, path, format, options, status)
    class(seiche_orbitals), intent(in) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: format
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(called_progress), target :: called
    call settle(c_orbitals_write(self%handle, c_text(path), c_text(given(format)), asked_of(options, called)), status)
  end subroutine

  !> Collective. Returns <self_i|other_j> of all bands of two sets with the same k-points and waves: (j, i, k, spin),
  !> on every rank.
  recursive function orbitals_overlaps(self, other, options, status) result(overlaps)
    class(seiche_orbitals), intent(in) :: self, other
    type(move_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    complex(real64), allocatable :: overlaps(:, :, :, :)
    type(called_progress), target :: called
    type(seiche_header) :: mine, theirs
    integer :: known
    mine = self%header(known)
    theirs = other%header(known)
    if (.not. allocated(mine%k)) allocate (mine%k(3, 0))
    allocate (overlaps(theirs%bands, mine%bands, size(mine%k, 2), mine%spins))
    call settle(c_orbitals_overlaps(self%handle, other%handle, asked_of(options, called), overlaps, &
                           size(overlaps, kind=c_int64_t)), status)
  end function

  !> Collective. Times the redistribution of these orbitals with different settings and writes the fastest to the
  !> tuning file.
  recursive subroutine tune_move(self, groups, report, request, owners, status)
    class(seiche_orbitals), intent(in) :: self
    integer, intent(in) :: groups(3)
    type(tune_report), intent(out) :: report
    type(tune_request), intent(in), optional :: request
    class(wave_owners), target, intent(in), optional :: owners
    integer, intent(out), optional :: status
    type(called_owners), target :: dealing
    type(c_tune_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_tune_move(self%handle, layout_of(groups, owners, dealing), c_tune_request_of(request), found)
    report = tune_report_of(found)
    call settle(code, status)
  end subroutine

  !> Local. Returns the header of the orbitals.
  recursive function orbitals_header(self, status) result(header)
    class(seiche_orbitals), intent(in) :: self
    integer, intent(out), optional :: status
    type(seiche_header) :: header
    type(c_ptr) :: handle
    integer(c_int) :: code
    code = c_header_create_of_orbitals(handle, self%handle)
    if (code == seiche_ok) code = read_header(handle, header)
    call settle(code, status)
  end function

  !> Local. Returns the number of parts on this rank.
  recursive integer function parts(self, status)
    class(seiche_orbitals), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int64_t) :: count
    integer(c_int) :: code
    count = 0
    code = c_orbitals_part_count(self%handle, count)
    parts = int(count)
    call settle(code, status)
  end function

  !> Local. Returns a part of this rank, numbered from 1. Its pointers are valid until the orbitals are closed.
  recursive function part(self, number, status) result(found)
    class(seiche_orbitals), intent(in) :: self
    integer, intent(in) :: number
    integer, intent(out), optional :: status
    type(orbital_part) :: found
    type(c_orbital_part) :: held
    integer(c_int) :: code
    code = c_orbitals_part(self%handle, int(number - 1, c_int64_t), held)
    if (code == seiche_ok) then
      found%spin = int(held%spin) + 1
      found%k = int(held%k) + 1
      found%first_band = int(held%band_low) + 1
      found%last_band = int(held%band_high)
      call c_f_pointer(held%waves, found%waves, [3_c_int64_t, held%wave_count])
      call c_f_pointer(held%coefficients, found%coefficients, &
                       [held%wave_count, int(self%spinor, c_int64_t), held%band_high - held%band_low])
    end if
    call settle(code, status)
  end function

  !> Collective. Destroys the orbitals.
  recursive subroutine orbitals_close(self, status)
    class(seiche_orbitals), intent(inout) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_orbitals_destroy(self%handle)
    if (code == seiche_ok) self%spinor = 1
    call settle(code, status)
  end subroutine

  !> For other modules of this interface.
  recursive pure type(c_ptr) function handle_of_orbitals(self) result(handle)
    class(seiche_orbitals), intent(in) :: self
    handle = self%handle
  end function
end module
