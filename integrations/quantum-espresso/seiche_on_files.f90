! SPDX-License-Identifier: BSD-3-Clause
!> \file  Wavefunction files of Quantum ESPRESSO, wfcN.dat, written and read by Seiche. Files are written in the
!> background. They appear under their names when they are complete.
module seiche_on_files
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use mpi_f08, only: MPI_Allgather, MPI_Allgatherv, MPI_Comm, MPI_Comm_rank, MPI_Comm_size, MPI_INTEGER
  use qe_names
  use seiche
  use seiche_files
  use seiche_on_waves, only: on_any_rank, say_once, switched_off, waves_of
  implicit none
  private

  public :: can_serve_files, start_file, finish_files, forget_finished, progress_files, read_kpoint

  type, extends(wave_owners) :: given_owners
    integer, allocatable :: owners(:)
  contains
    procedure :: of => owners_of
  end type

  !> Orbitals of a k-point, which are kept for the next checkpoint, and the file that is being written.
  type :: started_file
    type(seiche_orbitals) :: orbitals
    type(seiche_pending) :: pending
    integer(int64) :: bytes = 0
    integer :: components = 0, bands = 0
    integer, allocatable :: positions(:), waves(:, :)
  end type

  integer, parameter :: most_files = 8
  integer(int64), parameter :: most_bytes = 2_int64**28  ! of copies of waves, on each rank on average
  type(started_file), target, save :: files(most_files)  ! a ring
  integer, save :: oldest = 1, number = 0  ! of those that are being written

