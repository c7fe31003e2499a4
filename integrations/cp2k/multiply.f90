! SPDX-License-Identifier: BSD-3-Clause
!> \file  Products of DBCSR matrices of double precision by Seiche. DBCSR computes those that Seiche cannot.
module seiche_dbcsr_product
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use dbcsr_api
  use mpi, only: MPI_COMM_COMPARE, MPI_COMM_RANK, MPI_CONGRUENT, MPI_IDENT, MPI_INTEGER8, MPI_SUM
  use seiche_dbcsr_blocks, only: blocks_of, lists, local_blocks, replace_blocks
  implicit none
  private

  public :: multiply

  type, bind(C) :: limits
    integer(c_int) :: first, last
  end type

  !> See ProductRequest in local_blocks.hpp.
  type, bind(C) :: product_request
    integer(c_int) :: transpose_a, transpose_b, b_is_a, keep_c
    type(limits) :: rows, columns, inner
    real(c_double) :: alpha, beta, eps
  end type

  interface
    subroutine seiche_dbcsr_multiply(a, b, c, request, operations, count) bind(C)
      import :: c_int, c_int64_t, local_blocks, product_request
      type(local_blocks), intent(in) :: a, b, c
      type(product_request), intent(in) :: request
      integer(c_int64_t), intent(out) :: operations
      integer(c_int), intent(out) :: count
    end subroutine
    subroutine seiche_dbcsr_places(rows, columns) bind(C)
      import :: c_int
      integer(c_int), intent(out) :: rows(*), columns(*)
    end subroutine
    subroutine seiche_dbcsr_store(c) bind(C)
      import :: local_blocks
      type(local_blocks), intent(in) :: c
    end subroutine
    ! The timers of the program that uses DBCSR. They are not in a module that DBCSR installs.
    subroutine timeset(name, handle, length) bind(C, name='__dbcsr_base_hooks_MOD_timeset')
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: handle
      integer(c_size_t), value :: length
    end subroutine
    subroutine timestop(handle) bind(C, name='__dbcsr_base_hooks_MOD_timestop')
      import :: c_int
      integer(c_int), intent(in) :: handle
    end subroutine
  end interface

  character(*), parameter :: timer = 'seiche_multiply'
  character(120), save :: said(8) = ''  ! texts that were printed

