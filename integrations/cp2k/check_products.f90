! SPDX-License-Identifier: BSD-3-Clause
!> \file  Compares products by Seiche with products by DBCSR: all types of matrices and transpositions, factors, filters,
!> retained sparsity, limits, and different distributions. Prints the number of comparisons, and each that failed.
program check_products
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use mpi
  use cp_dbcsr_api, only: dbcsr_multiply_d
  use dbcsr_api
  implicit none

  integer, parameter :: dp = c_double, blocks = 13
  character, parameter :: types(3) = [dbcsr_type_no_symmetry, dbcsr_type_symmetric, dbcsr_type_antisymmetric]
  character, parameter :: operations(2) = ['N', 'T']
  real(dp), parameter :: tolerance = 1e-12_dp

  type :: how
    real(dp) :: alpha = 1, beta = 0, eps = -1  ! eps < 0: no filter
    logical :: retain = .false.
    integer :: limits(6) = 0  ! first and last row, column and inner index; 0: none
    logical :: far = .false.  ! whether A, B and C have different distributions
    logical :: square = .false.  ! whether B is A
  end type

  integer :: grid(2), group, me, code, compared = 0, failed = 0
  integer, target :: sizes(blocks)
  type(dbcsr_distribution_type) :: distributions(4)

  call MPI_INIT(code)
  call set_up()
  call all_products('plain', how())
  call all_products('factors', how(alpha=-1.5_dp, beta=0.5_dp))
  call all_products('beta 1', how(beta=1.0_dp))
  call all_products('filter', how(eps=0.3_dp))
  call all_products('filter with factors', how(alpha=2.0_dp, beta=-0.5_dp, eps=0.5_dp))
  call all_products('retained sparsity', how(alpha=0.5_dp, beta=2.0_dp, retain=.true.))
  call all_products('retained sparsity, beta 0', how(retain=.true.))
  call all_products('retained sparsity, filter', how(eps=3.0_dp, retain=.true.))
  call all_products('limited inner index', how(limits=[0, 0, 0, 0, 5, 31]))
  call all_products('last inner index', how(beta=1.0_dp, eps=0.2_dp, limits=[0, 0, 0, 0, 0, 22]))
  call all_products('limited rows and columns', how(beta=0.5_dp, limits=[3, 29, 7, 30, 2, 33]))
  call all_products('first row', how(limits=[13, 0, 0, 0, 0, 0]))
  call all_products('last column, beta 0', how(limits=[0, 0, 0, 17, 0, 0]))
  call all_products('last row, beta 0', how(limits=[0, 21, 0, 0, 0, 0]))
  call all_products('different distributions', how(alpha=2.0_dp, beta=1.0_dp, far=.true.))
  call all_products('squares', how(eps=0.3_dp, square=.true.))
  call all_products('squares with factors', how(alpha=-2.0_dp, beta=0.5_dp, square=.true.))
  call all_products('squares, limited inner index', how(limits=[0, 0, 0, 0, 5, 31], square=.true.))
  if (me == 0) print '(2(i0, a))', compared, ' products compared, ', failed, ' differ'
  call tear_down()
  call dbcsr_finalize_lib()
  call MPI_FINALIZE(code)
  if (failed > 0) stop 1

