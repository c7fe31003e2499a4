! SPDX-License-Identifier: BSD-3-Clause
!> \file  Access to the blocks of a DBCSR matrix by DBCSR's interface. The types are equal to those in local_blocks.hpp.
module seiche_dbcsr_blocks
  use, intrinsic :: iso_c_binding
  use dbcsr_api
  implicit none
  private

  public :: blocks_of, local_blocks, lists, replace_blocks

  !> See LocalBlocks in local_blocks.hpp.
  type, bind(C) :: local_blocks
    integer(c_int) :: comm, grid_rows, grid_columns, block_rows, block_columns, symmetry, count
    type(c_ptr) :: row_sizes, column_sizes, row_owner, column_owner, rows, columns, first, values
  end type

  !> Memory for the lists of a local_blocks. It must have the attribute `target`.
  type :: lists
    integer(c_int), allocatable :: rows(:), columns(:), first(:)
  end type

contains

  !> Returns the blocks of a matrix on this rank. Keeps their list in `memory`.
  type(local_blocks) function blocks_of(matrix, memory)
    type(dbcsr_type), intent(in) :: matrix
    type(lists), intent(inout), target :: memory
    integer, pointer :: row_sizes(:), column_sizes(:), row_owner(:), column_owner(:)
    real(c_double), pointer :: values(:)
    type(dbcsr_distribution_type) :: distribution
    character :: kind
    call dbcsr_get_info(matrix, row_blk_size=row_sizes, col_blk_size=column_sizes, proc_row_dist=row_owner, &
                        proc_col_dist=column_owner, distribution=distribution, matrix_type=kind, group=blocks_of%comm)
    call dbcsr_distribution_get(distribution, nprows=blocks_of%grid_rows, npcols=blocks_of%grid_columns)
    blocks_of%block_rows = size(row_sizes)
    blocks_of%block_columns = size(column_sizes)
    blocks_of%symmetry = 0
    if (kind == dbcsr_type_symmetric) blocks_of%symmetry = 1
    if (kind == dbcsr_type_antisymmetric) blocks_of%symmetry = -1
    blocks_of%row_sizes = address(row_sizes)
    blocks_of%column_sizes = address(column_sizes)
    blocks_of%row_owner = address(row_owner)
    blocks_of%column_owner = address(column_owner)
    call make_lists(matrix, memory, blocks_of%count)
    blocks_of%rows = c_loc(memory%rows)
    blocks_of%columns = c_loc(memory%columns)
    blocks_of%first = c_loc(memory%first)
    blocks_of%values = c_null_ptr
    if (blocks_of%count == 0) return
    values => dbcsr_get_data_p(matrix, select_data_type=0.0_c_double)
    blocks_of%values = c_loc(values(1))
  end function

  !> Replaces the blocks of a matrix by zero blocks at the given places, unless it has these blocks already.
  subroutine replace_blocks(matrix, rows, columns)
    type(dbcsr_type), intent(inout) :: matrix
    integer(c_int), intent(in) :: rows(:), columns(:)
    type(lists) :: old
    integer(c_int) :: count
    call make_lists(matrix, old, count)
    if (count == size(rows)) then
      if (all(old%rows(:count) == rows) .and. all(old%columns(:count) == columns)) return
    end if
    call dbcsr_clear(matrix)
    call dbcsr_reserve_blocks(matrix, rows, columns)
  end subroutine

  subroutine make_lists(matrix, memory, count)
    type(dbcsr_type), intent(in) :: matrix
    type(lists), intent(inout) :: memory
    integer(c_int), intent(out) :: count
    type(dbcsr_iterator_type) :: iterator
    integer :: most, number
    most = max(1, dbcsr_get_num_blocks(matrix))
    allocate (memory%rows(most), memory%columns(most), memory%first(most))
    count = 0
    call dbcsr_iterator_start(iterator, matrix)
    do while (dbcsr_iterator_blocks_left(iterator))
      count = count + 1
      call dbcsr_iterator_next_block(iterator, memory%rows(count), memory%columns(count), number, memory%first(count))
    end do
    call dbcsr_iterator_stop(iterator)
  end subroutine

  type(c_ptr) function address(array)
    integer, pointer, intent(in) :: array(:)
    address = c_null_ptr
    if (size(array) > 0) address = c_loc(array(1))
  end function
end module