contains

  !> Computes C = alpha op(A) op(B) + beta C, by Seiche or by DBCSR.
  subroutine multiply(transa, transb, alpha, a, b, beta, c, first_row, last_row, first_column, last_column, first_k, &
                      last_k, retain_sparsity, filter_eps, flop)
    character, intent(in) :: transa, transb
    real(c_double), intent(in) :: alpha, beta
    type(dbcsr_type), intent(in), target :: a, b
    type(dbcsr_type), intent(inout) :: c
    integer, intent(in), optional :: first_row, last_row, first_column, last_column, first_k, last_k
    logical, intent(in), optional :: retain_sparsity
    real(c_double), intent(in), optional :: filter_eps
    integer(c_int64_t), intent(out), optional :: flop
    type(product_request) :: request
    character(80) :: reason
    logical :: retain
    integer :: handle
    retain = .false.
    if (present(retain_sparsity)) retain = retain_sparsity
    request%transpose_a = merge(0, 1, scan(transa, 'Nn') == 1)
    request%transpose_b = merge(0, 1, scan(transb, 'Nn') == 1)
    request%b_is_a = merge(1, 0, c_associated(c_loc(a), c_loc(b)))
    request%rows = within(first_row, last_row, dbcsr_nfullrows_total(c))
    request%columns = within(first_column, last_column, dbcsr_nfullcols_total(c))
    request%inner = within(first_k, last_k, merge(dbcsr_nfullrows_total(a), dbcsr_nfullcols_total(a), &
                                                  request%transpose_a == 1))
    request%alpha = alpha
    request%beta = beta
    ! With the sparsity of C retained, DBCSR does not drop blocks of C. Seiche has one threshold for both.
    request%eps = 0
    if (present(filter_eps) .and. .not. retain) request%eps = filter_eps
    ! DBCSR also keeps the old blocks if the last row or column is limited, but not for a limited first one.
    request%keep_c = merge(1, 0, retain .or. abs(beta) > 0 .or. request%columns%last < dbcsr_nfullcols_total(c) &
                                 .or. request%rows%last < dbcsr_nfullrows_total(c))
    reason = reason_against(a, b, c, request)
    if (reason /= '') then
      call say_once(c, 'DBCSR computes products of ' // reason)
      call dbcsr_multiply(transa, transb, alpha, a, b, beta, c, first_row, last_row, first_column, last_column, first_k, &
                          last_k, retain_sparsity, filter_eps, flop)
      return
    end if
    call say_once(c, 'products of DBCSR matrices')
    call timeset(timer, handle, len(timer, c_size_t))
    call product(a, b, c, request, retain, flop)
    call timestop(handle)
  end subroutine

  subroutine product(a, b, c, request, retain, flop)
    type(dbcsr_type), intent(in) :: a, b
    type(dbcsr_type), intent(inout) :: c
    type(product_request), intent(in) :: request
    logical, intent(in) :: retain
    integer(c_int64_t), intent(out), optional :: flop
    type(local_blocks) :: blocks_a, blocks_b, blocks_c
    type(lists), target :: of_a, of_b, of_c, of_result
    integer(c_int), allocatable :: rows(:), columns(:)
    integer(c_int64_t) :: operations
    integer(c_int) :: count
    blocks_a = blocks_of(a, of_a)
    blocks_b = blocks_of(b, of_b)
    blocks_c = blocks_of(c, of_c)
    blocks_a%comm = blocks_c%comm  ! Seiche needs one communicator. These differ in the handle only.
    blocks_b%comm = blocks_c%comm
    call seiche_dbcsr_multiply(blocks_a, blocks_b, blocks_c, request, operations, count)
    if (.not. retain) then
      allocate (rows(count), columns(count))
      call seiche_dbcsr_places(rows, columns)
      call replace_blocks(c, rows, columns)
    end if
    call seiche_dbcsr_store(blocks_of(c, of_result))
    if (present(flop)) flop = mean(c, operations)
  end subroutine

  !> Returns the limits of a product. Without arguments they include all of `most`.
  type(limits) function within(first, last, most)
    integer(c_int), intent(in), optional :: first, last
    integer, intent(in) :: most
    within = limits(1, most)
    if (present(first)) within%first = max(1, first)
    if (present(last)) then
      if (last > 0) within%last = min(most, last)
    end if
  end function

  !> Returns why Seiche cannot compute a product, or an empty text. All ranks find the same.
  character(80) function reason_against(a, b, c, request)
    type(dbcsr_type), intent(in) :: a, b, c
    type(product_request), intent(in) :: request
    character :: kind
    reason_against = ''
    if (dbcsr_get_data_type(a) /= dbcsr_type_real_8 .or. dbcsr_get_data_type(b) /= dbcsr_type_real_8 &
        .or. dbcsr_get_data_type(c) /= dbcsr_type_real_8) then
      reason_against = 'matrices that are not of double precision'
    else if (.not. (on_same_grid(a, c) .and. on_same_grid(b, c))) then
      reason_against = 'matrices on different grids of ranks'
    else if (.not. ranks_in_order(c)) then
      reason_against = 'a grid of ranks that is not ordered by rows'
    end if
    call dbcsr_get_info(c, matrix_type=kind)
    if (kind == dbcsr_type_no_symmetry) return
    if (request%rows%first > 1 .or. request%rows%last < dbcsr_nfullrows_total(c) .or. request%columns%first > 1 &
        .or. request%columns%last < dbcsr_nfullcols_total(c)) reason_against = 'limited rows or columns of a symmetric C'
  end function

  logical function on_same_grid(x, y)
    type(dbcsr_type), intent(in) :: x, y
    integer :: group(2), rows(2), columns(2), relation, code
    call grid_of(x, group(1), rows(1), columns(1))
    call grid_of(y, group(2), rows(2), columns(2))
    on_same_grid = rows(1) == rows(2) .and. columns(1) == columns(2)
    if (.not. on_same_grid .or. group(1) == group(2)) return
    call MPI_COMM_COMPARE(group(1), group(2), relation, code)
    on_same_grid = relation == MPI_IDENT .or. relation == MPI_CONGRUENT
  end function

  !> Tells whether rank = row * columns + column, as in Seiche.
  logical function ranks_in_order(x)
    type(dbcsr_type), intent(in) :: x
    type(dbcsr_distribution_type) :: distribution
    integer, pointer :: ranks(:, :)
    integer :: n
    call dbcsr_get_info(x, distribution=distribution)
    call dbcsr_distribution_get(distribution, pgrid=ranks)
    ranks_in_order = all([transpose(ranks)] == [(n, n=0, size(ranks) - 1)])
  end function

  subroutine grid_of(x, group, rows, columns)
    type(dbcsr_type), intent(in) :: x
    integer, intent(out) :: group, rows, columns
    type(dbcsr_distribution_type) :: distribution
    call dbcsr_get_info(x, distribution=distribution, group=group)
    call dbcsr_distribution_get(distribution, nprows=rows, npcols=columns)
  end subroutine

  !> Returns the mean of the operations of all ranks, rounded up, as DBCSR does.
  integer(c_int64_t) function mean(x, operations)
    type(dbcsr_type), intent(in) :: x
    integer(c_int64_t), intent(in) :: operations
    external :: MPI_ALLREDUCE
    integer(c_int64_t) :: all_operations(1)
    integer :: group, rows, columns, code
    call grid_of(x, group, rows, columns)
    call MPI_ALLREDUCE([operations], all_operations, 1, MPI_INTEGER8, MPI_SUM, group, code)
    mean = (all_operations(1) + rows * columns - 1) / (rows * columns)
  end function

  !> Prints a text on one rank, unless it was printed before.
  subroutine say_once(x, text)
    type(dbcsr_type), intent(in) :: x
    character(*), intent(in) :: text
    integer :: group, rows, columns, rank, code, n
    do n = 1, size(said)
      if (said(n) == text) return
      if (said(n) == '') exit
    end do
    said(n) = text
    call grid_of(x, group, rows, columns)
    call MPI_COMM_RANK(group, rank, code)
    if (rank == 0) write (error_unit, '(2a)') 'Seiche: ', trim(text)
  end subroutine
end module
