! SPDX-License-Identifier: BSD-3-Clause
!> \file  Block-sparse matrices from Fortran: reports, owners, options of density matrices, and misuse.
module block_cases
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use expect_seiche
  use seiche
  implicit none
  integer, parameter :: sizes(3) = [2, 3, 1], order = 6

  !> Counts what it is told of each stage.
  type, extends(purify_function) :: counted_stages
    integer :: told(seiche_stage_root:seiche_stage_purification) = 0
    real(real64) :: residual = huge(0.0_real64)
  contains
    procedure :: tell => count_stage
  end type

contains

  subroutine count_stage(self, stage, iteration, residual)
    class(counted_stages), intent(inout) :: self
    integer, intent(in) :: stage, iteration
    real(real64), intent(in) :: residual
    self%told(stage) = max(self%told(stage), iteration)
    if (stage == seiche_stage_purification) self%residual = residual
  end subroutine

  !> K diagonal with two states below the others, S = 4.
  subroutine purification()
    type(block_layout) :: layout
    type(block_matrix) :: k, s, p, one_spin, product
    type(multiplier) :: by
    type(seiche_pending) :: pending
    logical :: done
    type(purify_report) :: report
    type(product_options) :: exact
    type(counted_stages) :: stages
    real(real64) :: dense(order, order), limits(2)
    real(real64), pointer :: block(:, :), mine(:)
    integer :: status
    call layout%create(MPI_COMM_WORLD%MPI_VAL, sizes, sizes)
    call k%create(layout, seiche_double)
    call s%create(layout, seiche_double, seiche_symmetric)
    call k%add_to_diagonal((1.0_real64, 0.0_real64))
    call s%add_to_diagonal((4.0_real64, 0.0_real64))
    call k%block(1, 1, block)
    if (associated(block)) block = reshape([-2, 0, 0, -2], [2, 2])
    call by%create()
    call product%create(layout, seiche_double)
    call by%start_multiply(pending, s, k, product, alpha=(0.5_real64, 0.0_real64))
    done = pending%progress()
    call pending%finish()
    call product%to_dense(dense)
    call expect(abs(dense(1, 1) + 4) < 1e-9_real64 .and. abs(dense(6, 6) - 2) < 1e-9_real64, 'a started product')
    call product%values(mine)
    call expect(all(abs(mine) <= 4), 'values')
    call product%close()
    call by%close()
    limits = k%spectrum()
    call expect(limits(1) <= -2 .and. limits(2) >= 1, 'the spectrum')
    call purify(p, k, s, 4.0_real64, report, purifier=seiche_tc2, options=exact, max_iterations=90, &
                on_progress=stages)
    call expect(abs(report%trace - 4) < 1e-9_real64 .and. abs(report%energy + 2) < 1e-9_real64, 'trace and energy')
    call expect(stages%told(seiche_stage_purification) == report%iterations .and. &
                stages%told(seiche_stage_root) == report%root_iterations .and. stages%residual < 1e-6_real64, 'progress')
    call expect(report%products > 0 .and. report%homo < 0 .and. report%lumo > 0, 'iterations and gap')
    call p%to_dense(dense)
    call expect(abs(dense(1, 1) - 0.5_real64) < 1e-9_real64 .and. abs(dense(6, 6)) < 1e-9_real64, 'the density matrix')
    call purify(p, k, s, 3.0_real64, status=status)
    call expect_fault(status, seiche_bad_argument, 'electrons')
    call purify(one_spin, k, s, 2.0_real64, report, options=exact, electrons_per_state=1)
    call expect(abs(report%trace - 2) < 1e-9_real64 .and. abs(report%energy + 1) < 1e-9_real64, 'one spin')
    call one_spin%close()
    call purify(one_spin, k, s, 2.5_real64, report, electrons_per_state=1, temperature=0.1_real64)
    call expect(abs(report%trace - 2.5_real64) < 1e-9_real64 .and. report%entropy > 0 .and. &
                abs(report%homo - report%chemical_potential) < 1e-15_real64, 'a temperature')
    call one_spin%close()
    call p%close()
    call s%close()
    call k%close()
    call layout%close()
  end subroutine

  !> Of a square of three blocks on the diagonal: 2^3 + 3^3 + 1^3 multiplications and as many additions.
  subroutine reports()
    type(block_layout) :: layout
    type(block_matrix) :: a, square
    type(multiplier) :: by
    type(product_report) :: report
    integer(int64) :: counts(3), all(3)
    call layout%create(MPI_COMM_WORLD, sizes, sizes)
    call a%create(layout, seiche_double)
    call square%create(layout, seiche_double)
    call a%add_to_diagonal((2.0_real64, 0.0_real64))
    call by%create()
    call by%multiply(a, a, square)
    report = by%report()
    counts = [report%products, report%skipped, report%operations]
    call MPI_Allreduce(counts, all, 3, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(1) == 3 .and. all(2) == 0 .and. all(3) == 2 * (8 + 27 + 1), 'products and operations')
    call expect(report%panels >= 1 .and. report%layers >= 1 .and. report%seconds_total > 0 .and. report%error >= 0 .and. &
                abs(report%filter_error) <= 0 .and. report%memory >= 0, 'costs')
    call expect(len(report%algorithm) > 3 .and. (report%kernels == 'libxsmm' .or. report%kernels == 'blas'), 'who did it')
    call by%close()
    call square%close()
    call a%close()
    call layout%close()
  end subroutine

  subroutine files(path)
    character(*), intent(in) :: path
    type(block_layout) :: layout
    type(block_matrix) :: a, read
    integer :: status
    call layout%create(MPI_COMM_WORLD, sizes, sizes, [ranks(), 1], [0, 0, 0], [0, 0, 0])
    call expect(layout%owner(3, 2) == 0, 'all on rank 0')
    call a%create(layout, seiche_double)
    call a%add_to_diagonal((2.0_real64, 0.0_real64))
    call a%write(path, seiche_matrix_market)
    call read%read(MPI_COMM_WORLD, path, seiche_double, sizes, layout)
    call expect(abs(read%trace() - 12) <= 0, 'read as written')
    call read%close()
    call read%read(MPI_COMM_WORLD%MPI_VAL, path//'.none', seiche_double, status=status)
    call expect_fault(status, seiche_bad_file, path)
    call a%close()
    call layout%close()
  end subroutine

  integer function ranks()
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  end function

  subroutine misuse()
    type(block_layout) :: layout, pair
    type(block_matrix) :: a
    real(real32), pointer :: block(:, :)
    integer :: status
    call layout%create(MPI_COMM_WORLD, sizes, sizes)
    call pair%create_product(layout, layout)
    call expect(pair%owner(4, 1, status) < 0, 'no owner')
    call expect_fault(status, seiche_bad_argument, 'is outside ')
    call a%create(layout, seiche_double)
    call a%reserve([1, 2], [1], status)
    call expect_fault(status, seiche_misuse, 'pass as many of both')
    call a%block(1, 1, block, status)
    call expect_fault(status, seiche_misuse, 'the elements are real(real64), but real(real32) was requested')
    call a%close()
    call pair%close()
    call layout%close()
  end subroutine
end module

program blocksparse_test
  use block_cases
  implicit none
  character(500) :: folder
  call MPI_Init()
  call purification()
  call reports()
  call get_command_argument(1, folder)
  call files(trim(folder)//'/matrix.mtx')
  call misuse()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  call verdict()
end program
