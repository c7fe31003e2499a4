! SPDX-License-Identifier: BSD-3-Clause
!> \file  Finding the fastest settings of plans (docs/tuning.md).
module seiche_tuning
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  implicit none
  private

  public :: tune_request, tune_report, tune_dense, tune_sphere
  public :: c_tune_request, c_tune_report, c_request_of, report_of

  !> How long to try, and for what ranks.
  type :: tune_request
    real(real64) :: budget = 10  !< seconds for all trials
    real(real64) :: skew = -1  !< seconds by which the program's ranks arrive apart; below 0: what plans have seen
    integer :: bands = 8  !< in one call; for spheres
    integer :: band_groups = 0  !< as in fft_options; 0 tries several
    integer :: threads = 1  !< OpenMP threads of each rank
  end type

  !> What won.
  type :: tune_report
    real(real64) :: skew = 0  !< seconds by which trials delayed ranks, at most
    real(real64) :: seconds = 0  !< median of the fastest
    integer :: trials = 0  !< settings that were tried
    integer :: algorithm = seiche_algorithm_automatic, progress = seiche_progress_automatic
    integer :: decomposition = 0, window = 0, band_groups = 1
    integer :: panels = 0, layers = 0  !< of a product
    integer(int64) :: memory = 0  !< of a move: bytes
  end type

  !> seiche_tune_request
  type, bind(c) :: c_tune_request
    integer(c_size_t) :: size = 0
    real(c_double) :: budget = 10, skew = -1
    integer(c_int64_t) :: bands = 8
    integer(c_int) :: band_groups = 0, threads = 1
  end type

  !> seiche_tune_report
  type, bind(c) :: c_tune_report
    integer(c_size_t) :: size = 0
    real(c_double) :: skew = 0, seconds = 0
    integer(c_int64_t) :: trials = 0
    integer(c_int) :: algorithm = 0, progress = 0, decomposition = 0, window = 0, band_groups = 1, panels = 0, layers = 0
    integer(c_int64_t) :: memory = 0
  end type

  interface
    function c_tune_dense(comm, value, grid, request, report) bind(c, name='seiche_fortran_tune_dense')
      import :: c_int, c_int64_t, c_tune_report, c_tune_request
      integer(c_int), value :: comm, value
      integer(c_int64_t), intent(in) :: grid(3)
      type(c_tune_request), intent(in) :: request
      type(c_tune_report), intent(inout) :: report
      integer(c_int) :: c_tune_dense
    end function
    function c_tune_sphere(comm, value, grid, waves, wave_count, request, report) &
      bind(c, name='seiche_fortran_tune_sphere')
      import :: c_int, c_int32_t, c_int64_t, c_tune_report, c_tune_request
      integer(c_int), value :: comm, value
      integer(c_int64_t), intent(in) :: grid(3)
      integer(c_int32_t), intent(in) :: waves(*)
      integer(c_int64_t), value :: wave_count
      type(c_tune_request), intent(in) :: request
      type(c_tune_report), intent(inout) :: report
      integer(c_int) :: c_tune_sphere
    end function
  end interface

contains

  !> Collective. Runs forward and backward pairs in all ways that these ranks can use, and writes what won to the tuning
  !> file, from which later plans take it; value is seiche_double or seiche_complex_double.
  recursive subroutine tune_dense(comm, value, shape, report, request, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: value, shape(3)
    type(tune_report), intent(out) :: report
    type(tune_request), intent(in), optional :: request
    integer, intent(out), optional :: status
    type(c_tune_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_tune_dense(int(comm%MPI_VAL, c_int), int(value, c_int), int(shape, c_int64_t), c_request_of(request), found)
    report = report_of(found)
    call settle(code, status)
  end subroutine

  !> Collective. The same for round trips of bands of this rank's waves(3, number).
  recursive subroutine tune_sphere(comm, value, shape, waves, report, request, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: value, shape(3)
    integer(int32), contiguous, intent(in) :: waves(:, :)
    type(tune_report), intent(out) :: report
    type(tune_request), intent(in), optional :: request
    integer, intent(out), optional :: status
    type(c_tune_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_tune_sphere(int(comm%MPI_VAL, c_int), int(value, c_int), int(shape, c_int64_t), waves, &
                         merge(size(waves, 2, c_int64_t), -1_c_int64_t, size(waves, 1) == 3), c_request_of(request), found)
    report = report_of(found)
    call settle(code, status)
  end subroutine

  recursive function c_request_of(request) result(asked)
    type(tune_request), intent(in), optional :: request
    type(c_tune_request) :: asked
    asked%size = c_sizeof(asked)
    if (.not. present(request)) return
    asked%budget = request%budget
    asked%skew = request%skew
    asked%bands = request%bands
    asked%band_groups = int(request%band_groups, c_int)
    asked%threads = int(request%threads, c_int)
  end function

  recursive pure function report_of(found) result(report)
    type(c_tune_report), intent(in) :: found
    type(tune_report) :: report
    report = tune_report(found%skew, found%seconds, int(found%trials), int(found%algorithm), int(found%progress), &
                         int(found%decomposition), int(found%window), int(found%band_groups), int(found%panels), &
                         int(found%layers), found%memory)
  end function
end module