contains

  !> Collective over the ranks of a band group, as all that follows except progress_files. Whether Seiche writes and
  !> reads the files; else it says why not.
  logical function can_serve_files()
    character(:), allocatable :: obstacle
    obstacle = ''
    if (hdf5) obstacle = 'HDF5'
    if (files_switched_off()) obstacle = 'SEICHE_QE_FILES=never'
    if (switched_off()) obstacle = 'SEICHE_QE=never'
    can_serve_files = obstacle == ''
    if (can_serve_files) then
      call say_once('wavefunction files by Seiche '//seiche_version())
    else
      call say_once('not used for wavefunction files with '//obstacle)
    end if
  end function

  logical function files_switched_off()
    logical, save :: known = .false., off
    character(8) :: text
    if (.not. known) then
      call get_environment_variable('SEICHE_QE_FILES', text)
      off = on_any_rank(text == 'never')
      known = .true.
    end if
    files_switched_off = off
  end function

  !> Starts to write the bands of a k-point. psi(:, band) holds each component with the same distance. positions(i) is the
  !> position of waves(:, i) in the file. `k` and `spin` are numbers, `position` is the Cartesian k-point in bohr**-1.
  !> Tells whether it failed.
  logical function start_file(path, comm, k, spin, last_wave, position, components, bands, positions, waves, psi)
    character(*), intent(in) :: path
    integer, intent(in) :: comm, k, spin, last_wave, components, bands, positions(:), waves(:, :)
    real(dp), intent(in) :: position(3)
    complex(dp), intent(in) :: psi(:, :)
    type(started_file), pointer :: file
    type(orbital_part) :: part
    integer, allocatable :: order(:)
    integer :: status, band, component, lda
    integer :: mean
    integer(int64) :: bytes
    mean = mean_of(numbers_of_waves(comm, size(positions)))
    bytes = 16_int64 * components * bands * mean
    if (number == most_files) call finish_oldest()
    file => files(mod(oldest + number - 1, most_files) + 1)
    if (on_any_rank(differs(file, components, bands, positions, waves))) then
      call forget(file)
      call make_room(bytes)
      call create_orbitals(file%orbitals, comm, position, components, bands, positions, waves)
      file%components = components
      file%bands = bands
      file%positions = positions
      file%waves = waves
      file%bytes = bytes
    end if
    if (file%orbitals%parts() > 0) then
      part = file%orbitals%part(1)
      order = ascending(positions)
      lda = size(psi, 1) / components
      do band = 1, bands
        do component = 1, components
          part%coefficients(:, component, band) = psi(order + (component - 1) * lda, band)
        end do
      end do
    end if
    call file%orbitals%start_write_wfc(file%pending, path, k, spin, last_wave, position, tpiba * bg, &
                                        options_for(comm, components * mean), status=status)
    start_file = status /= 0
    if (.not. start_file) number = number + 1
  end function

  pure logical function differs(file, components, bands, positions, waves)
    type(started_file), intent(in) :: file
    integer, intent(in) :: components, bands, positions(:), waves(:, :)
    differs = .not. allocated(file%waves) .or. file%components /= components .or. file%bands /= bands
    if (.not. differs) differs = size(file%positions) /= size(positions)
    if (.not. differs) differs = any(file%positions /= positions) .or. any(file%waves /= waves)
  end function

  !> Finishes files, and closes orbitals that are not being written, until there is room for more.
  subroutine make_room(bytes)
    integer(int64), intent(in) :: bytes
    do while (sum(files%bytes) > 0 .and. sum(files%bytes) + bytes > most_bytes)
      if (number > 0) call finish_oldest()
      call forget_finished()
    end do
  end subroutine

  !> Closes all orbitals that are not being written.
  subroutine forget_finished()
    integer :: i
    do i = number, most_files - 1
      call forget(files(mod(oldest + i - 1, most_files) + 1))
    end do
  end subroutine

  subroutine forget(file)
    type(started_file), intent(inout) :: file
    if (.not. allocated(file%waves)) return
    call file%orbitals%close()
    deallocate (file%positions, file%waves)
    file%bytes = 0
  end subroutine

  !> Little memory, where it suffices for several rounds of bands: the start fills a part of it, while the caller waits.
  type(move_options) function options_for(comm, numbers_of_band)
    integer, intent(in) :: comm, numbers_of_band
    integer(int64), parameter :: little = 2_int64**24
    integer :: ranks
    call MPI_Comm_size(MPI_Comm(comm), ranks)
    if (20 * 16_int64 * ranks**2 * numbers_of_band < little) options_for%memory = little
  end function

  !> Reads the first bands of a k-point, whose number in names of files is `k`. Tells whether psi has them. Files of ACE,
  !> and files with other waves, are not read.
  logical function read_kpoint(path, comm, k, positions, psi)
    character(*), intent(in) :: path
    integer, intent(in) :: comm, k, positions(:)
    complex(dp), contiguous, target, intent(inout) :: psi(:, :)
    complex(dp), contiguous, pointer :: by_component(:, :, :)
    integer, allocatable :: numbers(:)
    integer :: local, status
    read_kpoint = can_serve_files()
    if (.not. read_kpoint) return
    local = local_kpoint(k)
    read_kpoint = .not. on_any_rank(.not. is_there(path, comm) .or. ngk(local) /= size(positions))
    if (.not. read_kpoint) return
    numbers = numbers_of_waves(comm, size(positions))
    by_component(1:size(psi, 1) / npol, 1:npol, 1:size(psi, 2)) => psi
    call seiche_read_wfc(MPI_Comm(comm), path, header_of(tpiba * xk(:, local), npol, size(psi, 2), sum(numbers)), positions, &
                         waves_of(local, size(positions)), by_component, options_for(comm, npol * mean_of(numbers)), status)
    read_kpoint = status == 0
    if (.not. read_kpoint) call say_once('not used for '//path//': '//seiche_last_error())
  end function

  !> The index in this pool of a k-point with the number `k` in names of files. Both spins have the same waves.
  integer function local_kpoint(k)
    integer, intent(in) :: k
    integer, external :: global_kpoint_index
    local_kpoint = k + 1 - global_kpoint_index(nkstot, 1)
    if (lsda .and. local_kpoint < 1) local_kpoint = local_kpoint + nkstot / 2
  end function

  !> Whether a file of waves exists, as rank 0 sees it.
  logical function is_there(path, comm)
    character(*), intent(in) :: path
    integer, intent(in) :: comm
    integer :: rank
    call MPI_Comm_rank(MPI_Comm(comm), rank)
    is_there = .true.
    if (rank == 0) inquire (file=path, exist=is_there)
    is_there = is_there .and. index(path, '/wfc', back=.true.) == index(path, '/', back=.true.)
  end function

  !> Local. Sends further bands to the ranks that write, at most once in a millisecond.
  subroutine progress_files()
    integer(int64), save :: before = 0
    integer(int64) :: now, rate
    integer :: i, status
    logical :: done
    if (number == 0) return
    call system_clock(now, rate)
    if (now - before < rate / 1000) return
    before = now
    call start_clock('wfc_files')
    do i = 0, number - 1
      done = files(mod(oldest + i - 1, most_files) + 1)%pending%progress(status)  ! finish reports faults
    end do
    call stop_clock('wfc_files')
  end subroutine

  !> Waits until all started files are complete. Stops the program if one is not.
  subroutine finish_files()
    do while (number > 0)
      call finish_oldest()
    end do
    oldest = 1  ! so that the next checkpoint finds its orbitals
  end subroutine

  subroutine finish_oldest()
    integer :: status
    character(:), allocatable :: sentence
    call files(oldest)%pending%finish(status)
    if (status /= 0) sentence = seiche_last_error()
    oldest = mod(oldest, most_files) + 1
    number = number - 1
    if (allocated(sentence)) call errore('seiche', sentence, 1)
  end subroutine

  !> Orbitals of a k-point, whose waves are where this rank and others have them.
  subroutine create_orbitals(orbitals, comm, position, components, bands, positions, waves)
    type(seiche_orbitals), intent(inout) :: orbitals
    integer, intent(in) :: comm, components, bands, positions(:), waves(:, :)
    real(dp), intent(in) :: position(3)
    type(given_owners) :: owners
    integer(int32), allocatable :: all_waves(:, :)
    integer :: ranks
    call gather_waves(comm, positions, waves, all_waves, owners%owners)
    call MPI_Comm_size(MPI_Comm(comm), ranks)
    call orbitals%create(comm, header_of(position, components, bands, size(all_waves, 2)), all_waves, [1, 1, ranks], owners)
  end subroutine

  type(seiche_header) function header_of(position, components, bands, waves) result(header)
    integer, intent(in) :: components, bands, waves
    real(dp), intent(in) :: position(3)
    header%grid = [dffts%nr1, dffts%nr2, dffts%nr3]
    header%lattice = alat * at
    header%spinor = components
    header%half_sphere = gamma_only
    header%bands = bands
    header%k = reshape(matmul(position, at) / tpiba, [3, 1])
    header%weights = [1.0_dp]
    header%plane_waves = [int(waves, int64)]
    allocate (header%energies(bands, 1, 1), header%occupations(bands, 1, 1), source=0.0_dp)
  end function

  !> All waves in the order of their positions, and the ranks that have them.
  subroutine gather_waves(comm, positions, waves, all_waves, owners)
    integer, intent(in) :: comm, positions(:), waves(:, :)
    integer(int32), allocatable, intent(out) :: all_waves(:, :)
    integer, allocatable, intent(out) :: owners(:)
    integer, allocatable :: numbers(:), begins(:), found(:, :)
    integer :: rank, i
    numbers = 4 * numbers_of_waves(comm, size(positions))
    begins = [(sum(numbers(:i - 1)), i=1, size(numbers))]
    allocate (found(4, sum(numbers) / 4))
    call MPI_Allgatherv(with_positions(positions, waves), 4 * size(positions), MPI_INTEGER, found, numbers, begins, &
                        MPI_INTEGER, MPI_Comm(comm))
    allocate (all_waves(3, size(found, 2)), owners(size(found, 2)))
    do rank = 1, size(numbers)
      do i = begins(rank) / 4 + 1, (begins(rank) + numbers(rank)) / 4
        all_waves(:, found(1, i)) = found(2:, i)
        owners(found(1, i)) = rank - 1
      end do
    end do
  end subroutine

  pure function with_positions(positions, waves) result(both)
    integer, intent(in) :: positions(:), waves(:, :)
    integer :: both(4, size(positions))
    both(1, :) = positions
    both(2:, :) = waves
  end function

  subroutine owners_of(self, k, waves, owners, status)
    class(given_owners), intent(in) :: self
    integer, intent(in) :: k
    integer(int32), intent(in) :: waves(:, :)
    integer, intent(out) :: owners(:)
    integer, intent(inout) :: status
    owners = self%owners
  end subroutine

  !> Indices of the positions in their ascending order.
  pure function ascending(positions) result(order)
    integer, intent(in) :: positions(:)
    integer, allocatable :: order(:), index_at(:)
    integer :: i
    allocate (index_at(maxval(positions)), source=0)
    do i = 1, size(positions)
      index_at(positions(i)) = i
    end do
    order = pack(index_at, index_at > 0)
  end function

  !> The numbers of waves of all ranks.
  function numbers_of_waves(comm, mine) result(numbers)
    integer, intent(in) :: comm, mine
    integer, allocatable :: numbers(:)
    integer :: ranks
    call MPI_Comm_size(MPI_Comm(comm), ranks)
    allocate (numbers(ranks))
    call MPI_Allgather(mine, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, MPI_Comm(comm))
  end function

  !> Their mean, rounded up.
  pure integer function mean_of(numbers)
    integer, intent(in) :: numbers(:)
    mean_of = sum(numbers) / size(numbers) + 1
  end function
end module
