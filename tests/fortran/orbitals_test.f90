! SPDX-License-Identifier: BSD-3-Clause
!> \file  Wavefunctions of a program's own; other bases, symmetric bands; functions that are called meanwhile; options of
!> densities; tuned moves. Writes into the folder that it is given.
module orbital_cases
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use mpi_f08
  use expect_seiche
  use seiche
  use seiche_files
  implicit none
  character(*), parameter :: silicon = 'data/si_small/si_small.save'
  character(500) :: folder = ''

  type, extends(progress_function) :: counting
    integer :: calls = 0
    real(real64) :: last = -1
  contains
    procedure :: tell => count_call
  end type

  !> Deals the waves in turn, beginning with group k - 1; or fails.
  type, extends(wave_owners) :: in_turn
    integer :: groups = 1, fails = 0
  contains
    procedure :: of => deal
  end type

contains

  subroutine count_call(self, done)
    class(counting), intent(inout) :: self
    real(real64), intent(in) :: done
    self%calls = self%calls + 1
    self%last = done
  end subroutine

  subroutine deal(self, k, waves, owners, status)
    class(in_turn), intent(in) :: self
    integer, intent(in) :: k
    integer(int32), intent(in) :: waves(:, :)
    integer, intent(out) :: owners(:)
    integer, intent(inout) :: status
    integer :: i
    do i = 1, size(waves, 2)
      owners(i) = mod(i - 1 + k - 1, self%groups)
    end do
    status = self%fails
  end subroutine

  integer function ranks()
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  end function

  subroutine functions()
    type(wavefile) :: file
    type(seiche_orbitals) :: read, dealt, none
    type(move_options) :: options
    type(orbital_part) :: part
    type(counting), target :: done
    type(in_turn), target :: dealing
    integer :: status, here, me, i
    call file%create(MPI_COMM_WORLD, silicon)
    options%on_progress => done
    call read%read(file, [1, ranks(), 1], options)
    call expect(done%calls > 0 .and. abs(done%last - 1) <= 0, 'the fraction done is told')
    dealing%groups = ranks()
    call dealt%redistribute(read, [1, 1, ranks()], owners=dealing)
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    part = dealt%part(1)
    here = 0
    do i = 1, int(sum_of_waves(read, 1))
      if (mod(i - 1, ranks()) == me) here = here + 1
    end do
    call expect(part%k == 1 .and. size(part%waves, 2) == here, 'waves are dealt in turn')
    dealing%fails = 5
    call none%redistribute(read, [1, 1, ranks()], status=status, owners=dealing)
    call expect_fault(status, seiche_bad_argument, 'the callback for owners returned 5')
    call dealt%close()
    call read%close()
    call file%close()
  end subroutine

  integer(int64) function sum_of_waves(orbitals, k)
    type(seiche_orbitals), intent(in) :: orbitals
    integer, intent(in) :: k
    type(seiche_header) :: header
    header = orbitals%header()
    sum_of_waves = header%plane_waves(k)
  end function

  !> Orbitals of a header that one rank or all ranks change.
  subroutine from_memory()
    type(wavefile) :: file
    type(seiche_orbitals) :: own, none
    type(seiche_header) :: header
    type(orbital_part) :: part
    integer(int32), allocatable :: waves(:, :)
    integer :: status, me
    call file%create(MPI_COMM_WORLD, silicon)
    header = file%header()
    call own%read(file, [1, 1, ranks()])
    call own%create(MPI_COMM_WORLD, header, reshape([integer(int32) ::], [3, 0]), [1, 1, ranks()], status=status)
    call expect_fault(status, seiche_misuse, 'orbitals: this object already exists')
    part = own%part(1)
    waves = part%waves  ! of one k-point
    call none%create(MPI_COMM_WORLD, header, waves, [1, 1, ranks()], status=status)
    call expect_fault(status, seiche_bad_argument, 'plane waves in total')
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    call none%create(MPI_COMM_WORLD, header, waves(:merge(2, 3, me == 0), :), [1, 1, ranks()], status=status)
    call expect_fault(status, seiche_misuse, 'waves must have shape (3, number)')
    if (me == 0) header%spins = 4  ! a fault of one rank alone
    call none%create(MPI_COMM_WORLD, header, waves, [1, 1, ranks()], status=status)
    call expect_fault(status, seiche_bad_argument, 'spins')
    header%spins = 4
    call none%create(MPI_COMM_WORLD, header, waves, [1, 1, ranks()], status=status)
    call expect_fault(status, seiche_bad_argument, '(got 4, 1 and ')
    call own%close()
    call file%close()
  end subroutine

  !> A file of one k-point, wfcN.dat, of waves whose coefficients tell their band and position.
  subroutine one_kpoint()
    type(seiche_orbitals) :: own
    type(seiche_pending) :: pending
    type(seiche_header) :: header
    type(orbital_part) :: part
    integer(int32) :: waves(3, 7)
    integer :: band
    real(real64) :: b(3, 3)
    waves = reshape([0, 0, 0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 1, 1, 0, 1, 2, 0, 1, 3, 0], [3, 7])
    header%grid = 8
    header%lattice = 10 * reshape([1, 0, 0, 0, 1, 0, 0, 0, 1], [3, 3])
    b = header%lattice * (2 * acos(-1.0_real64) / 100)
    header%bands = 2
    header%k = reshape([0.0_real64, 0.25_real64, 0.0_real64], [3, 1])
    header%weights = [1.0_real64]
    header%plane_waves = [7_int64]
    allocate (header%energies(2, 1, 1), header%occupations(2, 1, 1), source=0.0_real64)
    call own%create(MPI_COMM_WORLD, header, waves, [1, 1, ranks()])
    if (own%parts() > 0) then
      part = own%part(1)
      do band = 1, 2
        part%coefficients(:, 1, band) = value_of(band, part%waves(1, :), part%waves(2, :))
      end do
    end if
    call own%start_write_wfc(pending, trim(folder)//'/wfc3.dat', 3, 1, 9, b(:, 2) / 4, b)
    call pending%finish()
    call read_again(header, waves)
    call expect(number_in(trim(folder)//'/wfc3.dat') == 3, 'the number of the k-point')
    call own%close()
  end subroutine

  !> Reads the file to an array, with each `ranks()`-th wave from the last one on.
  subroutine read_again(header, waves)
    type(seiche_header), intent(in) :: header
    integer(int32), intent(in) :: waves(:, :)
    integer, allocatable :: positions(:)
    complex(real64), allocatable :: psi(:, :, :)
    complex(real64) :: expected
    character(:), allocatable :: path
    integer :: band, i, me, status
    path = trim(folder)//'/wfc3.dat'
    call MPI_Comm_rank(MPI_COMM_WORLD, me)
    positions = [(i, i=size(waves, 2) - me, 1, -ranks())]
    allocate (psi(size(positions) + 1, 1, header%bands), source=(0.0_real64, 0.0_real64))
    call seiche_read_wfc(MPI_COMM_WORLD, path, header, positions, waves(:, positions), psi)
    do band = 1, header%bands
      do i = 1, size(positions)
        expected = value_of(band, waves(1, positions(i)), waves(2, positions(i)))
        call expect(abs(psi(i, 1, band) - expected) <= 0, 'what was written is read')
      end do
    end do
    call expect(all(abs(psi(size(psi, 1), :, :)) <= 0), 'the padding is not changed')
    call seiche_read_wfc(MPI_COMM_WORLD, path//'x', header, positions, waves(:, positions), psi, status=status)
    call expect_fault(status, seiche_bad_file, 'wfc3.datx')
    if (me == 0) positions = positions(2:)
    call seiche_read_wfc(MPI_COMM_WORLD, path, header, positions, waves(:, positions), psi, status=status)
    call expect_fault(status, seiche_bad_argument, 'exactly once')
    call seiche_read_wfc(MPI_COMM_WORLD, path, header, positions, waves(:2, positions), psi, status=status)
    call expect_fault(status, seiche_misuse, 'waves must have shape (3, number)')
  end subroutine

  elemental complex(real64) function value_of(band, x, y)
    integer, intent(in) :: band
    integer(int32), intent(in) :: x, y
    value_of = cmplx(100 * band + 10 * x + y, -1, real64)
  end function

  !> The first number of the first record.
  integer function number_in(path)
    character(*), intent(in) :: path
    integer :: unit
    open (newunit=unit, file=path, form='unformatted', status='old')
    read (unit) number_in
    close (unit)
  end function

  subroutine bases()
    type(wavefile) :: file
    type(seiche_orbitals) :: read, smaller, none
    type(seiche_header) :: before, after
    type(basis_request) :: request
    real(real64), allocatable :: lost(:, :, :)
    integer :: status
    call file%create(MPI_COMM_WORLD, silicon)
    call read%read(file, [1, 1, ranks()])
    before = read%header()
    request%cutoff = before%cutoff / 2
    request%bands = 2
    call smaller%reassign(read, request, lost)
    after = smaller%header()
    call expect(after%bands == 2 .and. all(after%plane_waves < before%plane_waves), 'fewer bands and waves')
    call expect(all(shape(lost) == [2, size(before%k, 2), 1]) .and. all(lost > 0) .and. all(lost < 0.5_real64), 'lost norms')
    request%cutoff = -1
    call none%reassign(read, request, status=status)
    call expect_fault(status, seiche_bad_argument, 'the cutoff must be positive (got ')
    call none%orthonormal(read, 7, status=status)
    call expect_fault(status, seiche_bad_argument, 'how is 7, but must be 0 to 2')
    call smaller%close()
    call read%close()
    call file%close()
  end subroutine

  subroutine densities()
    type(wavefile) :: file
    type(seiche_density) :: plain, other, none
    type(density_options) :: options
    type(counting), target :: done
    integer :: status
    call file%create(MPI_COMM_WORLD, silicon)
    call plain%create(file)
    options%window = 2
    options%on_progress => done
    allocate (options%fft)
    options%fft%reproducible = .true.
    call other%create(file, options=options)
    call expect(done%calls > 0 .and. abs(done%last - 1) <= 0, 'the fraction done is told')
    call expect(plain%compare(other) < 1e-12_real64, 'the same density')
    options%fft%window = -1
    call none%create(file, status, options)
    call expect_fault(status, seiche_bad_argument, 'window')
    options%fft%window = 0
    options%fft%decomposition = 9
    call none%create(file, status, options)
    call expect_fault(status, seiche_bad_argument, 'decomposition is 9, but must be')
    options%algorithm = 77
    deallocate (options%fft)
    call none%create(file, status, options)
    call expect_fault(status, seiche_bad_argument, 'algorithm is 77, but must be')
    call other%close()
    call plain%close()
    call file%close()
  end subroutine

  subroutine tuned()
    type(wavefile) :: file
    type(seiche_orbitals) :: read
    type(tune_request) :: request
    type(tune_report) :: report
    integer :: status
    call file%create(MPI_COMM_WORLD, silicon)
    call read%read(file, [1, 1, ranks()])
    request%budget = 0.05_real64
    call read%tune_move([1, ranks(), 1], report, request)
    call expect(report%trials > 0 .and. report%seconds > 0, 'a move is tuned')
    call read%tune_move([1, 7 * ranks(), 1], report, request, status=status)
    call expect_fault(status, seiche_bad_argument, 'ranks')
    call read%close()
    call file%close()
  end subroutine
end module

program orbitals_test
  use orbital_cases
  implicit none
  call get_command_argument(1, folder)
  call MPI_Init()
  call functions()
  call from_memory()
  call one_kpoint()
  call bases()
  call densities()
  call tuned()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()
end program
