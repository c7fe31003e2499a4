! SPDX-License-Identifier: BSD-3-Clause
!> \file  Block-sparse matrices distributed over ranks. Blocks are numbered from 1, ranks and their grid from 0.
module seiche_blocksparse
  use, intrinsic :: iso_c_binding
  use mpi_f08, only: MPI_Comm
  use seiche_base
  use seiche_status_types
  use seiche_blocksparse_types
  use seiche_c_blocksparse
  implicit none
  private

  public :: block_layout, block_matrix, handle_of

  !> Distribution of blocks.
  type :: block_layout
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure, private :: layout_create_f08, layout_create_integer
    !> Collective. create(comm, row_sizes, column_sizes [, grid, row_owner, column_owner] [, status]): `row_sizes` and
    !> `column_sizes` are the sizes of block rows and block columns. `grid` is the shape [rows, columns] of the grid of
    !> ranks. `row_owner` and `column_owner` are the grid row of each block row and the grid column of each block
    !> column. Without them, the distribution is cyclic on the squarest grid.
    generic :: create => layout_create_f08, layout_create_integer
    procedure :: create_product
    procedure :: owner
    procedure :: close => layout_close
  end type

  !> A block-sparse matrix. Assignment copies the handle only; create_copy() copies the matrix.
  type :: block_matrix
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: value = -1
  contains
    procedure :: create => matrix_create
    procedure :: create_copy
    procedure :: adopt  !< for other modules of this interface
    procedure :: create_redistributed
    procedure :: create_sum
    procedure, private :: read_f08, read_integer
    !> Collective. read(comm, path, value [, block_sizes] [, layout] [, status]): reads a matrix from a file.
    generic :: read => read_f08, read_integer
    procedure :: write => matrix_write
    procedure :: close => matrix_close
    procedure :: reserve
    procedure, private :: block_real32, block_real64, block_complex32, block_complex64
    procedure, private :: values_real32, values_real64, values_complex32, values_complex64
    procedure, private :: to_dense_real32, to_dense_real64, to_dense_complex32, to_dense_complex64
    procedure, private :: refuses => matrix_refuses, refuses_together
    !> Local. block(row, column, pointer [, status]): sets the pointer to the elements (row, column) of a block, for
    !> reading and writing. The pointer is null if the block is zero, or belongs to another rank. It is valid until the
    !> set of blocks changes.
    generic :: block => block_real32, block_real64, block_complex32, block_complex64
    !> Local. values(pointer [, status]): sets the pointer to the elements of all blocks of this rank, in the order of
    !> memory. Blocks that drop_below() removed are included.
    generic :: values => values_real32, values_real64, values_complex32, values_complex64
    !> Collective. to_dense(array [, status]): returns all elements on every rank. For tests.
    generic :: to_dense => to_dense_real32, to_dense_real64, to_dense_complex32, to_dense_complex64
    procedure :: scale
    procedure :: add_to_diagonal
    procedure :: drop_below
    procedure :: error_bound
    procedure :: trace
    procedure :: trace_of_product
    procedure :: norm
    procedure :: spectrum
  end type

  !> Returns the handle of a matrix or a layout, for other modules of this interface.
  interface handle_of
    procedure :: matrix_handle, layout_handle
  end interface


