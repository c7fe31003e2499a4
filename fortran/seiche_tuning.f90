! SPDX-License-Identifier: BSD-3-Clause
!> \file  Autotuning of plans.
module seiche_tuning
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_status_types
  use seiche_tuning_types
  use seiche_c_tuning
  use seiche_boxes, only: c_boxes_of
  use seiche_dense_arrays, only: field_array
  implicit none
  private

  public :: tune_dense, tune_sphere, tune_boxes

contains

  !> Collective. Times forward and backward transforms of a dense grid with different settings and writes the fastest
  !> to the tuning file. Later plans use it. `value` is seiche_double or seiche_complex_double.
  recursive subroutine tune_dense(comm, value, shape, report, request, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: value, shape(3)
    type(tune_report), intent(out) :: report
    type(tune_request), intent(in), optional :: request
    integer, intent(out), optional :: status
    type(c_tune_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_tune_dense(int(comm%MPI_VAL, c_int), int(value, c_int), int(shape, c_int64_t), c_tune_request_of(request), &
      found)
    report = tune_report_of(found)
    call settle(code, status)
  end subroutine

  !> Collective. Times round trips of bands of this rank's waves(3, number) with different settings. Otherwise same as
  !> tune_dense.
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
                         merge(size(waves, 2, c_int64_t), -1_c_int64_t, size(waves, 1) == 3), &
                         c_tune_request_of(request), found)
    report = tune_report_of(found)
    call settle(code, status)
  end subroutine

  !> Collective. Times box_exchange%copy of `fields` fields (default: 1) with different settings. `value` is
  !> seiche_float, seiche_double, seiche_complex_float or seiche_complex_double. `source(:)` and `target(:)` are the
  !> boxes of this rank. Later calls of similar sizes use the fastest settings. Otherwise same as tune_dense.
  recursive subroutine tune_boxes(comm, value, shape, source, target, report, request, fields, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: value, shape(3)
    type(field_array), intent(in) :: source(:), target(:)
    type(tune_report), intent(out) :: report
    type(tune_request), intent(in), optional :: request
    integer, intent(in), optional :: fields
    integer, intent(out), optional :: status
    type(c_tune_report) :: found
    integer(c_int64_t) :: number
    integer(c_int) :: code
    number = 1
    if (present(fields)) number = fields
    found%size = c_sizeof(found)
    code = c_tune_boxes(int(comm%MPI_VAL, c_int), int(value, c_int), int(shape, c_int64_t), c_boxes_of(source), &
      size(source, kind=c_int64_t), c_boxes_of(target), size(target, kind=c_int64_t), number, &
      c_tune_request_of(request), found)
    report = tune_report_of(found)
    call settle(code, status)
  end subroutine
end module
