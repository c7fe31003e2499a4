! SPDX-License-Identifier: BSD-3-Clause
!> \file  Tuning, recordings and reports of plans; exchanges alone.
program tuning_test
  use, intrinsic :: iso_fortran_env, only: int32, real64
  use mpi_f08
  use expect_seiche
  use seiche
  implicit none
  integer, parameter :: points(3) = [8, 6, 7]
  integer(int32), parameter :: waves(3, 2) = reshape([1, 2, 3, 0, 1, 0], [3, 2])
  integer :: me, ranks, mine, status
  type(tune_request) :: request
  type(tune_report) :: tuned
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  mine = merge(2, 0, me == 0)

  request%budget = 0.05_real64
  request%skew = 0
  call tune_dense(MPI_COMM_WORLD, seiche_double, points, tuned, request)
  call expect(tuned%trials > 0 .and. tuned%seconds > 0 .and. abs(tuned%skew) <= 0, 'dense')
  request%bands = 3
  call tune_sphere(MPI_COMM_WORLD, seiche_complex_double, points, waves(:, :mine), tuned, request)
  call expect(tuned%trials > 0 .and. tuned%band_groups >= 1, 'sphere')
  call tune_dense(MPI_COMM_WORLD, seiche_float, points, tuned, request, status)
  call expect_fault(status, seiche_unsupported, 'values of type 0 cannot be tuned')
  call tune_sphere(MPI_COMM_WORLD, seiche_double, points, waves(:2, :), tuned, request, status)
  call expect_fault(status, seiche_misuse, 'the number of waves must not be negative (got -1)')
  call products()
  call boxes()
  call plans()
  call dense_plans()
  call slabs()
  call order()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()

contains

  !> Of a a^T, where a is 6 x 6 elements in 3 x 2 blocks: the product exists in no other way.
  subroutine products()
    type(block_layout) :: layout, of_a
    type(block_matrix) :: a, none
    call layout%create(MPI_COMM_WORLD, [2, 3, 1], [2, 3, 1])
    call of_a%create(MPI_COMM_WORLD, [2, 3, 1], [4, 2])
    call a%create(of_a, seiche_double)
    if (of_a%owner(2, 1) == me) call a%reserve([2], [1])
    call tune_product(a, a, layout, tuned, request, op_b=seiche_transpose_yes)
    call expect(tuned%trials > 0 .and. tuned%seconds > 0 .and. tuned%panels >= 1 .and. tuned%layers >= 1, 'product')
    call tune_product(a, a, layout, tuned, request, status=status)
    call expect_fault(status, seiche_bad_argument, 'block')
    call tune_product(a, none, layout, tuned, request, status=status)
    call expect_fault(status, seiche_misuse, 'block_matrix: the handle is NULL')
    call a%close()
    call of_a%close()
    call layout%close()
  end subroutine

  subroutine boxes()
    type(field_array) :: source, target
    integer :: first, last
    first = points(3) * me / ranks + 1
    last = points(3) * (me + 1) / ranks
    source = consecutive(seiche_box([1, 1, first], [points(1), points(2), last]))
    target = consecutive(seiche_box([1, 1, first - 1], [points(1), points(2), last + 1]))
    call tune_boxes(MPI_COMM_WORLD, seiche_complex_float, points, [source], [target], tuned, request)
    call expect(tuned%trials > 0 .and. tuned%seconds > 0 .and. tuned%window >= 1 .and. tuned%memory == 0, 'boxes')
    call tune_boxes(MPI_COMM_WORLD, seiche_double, points, [source], [target], tuned, request, fields=20)
    call tune_boxes(MPI_COMM_WORLD, seiche_double, points, [source], [target], tuned, request, fields=0, status=status)
    call expect_fault(status, seiche_bad_argument, 'boxes: tuning needs at least one field (got 0)')
  end subroutine

  subroutine plans()
    type(sphere_fft) :: fft
    type(seiche_box) :: box
    type(timeline) :: recorded
    type(fft_report) :: report
    type(progress_report) :: progress
    complex(real64) :: psi(mine)
    real(real64), allocatable :: v(:, :, :)
    integer :: e(3)
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points, waves(:, :mine))
    box = fft%grid_box()
    e = box%extent()
    allocate (v(e(1), e(2), e(3)))
    v = 1
    psi = 2
    call start_recording()
    call fft%apply_potential(psi, v)
    recorded = stop_recording()
    call expect(size(recorded%work) > 0 .and. (ranks == 1 .or. size(recorded%transfers) > 0), 'recorded')
    call expect(all(recorded%work%end >= recorded%work%begin) .and. all(recorded%work%stage >= 0), 'work')
    call expect(all(recorded%transfers%arrived >= recorded%transfers%started), 'transfers')
    recorded = stop_recording()
    call expect(size(recorded%work) == 0 .and. size(recorded%transfers) == 0, 'empty')
    report = fft%report()
    call expect(report%memory > 0 .and. len(report%library) > 2 .and. report%window >= 1, 'report')
    progress = fft%progress()
    call expect(progress%worked > 0, 'progress')
    call fft%close()
  end subroutine

  subroutine dense_plans()
    type(dense_fft) :: fft
    type(seiche_field) :: field
    type(fft_options) :: options
    type(fft_report) :: report
    type(progress_report) :: progress
    options%decomposition = seiche_decomposition_pencil
    options%algorithm = seiche_algorithm_pairwise
    options%chunks = [3, 1]
    call fft%create(MPI_COMM_WORLD, seiche_double, points, options)
    report = fft%report()
    call expect(ranks == 1 .or. (report%decomposition == 'pencil' .and. report%algorithm == 'pairwise'), 'as asked for')
    call expect(report%messages == merge('none', 'host', ranks == 1), 'memory of messages')
    call field%create(fft)
    call fft%forward(field)
    progress = fft%progress()
    call expect(ranks == 1 .or. progress%worked + progress%waited > 0, 'progress')
    call field%close()
    call fft%forward(field, status=status)
    call expect_fault(status, seiche_misuse, 'field: the handle is NULL')
    call fft%close()
  end subroutine

  !> The last rank has the grid.
  subroutine slabs()
    type(sphere_fft) :: fft
    type(fft_options) :: options
    type(seiche_box) :: box
    options%band_groups = 1
    options%slabs = [spread(0, 1, ranks - 1), points(3)]
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, points, reshape([integer ::], [3, 0]), options)
    box = fft%grid_box()
    call expect(box%volume() == merge(product(points), 0, me == ranks - 1), 'slabs')
    call fft%close()
  end subroutine

  !> Without a topology ranks keep their order.
  subroutine order()
    type(MPI_Comm) :: reversed
    integer :: place
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -me, reversed)
    call expect(order_ranks(reversed) == ranks - 1 - me, 'order of ranks')
    call MPI_Comm_free(reversed)
    place = order_ranks(MPI_COMM_NULL, status)
    call expect_fault(status, seiche_misuse, 'order_ranks: ')
    call expect(place == -1, 'no rank')
  end subroutine
end program