contains

  recursive subroutine layout_create_f08(self, comm, row_sizes, column_sizes, grid, row_owner, column_owner, status)
    class(block_layout), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, contiguous, intent(in) :: row_sizes(:), column_sizes(:)
    integer, intent(in), optional :: grid(2)
    integer, contiguous, intent(in), optional :: row_owner(:), column_owner(:)
    integer, intent(out), optional :: status
    call self%create(comm%MPI_VAL, row_sizes, column_sizes, grid, row_owner, column_owner, status)
  end subroutine

  recursive subroutine layout_create_integer(self, comm, row_sizes, column_sizes, grid, row_owner, column_owner, status)
    class(block_layout), intent(inout) :: self
    integer, intent(in) :: comm
    integer, contiguous, intent(in) :: row_sizes(:), column_sizes(:)
    integer, intent(in), optional :: grid(2)
    integer, contiguous, intent(in), optional :: row_owner(:), column_owner(:)
    integer, intent(out), optional :: status
    type(c_block_owners) :: owners
    integer(c_int), allocatable, target :: of_rows(:), of_columns(:)
    if (c_associated(self%handle)) then
      call refuse('block_layout: this layout already exists: close it first', status)
      return
    end if
    owners%size = c_sizeof(owners)
    if (.not. present(grid) .and. (present(row_owner) .or. present(column_owner))) then
      call refuse_create(comm, seiche_misuse, 'block_layout: row_owner and column_owner need the grid of ranks: pass grid', &
        status)
      return
    end if
    if (present(grid)) then
      owners%grid_rows = int(grid(1), c_int)
      owners%grid_columns = int(grid(2), c_int)
    end if
    allocate (of_rows(0), of_columns(0))  ! the default is cyclic
    if (present(row_owner)) of_rows = int(row_owner, c_int)
    if (present(column_owner)) of_columns = int(column_owner, c_int)
    if ((present(row_owner) .and. size(of_rows) /= size(row_sizes)) .or. &
        (present(column_owner) .and. size(of_columns) /= size(column_sizes))) then
      call refuse_create(comm, seiche_misuse, &
        'block_layout: wrong number of owners: pass one per block row and per block column', status)
      return
    end if
    if (size(of_rows) > 0) owners%row_owner = c_loc(of_rows)
    if (size(of_columns) > 0) owners%column_owner = c_loc(of_columns)
    owners%row_count = size(of_rows, kind=c_int64_t)
    owners%column_count = size(of_columns, kind=c_int64_t)
    call settle(c_block_layout_create(self%handle, int(comm, c_int), row_sizes, size(row_sizes, kind=c_int64_t), &
                                      column_sizes, size(column_sizes, kind=c_int64_t), owners), status)
  end subroutine

  !> Local. Creates the layout of a product: rows of the first layout, columns of the second.
  recursive subroutine create_product(self, rows_of, columns_of, status)
    class(block_layout), intent(inout) :: self
    class(block_layout), intent(in) :: rows_of, columns_of
    integer, intent(out), optional :: status
    call settle(c_block_layout_create_product(self%handle, rows_of%handle, columns_of%handle), status)
  end subroutine

  !> Local. Returns the rank that owns a block.
  recursive integer function owner(self, row, column, status)
    class(block_layout), intent(in) :: self
    integer, intent(in) :: row, column
    integer, intent(out), optional :: status
    integer(c_int) :: rank, code
    rank = -1
    code = c_block_layout_owner(self%handle, int(row - 1, c_int32_t), int(column - 1, c_int32_t), rank)
    owner = rank
    call settle(code, status)
  end function

  !> Local. Destroys the layout. Matrices with this layout stay valid.
  recursive subroutine layout_close(self, status)
    class(block_layout), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_block_layout_destroy(self%handle), status)
  end subroutine

  !> Local. Creates a matrix without blocks, i.e. zero, of values seiche_double, ...
  recursive subroutine matrix_create(self, layout, value, symmetry, status)
    class(block_matrix), intent(inout) :: self
    class(block_layout), intent(in) :: layout
    integer, intent(in) :: value
    integer, intent(in), optional :: symmetry
    integer, intent(out), optional :: status
    integer(c_int) :: kind
    if (self%refuses(-1, status)) return
    kind = seiche_symmetry_none
    if (present(symmetry)) kind = int(symmetry, c_int)
    self%value = value
    call settle(c_block_matrix_create(self%handle, layout%handle, int(value, c_int), kind), status)
  end subroutine

  !> Local. Creates a copy of a matrix.
  recursive subroutine create_copy(self, of, status)
    class(block_matrix), intent(inout) :: self
    class(block_matrix), intent(in) :: of
    integer, intent(out), optional :: status
    if (self%refuses(-1, status)) return
    self%value = of%value
    call settle(c_block_matrix_create_copy(self%handle, of%handle), status)
  end subroutine

  !> Collective. Creates op(of) (seiche_transpose_no, ...) in another layout.
  recursive subroutine create_redistributed(self, of, layout, op, status)
    class(block_matrix), intent(inout) :: self
    class(block_matrix), intent(in) :: of
    class(block_layout), intent(in) :: layout
    integer, intent(in), optional :: op
    integer, intent(out), optional :: status
    integer(c_int) :: how
    if (self%refuses(-1, status)) return
    how = seiche_transpose_no
    if (present(op)) how = int(op, c_int)
    self%value = of%value
    call settle(c_block_matrix_create_redistributed(self%handle, of%handle, layout%handle, how), status)
  end subroutine

  !> Local. Creates a x + b y. Both must have the same layout.
  recursive subroutine create_sum(self, a, x, b, y, status)
    class(block_matrix), intent(inout) :: self
    complex(real64), intent(in) :: a, b
    class(block_matrix), intent(in) :: x, y
    integer, intent(out), optional :: status
    if (self%refuses(-1, status)) return
    self%value = x%value
    call settle(c_block_matrix_create_sum(self%handle, [real(a), aimag(a)], x%handle, [real(b), aimag(b)], y%handle), &
      status)
  end subroutine

  recursive subroutine read_f08(self, comm, path, value, block_sizes, layout, status)
    class(block_matrix), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(in) :: value
    integer, intent(in), optional :: block_sizes(:)
    class(block_layout), intent(in), optional :: layout
    integer, intent(out), optional :: status
    call self%read(comm%MPI_VAL, path, value, block_sizes, layout, status)
  end subroutine

  recursive subroutine read_integer(self, comm, path, value, block_sizes, layout, status)
    class(block_matrix), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(in) :: value
    integer, intent(in), optional :: block_sizes(:)
    class(block_layout), intent(in), optional :: layout
    integer, intent(out), optional :: status
    integer(c_int32_t), allocatable :: sizes(:)
    type(c_ptr) :: where
    if (self%refuses(-1, status)) return
    allocate (sizes(0))
    if (present(block_sizes)) sizes = int(block_sizes, c_int32_t)
    where = c_null_ptr
    if (present(layout)) where = layout%handle
    self%value = value
    call settle(c_block_matrix_read(self%handle, int(comm, c_int), c_text(path), int(value, c_int), sizes, &
                              size(sizes, kind=c_int64_t), where), status)
  end subroutine

  !> Collective. Writes the matrix to a file. The file appears under its name only when it is complete.
  recursive subroutine matrix_write(self, path, format, status)
    class(block_matrix), intent(in) :: self
    character(*), intent(in) :: path
    integer, intent(in) :: format
    integer, intent(out), optional :: status
    call settle(c_block_matrix_write(self%handle, c_text(path), int(format, c_int)), status)
  end subroutine

  !> Local. Destroys the matrix.
  recursive subroutine matrix_close(self, status)
    class(block_matrix), intent(inout) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_block_matrix_destroy(self%handle)
    if (code == seiche_ok) self%value = -1
    call settle(code, status)
  end subroutine

  !> Local. Replaces all blocks by zero blocks at (rows(i), columns(i)), which this rank must own.
  recursive subroutine reserve(self, rows, columns, status)
    class(block_matrix), intent(in) :: self
    integer, intent(in) :: rows(:), columns(:)
    integer, intent(out), optional :: status
    if (size(rows) /= size(columns)) then
      call refuse('block_matrix: different numbers of block rows and block columns: pass as many of both', status)
      return
    end if
    call settle(c_block_matrix_reserve(self%handle, int(rows - 1, c_int32_t), int(columns - 1, c_int32_t), &
                                 size(rows, kind=c_int64_t)), status)
  end subroutine

  !> Local. Multiplies all elements by `factor`.
  recursive subroutine scale(self, factor, status)
    class(block_matrix), intent(in) :: self
    complex(real64), intent(in) :: factor
    integer, intent(out), optional :: status
    call settle(c_block_matrix_scale(self%handle, [real(factor), aimag(factor)]), status)
  end subroutine

  !> Local. Adds `factor` to each element of the diagonal.
  recursive subroutine add_to_diagonal(self, factor, status)
    class(block_matrix), intent(in) :: self
    complex(real64), intent(in) :: factor
    integer, intent(out), optional :: status
    call settle(c_block_matrix_add_to_diagonal(self%handle, [real(factor), aimag(factor)]), status)
  end subroutine

  !> Local. Removes blocks whose norm is below `eps`. Returns the sum of their squared norms.
  recursive real(real64) function drop_below(self, eps, status)
    class(block_matrix), intent(in) :: self
    real(real64), intent(in) :: eps
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_block_matrix_drop_below(self%handle, eps, drop_below)
    call settle(code, status)
  end function

  !> Local. Returns a bound on the Frobenius norm of the error, from the product that created the matrix.
  recursive real(real64) function error_bound(self, status)
    class(block_matrix), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_block_matrix_error_bound(self%handle, error_bound)
    call settle(code, status)
  end function

  !> Collective. Returns the real part of the trace.
  recursive real(real64) function trace(self, status)
    class(block_matrix), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_block_matrix_trace(self%handle, trace)
    call settle(code, status)
  end function

  !> Collective. Returns Re Tr(self^H other).
  recursive real(real64) function trace_of_product(self, other, status)
    class(block_matrix), intent(in) :: self, other
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_block_matrix_trace_of_product(self%handle, other%handle, trace_of_product)
    call settle(code, status)
  end function

  !> Collective. Returns the Frobenius norm.
  recursive real(real64) function norm(self, status)
    class(block_matrix), intent(in) :: self
    integer, intent(out), optional :: status
    integer(c_int) :: code
    code = c_block_matrix_norm(self%handle, norm)
    call settle(code, status)
  end function

  !> Collective. Returns [low, high], an interval that contains all eigenvalues of a symmetric or hermitian matrix.
  recursive function spectrum(self, status)
    class(block_matrix), intent(in) :: self
    integer, intent(out), optional :: status
    real(real64) :: spectrum(2)
    integer(c_int) :: code
    code = c_block_matrix_spectrum(self%handle, spectrum(1), spectrum(2))
    call settle(code, status)
  end function

  !> Tells whether arrays have another kind of value than the matrix. Collective if it returns .true. Then all
  !> ranks report the error.
  recursive logical function refuses_together(self, given, status)
    class(block_matrix), intent(in) :: self
    integer, intent(in) :: given
    integer, intent(out), optional :: status
    refuses_together = c_associated(self%handle) .and. given /= self%value
    if (refuses_together) call settle(c_block_matrix_refuse(self%handle, int(seiche_misuse, c_int), &
      c_text(sentence_of(self, given))), &
                                      status)
  end function

  recursive function sentence_of(self, given) result(sentence)
    class(block_matrix), intent(in) :: self
    integer, intent(in) :: given
    character(:), allocatable :: sentence
    sentence = 'block_matrix: the elements are '//name_of(self%value)//', but '//name_of(given)// &
               ' was requested: pass arrays of the first type'
  end function

  !> Local. Tells whether pointers have another kind of value than the matrix. -1: tells whether the matrix was created
  !> before.
  recursive logical function matrix_refuses(self, given, status)
    class(block_matrix), intent(in) :: self
    integer, intent(in) :: given
    integer, intent(out), optional :: status
    matrix_refuses = c_associated(self%handle) .and. given /= self%value
    if (.not. matrix_refuses) return
    if (given < 0) then
      call refuse('block_matrix: this matrix already exists: close it first', status)
    else
      call refuse(sentence_of(self, given), status)
    end if
  end function

  !> Sets the handle of a new matrix with elements of the kind of `like`.
  recursive subroutine adopt(self, handle, like)
    class(block_matrix), intent(inout) :: self
    type(c_ptr), intent(in) :: handle
    class(block_matrix), intent(in) :: like
    integer :: status
    if (c_associated(self%handle)) call self%close(status)
    self%handle = handle
    self%value = like%value
  end subroutine

  recursive function matrix_handle(matrix) result(handle)
    class(block_matrix), intent(in) :: matrix
    type(c_ptr) :: handle
    handle = matrix%handle
  end function

  recursive function layout_handle(layout) result(handle)
    class(block_layout), intent(in) :: layout
    type(c_ptr) :: handle
    handle = layout%handle
  end function

  include 'block_arrays_real32.inc'
  include 'block_arrays_real64.inc'
  include 'block_arrays_complex32.inc'
  include 'block_arrays_complex64.inc'
end module
