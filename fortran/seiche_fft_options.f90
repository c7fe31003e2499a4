! SPDX-License-Identifier: BSD-3-Clause
!> \file  What plans of Fourier transforms can be asked for, and who owns which part of a grid and of a sphere.
module seiche_fft_options
  use, intrinsic :: iso_c_binding
  use seiche_base
  implicit none
  private

  public :: fft_options, fft_report, progress_report, balanced_owners, sphere_of_waves
  public :: c_fft_options, c_options_of, c_report, fft_report_of

  !> Which library transforms the lines.
  integer, parameter, public :: seiche_lines_automatic = 0, seiche_lines_fftw = 1, seiche_lines_mkl = 2, &
    seiche_lines_ducc = 3, seiche_lines_fastest = 4
  !> How ranks share the grid: slabs while every rank can have a plane, pencils beyond.
  integer, parameter, public :: seiche_decomposition_automatic = 0, seiche_decomposition_slab = 1
  integer, parameter, public :: seiche_decomposition_pencil = 2, seiche_decomposition_pencil_yz = 3

  !> All can stay as they are. Alike on all ranks but for `memory`.
  type :: fft_options
    integer :: algorithm = seiche_algorithm_automatic  !< who moves the data between ranks
    integer :: library = seiche_lines_automatic  !< who transforms lines
    integer :: decomposition = seiche_decomposition_automatic  !< how ranks share the grid
    integer :: progress = seiche_progress_automatic  !< who drives exchanges while lines are transformed
    integer :: threads = 1  !< OpenMP threads of this rank
    logical :: reproducible = .false.  !< results independent of the number of ranks to the last bit
    integer :: window = 0  !< bands in flight at once; 0: 3 where exchanges go on meanwhile, else 1
    integer(int64) :: memory = 0  !< bytes that this rank may take for it; what cannot fit is refused; 0: no limit
    integer :: band_groups = 0  !< groups of ranks that share out the bands of a call (spheres); 0: as tuned, else by nodes
    logical :: rounded_exchange = .false.  !< real64 travels between ranks as real32
    integer :: components = 1  !< of a band: 2 for spinors (spheres)
    integer, allocatable :: chunks(:)  !< relative sizes of the parts in which a dense transform is exchanged
  end type

  !> What a plan does and costs.
  type :: fft_report
    character(:), allocatable :: library, algorithm, decomposition
    integer :: window = 1, band_groups = 1
    integer(int64) :: bytes_sent = 0  !< by this rank to others, for one transform
    integer(int64) :: bytes_lower_bound = 0  !< of values that this rank must give away in any case
    integer(int64) :: memory = 0  !< bytes of this rank that transforms need
  end type

  !> What became of a rank's time in all calls of a plan, seconds; seiche_progress_report.
  type, bind(c) :: progress_report
    integer(c_size_t) :: size = 0  !< set by the call
    real(c_double) :: worked = 0, waited = 0  !< computing; with nothing left to do but to wait
    real(c_double) :: skew = 0  !< by which ranks came apart to the last calls
    integer(c_int64_t) :: polls = 0, moves = 0  !< while computing; those that moved something
  end type

  !> seiche_fft_options
  type, bind(c) :: c_fft_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: algorithm = 0, progress = 0, library = 0, decomposition = 0, window = 0, threads = 1
    integer(c_int64_t) :: memory = 0
    integer(c_int) :: reproducible = 0, band_groups = 0, rounded_exchange = 0, components = 1
    type(c_ptr) :: chunks = c_null_ptr
    integer(c_int64_t) :: chunk_count = 0
  end type

  !> seiche_fft_report
  type, bind(c) :: c_report
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: bytes_sent = 0, bytes_lower_bound = 0, memory = 0
    integer(c_int) :: window = 1, band_groups = 1
    character(kind=c_char) :: library(16) = c_null_char, algorithm(16) = c_null_char, decomposition(16) = c_null_char
  end type

  interface
    function c_balanced_owners(waves, wave_count, ranks, owners, owner_count) bind(c, name='seiche_balanced_owners')
      import :: c_int, c_int32_t, c_int64_t
      integer(c_int32_t), intent(in) :: waves(*)
      integer(c_int64_t), value :: wave_count, owner_count
      integer(c_int), value :: ranks
      integer(c_int), intent(out) :: owners(*)
      integer(c_int) :: c_balanced_owners
    end function
    function c_sphere_of_waves(b, k, cutoff, half, waves, capacity, found) bind(c, name='seiche_sphere_of_waves')
      import :: c_double, c_int, c_int64_t, c_ptr
      real(c_double), intent(in) :: b(*), k(*)
      real(c_double), value :: cutoff
      integer(c_int), value :: half
      type(c_ptr), value :: waves
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(out) :: found
      integer(c_int) :: c_sphere_of_waves
    end function
  end interface