contains

  subroutine set_up()
    integer :: ranks, n
    call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, code)
    call MPI_COMM_RANK(MPI_COMM_WORLD, me, code)
    grid = 0
    call MPI_DIMS_CREATE(ranks, 2, grid, code)
    call MPI_CART_CREATE(MPI_COMM_WORLD, 2, grid, [.true., .true.], .false., group, code)
    call dbcsr_init_lib(MPI_COMM_WORLD)
    sizes = [(1 + mod(5 * n, 4) + mod(n, 3), n=1, blocks)]
    do n = 1, size(distributions)
      call distribute(distributions(n), n)
    end do
  end subroutine

  subroutine tear_down()
    integer :: n
    do n = 1, size(distributions)
      call dbcsr_distribution_release(distributions(n))
    end do
    call MPI_COMM_FREE(group, code)
  end subroutine

  subroutine distribute(distribution, seed)
    type(dbcsr_distribution_type), intent(out) :: distribution
    integer, intent(in) :: seed
    integer, pointer :: rows(:), columns(:)
    integer :: n
    allocate (rows(blocks), columns(blocks))
    rows = [(mod(n * (seed + 2) / 3, grid(1)), n=1, blocks)]
    columns = [(mod(n * seed / 2 + seed, grid(2)), n=1, blocks)]
    call dbcsr_distribution_new(distribution, group=group, row_dist=rows, col_dist=columns, reuse_arrays=.true.)
  end subroutine

  subroutine all_products(name, options)
    character(*), intent(in) :: name
    type(how), intent(in) :: options
    integer :: a, b, c, op_a, op_b
    do c = 1, 3
      if (c > 1 .and. any(options%limits(:4) > 0)) cycle  ! DBCSR computes these
      do b = 1, 3
        do a = 1, 3
          if (options%square .and. a /= b) cycle
          do op_b = 1, 2
            do op_a = 1, 2
              call compare(name, types([a, b, c]), operations([op_a, op_b]), options)
            end do
          end do
        end do
      end do
    end do
  end subroutine

  subroutine compare(name, kinds, ops, options)
    character(*), intent(in) :: name
    character, intent(in) :: kinds(3), ops(2)
    type(how), intent(in) :: options
    type(dbcsr_type), target :: a, other
    type(dbcsr_type), pointer :: b
    type(dbcsr_type) :: ours, theirs
    integer(c_int64_t) :: flop, their_flop
    type(how) :: their_options
    real(dp) :: difference, norm
    integer :: at(3), surplus
    at = merge([2, 3, 4], [1, 1, 1], options%far)
    call make(a, kinds(1), distributions(at(1)), 1)
    call make(other, kinds(2), distributions(at(2)), 2)
    b => other
    if (options%square) b => a
    call make(theirs, kinds(3), distributions(at(3)), 3)
    call make(ours, kinds(3), distributions(at(3)), 3)
    call multiply(.true., ops, options, a, b, ours, flop)
    their_options = options
    if (options%retain) their_options%eps = -1  ! Seiche does not filter then
    call multiply(.false., ops, their_options, a, b, theirs, their_flop)
    norm = dbcsr_frobenius_norm(theirs)
    surplus = dbcsr_get_num_blocks(ours) - dbcsr_get_num_blocks(theirs)
    call MPI_ALLREDUCE(MPI_IN_PLACE, surplus, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (options%retain) flop = their_flop  ! Seiche computes more
    call dbcsr_add(ours, theirs, 1.0_dp, -1.0_dp)
    difference = dbcsr_frobenius_norm(ours)
    compared = compared + 1
    if (.not. difference <= tolerance * norm .or. surplus /= 0 .or. flop /= their_flop) then
      failed = failed + 1
      if (me == 0) print '(9a, es9.1, a, es9.1, a, i0, a, 2(1x, i0))', name, ': ', kinds(3), ' = ', ops(1), kinds(1), &
        ops(2), kinds(2), ': difference ', difference, ' of', norm, ', surplus blocks ', surplus, ', flops', flop, their_flop
    end if
    call dbcsr_release(a)
    call dbcsr_release(other)
    call dbcsr_release(ours)
    call dbcsr_release(theirs)
  end subroutine

  subroutine multiply(by_seiche, ops, options, a, b, c, flop)
    logical, intent(in) :: by_seiche
    character, intent(in) :: ops(2)
    type(how), intent(in), target :: options
    type(dbcsr_type), intent(in) :: a, b
    type(dbcsr_type), intent(inout) :: c
    integer(c_int64_t), intent(out) :: flop
    integer, pointer :: f_row, l_row, f_col, l_col, f_k, l_k  ! absent if null
    real(dp), pointer :: eps
    call given(options%limits(1), f_row)
    call given(options%limits(2), l_row)
    call given(options%limits(3), f_col)
    call given(options%limits(4), l_col)
    call given(options%limits(5), f_k)
    call given(options%limits(6), l_k)
    eps => null()
    if (options%eps >= 0) eps => options%eps
    if (by_seiche) then
      call dbcsr_multiply_d(ops(1), ops(2), options%alpha, a, b, options%beta, c, f_row, l_row, f_col, l_col, f_k, l_k, &
                            options%retain, eps, flop)
    else
      call dbcsr_multiply(ops(1), ops(2), options%alpha, a, b, options%beta, c, f_row, l_row, f_col, l_col, f_k, l_k, &
                          options%retain, eps, flop)
    end if
  end subroutine

  subroutine given(number, argument)
    integer, intent(in), target :: number
    integer, pointer, intent(out) :: argument
    argument => null()
    if (number > 0) argument => number
  end subroutine

  !> Creates a matrix of decaying blocks that depend on the seed only.
  subroutine make(matrix, kind, distribution, seed)
    type(dbcsr_type), intent(inout) :: matrix
    character, intent(in) :: kind
    type(dbcsr_distribution_type), intent(in) :: distribution
    integer, intent(in) :: seed
    integer, pointer :: rows(:), columns(:)
    integer :: i, j, owner
    allocate (rows(blocks), columns(blocks))
    rows = sizes
    columns = sizes
    call dbcsr_create(matrix, 'check', distribution, kind, rows, columns, data_type=dbcsr_type_real_8, reuse_arrays=.true.)
    do j = 1, blocks
      do i = 1, blocks
        if (kind /= dbcsr_type_no_symmetry .and. i > j) cycle
        if (random(i + 31 * seed, j) > 0.6_dp) cycle
        call dbcsr_get_stored_coordinates(matrix, i, j, owner)
        if (owner == me) call dbcsr_put_block(matrix, i, j, block(kind, i, j, seed))
      end do
    end do
    call dbcsr_finalize(matrix)
  end subroutine

  function block(kind, i, j, seed)
    character, intent(in) :: kind
    integer, intent(in) :: i, j, seed
    real(dp) :: block(sizes(i), sizes(j))
    integer :: row, column
    do column = 1, sizes(j)
      do row = 1, sizes(i)
        block(row, column) = random(seed + row + 10 * i, 2 * column + 30 * j) * exp(-0.3_dp * abs(i - j))
      end do
    end do
    if (i /= j) return
    if (kind == dbcsr_type_symmetric) block = block + transpose(block)
    if (kind == dbcsr_type_antisymmetric) block = block - transpose(block)
  end function

  real(dp) function random(i, j)
    integer, intent(in) :: i, j
    random = modulo(sin(12.9898_dp * i + 78.233_dp * j) * 43758.5453_dp, 1.0_dp)
  end function
end program