contains

  !> The options as C takes them, the defaults where there are none; `chunks` has to live as long as the call.
  recursive function c_options_of(options, chunks) result(asked)
    type(fft_options), intent(in), optional :: options
    integer(c_int), allocatable, target, intent(out) :: chunks(:)
    type(c_fft_options) :: asked
    asked%size = c_sizeof(asked)
    if (.not. present(options)) return
    asked%algorithm = int(options%algorithm, c_int)
    asked%progress = int(options%progress, c_int)
    asked%library = int(options%library, c_int)
    asked%decomposition = int(options%decomposition, c_int)
    asked%window = int(options%window, c_int)
    asked%threads = int(options%threads, c_int)
    asked%memory = options%memory
    asked%reproducible = as_integer(options%reproducible)
    asked%band_groups = int(options%band_groups, c_int)
    asked%rounded_exchange = as_integer(options%rounded_exchange)
    asked%components = int(options%components, c_int)
    if (.not. allocated(options%chunks)) return
    chunks = int(options%chunks, c_int)
    if (size(chunks) > 0) asked%chunks = c_loc(chunks(1))
    asked%chunk_count = size(chunks, kind=c_int64_t)
  end function

  recursive function fft_report_of(found) result(report)
    type(c_report), target, intent(in) :: found
    type(fft_report) :: report
    report%library = text_of(c_loc(found%library))
    report%algorithm = text_of(c_loc(found%algorithm))
    report%decomposition = text_of(c_loc(found%decomposition))
    report%window = int(found%window)
    report%band_groups = int(found%band_groups)
    report%bytes_sent = found%bytes_sent
    report%bytes_lower_bound = found%bytes_lower_bound
    report%memory = found%memory
  end function

  !> Local. The rank, from 0, that should own each wave so that sticks stay whole and all ranks get nearly as many; the
  !> same on every rank.
  recursive function balanced_owners(waves, ranks, status) result(owners)
    integer(int32), contiguous, intent(in) :: waves(:, :)
    integer, intent(in) :: ranks
    integer, intent(out), optional :: status
    integer :: owners(size(waves, 2))
    if (size(waves, 1) /= 3) then
      owners = 0
      call refuse('balanced_owners: waves have shape (3, number)', status)
      return
    end if
    call settle(c_balanced_owners(waves, size(waves, 2, c_int64_t), int(ranks, c_int), owners, &
                                  size(owners, kind=c_int64_t)), status)
  end function

  !> Local. The waves G with |k + G|^2 / 2 <= cutoff (hartree) in x, y, z order, for reciprocal vectors b(:, 1), b(:, 2),
  !> b(:, 3) (bohr^-1) and k in units of them; `half`: one of each pair G, -G.
  recursive function sphere_of_waves(b, k, cutoff, half, status) result(waves)
    real(real64), intent(in) :: b(3, 3), k(3), cutoff
    logical, intent(in), optional :: half
    integer, intent(out), optional :: status
    integer(int32), allocatable, target :: waves(:, :)
    integer(c_int64_t) :: found, again
    integer(c_int) :: code, halved
    halved = 0
    if (present(half)) halved = as_integer(half)
    found = 0
    code = c_sphere_of_waves(b, k, cutoff, halved, c_null_ptr, 0_c_int64_t, found)
    allocate (waves(3, found))
    if (code == seiche_ok .and. found > 0) then
      code = c_sphere_of_waves(b, k, cutoff, halved, c_loc(waves(1, 1)), found, again)
    end if
    call settle(code, status)
  end function
end module
