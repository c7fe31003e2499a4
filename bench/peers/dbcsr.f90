! SPDX-License-Identifier: BSD-3-Clause
! Times DBCSR on the random case of `seiche bench blocksparse`:
!   peer_dbcsr BLOCKS FILL REPEATS KEEP SIZE [SIZE ...]
! KEEP 1 multiplies into the same C again, 0 creates C for each product. Prints one JSON object on one line. The result
! is checked without a product: C x is compared with A (B x), where all elements of x are 1.
program peer_dbcsr
  use iso_fortran_env, only: real64, int64
  use mpi
  use dbcsr_api
  implicit none
  integer :: error, rank, ranks, cart, node, owner, n, repeats, keep, i, j, k, kinds, required
  integer :: dims(2)
  integer(int64) :: flop
  logical :: periods(2)
  real(real64) :: fill, start, off, scale
  real(real64), allocatable :: seconds(:)
  integer, dimension(:), pointer :: sizes, row_dist, column_dist
  type(dbcsr_distribution_type) :: dist
  type(dbcsr_type) :: a, b, c
  character(len=64) :: word
  integer, allocatable :: kind_sizes(:)
  real(real64) :: flops

  call mpi_init_thread(MPI_THREAD_FUNNELED, required, error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  call get_command_argument(1, word); read (word, *) n
  call get_command_argument(2, word); read (word, *) fill
  call get_command_argument(3, word); read (word, *) repeats
  call get_command_argument(4, word); read (word, *) keep
  kinds = command_argument_count() - 4
  allocate (kind_sizes(kinds), seconds(repeats))
  do i = 1, kinds
    call get_command_argument(4 + i, word); read (word, *) kind_sizes(i)
  end do

  dims = 0
  call mpi_dims_create(ranks, 2, dims, error)
  periods = .true.
  call mpi_cart_create(mpi_comm_world, 2, dims, periods, .false., cart, error)
  call dbcsr_init_lib(mpi_comm_world)
  allocate (sizes(n), row_dist(n), column_dist(n))
  do i = 1, n
    sizes(i) = kind_sizes(mod(i - 1, kinds) + 1)
    row_dist(i) = mod((i - 1)/kinds, dims(1))  ! each process gets its share of each size
    column_dist(i) = mod((i - 1)/kinds, dims(2))
  end do
  call dbcsr_distribution_new(dist, group=cart, row_dist=row_dist, col_dist=column_dist, reuse_arrays=.false.)
  call dbcsr_distribution_get(dist, mynode=node)
  call filled(a, 1)
  call filled(b, 2)
  call empty(c)
  flops = 0
  do k = 0, repeats
    if (keep == 0 .and. k > 0) then
      call dbcsr_release(c)
      call empty(c)
    end if
    call mpi_barrier(mpi_comm_world, error)
    start = mpi_wtime()
    call dbcsr_multiply('N', 'N', 1.0_real64, a, b, 0.0_real64, c, flop=flop)
    if (k > 0) seconds(k) = mpi_wtime() - start
  end do
  call mpi_allreduce(mpi_in_place, seconds, repeats, mpi_double_precision, mpi_max, mpi_comm_world, error)
  flops = real(flop, real64)
  call mpi_allreduce(mpi_in_place, flops, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
  call check(off, scale)
  call sort(seconds)
  if (rank == 0) then
    write (*, '(a,i0,a,f6.4,a,i0,a,i0,a,es12.5,a,es10.3,a,es9.2,a)') '{"case": "dbcsr random ', n, ' fill ', fill, &
      '", "ranks": ', ranks, ', "repeats": ', repeats, ', "seconds": {"median": ', seconds((repeats + 1)/2), &
      '}, "fft_backend": "dbcsr", "chosen": "", "gflops": ', &
      flops/seconds((repeats + 1)/2)*1e-9_real64, ', "max_error": ', off/scale, '}'
  end if
  call dbcsr_release(a); call dbcsr_release(b); call dbcsr_release(c)
  call dbcsr_distribution_release(dist)
  call dbcsr_finalize_lib()
  call mpi_finalize(error)

contains

  subroutine empty(m)
    type(dbcsr_type), intent(inout) :: m
    call dbcsr_create(m, name='m', dist=dist, matrix_type=dbcsr_type_no_symmetry, row_blk_size=sizes, &
                      col_blk_size=sizes, data_type=dbcsr_type_real_8)
    call dbcsr_finalize(m)
  end subroutine

  ! Returns a number between 0 and 1 for a block, the same on every process.
  real(real64) function fraction(i, j, seed)
    integer, intent(in) :: i, j, seed
    integer(int64) :: x
    x = ieor(int(i, int64)*73856093_int64, int(j, int64)*19349663_int64) + seed*83492791_int64
    x = iand(ieor(x, ishft(x, -13))*1274126177_int64, 281474976710655_int64)
    x = iand(ieor(x, ishft(x, -16))*668265263_int64, 281474976710655_int64)
    fraction = real(mod(ieor(x, ishft(x, -15)), 1000003_int64), real64)/1000003
  end function

  subroutine filled(m, seed)
    type(dbcsr_type), intent(inout) :: m
    integer, intent(in) :: seed
    integer :: i, j
    real(real64), allocatable :: block(:, :)
    call dbcsr_create(m, name='m', dist=dist, matrix_type=dbcsr_type_no_symmetry, row_blk_size=sizes, &
                      col_blk_size=sizes, data_type=dbcsr_type_real_8)
    do i = 1, n
      do j = 1, n
        if (fraction(i, j, seed) >= fill) cycle
        call dbcsr_get_stored_coordinates(m, i, j, owner)
        if (owner /= node) cycle
        allocate (block(sizes(i), sizes(j)))
        call random_number(block)
        call dbcsr_put_block(m, i, j, block - 0.5_real64)
        deallocate (block)
      end do
    end do
    call dbcsr_finalize(m)
  end subroutine

  ! Computes y = m x on all processes.
  subroutine apply(m, x, y)
    type(dbcsr_type), intent(inout) :: m
    real(real64), intent(in) :: x(:)
    real(real64), intent(out) :: y(:)
    type(dbcsr_iterator_type) :: iterator
    integer :: r, s, first(n + 1), q
    logical :: turned
    real(real64), dimension(:, :), pointer :: block
    first(1) = 0
    do q = 1, n
      first(q + 1) = first(q) + sizes(q)
    end do
    y = 0
    call dbcsr_iterator_start(iterator, m)
    do while (dbcsr_iterator_blocks_left(iterator))
      call dbcsr_iterator_next_block(iterator, r, s, block, turned)
      y(first(r) + 1:first(r + 1)) = y(first(r) + 1:first(r + 1)) + matmul(block, x(first(s) + 1:first(s + 1)))
    end do
    call dbcsr_iterator_stop(iterator)
    call mpi_allreduce(mpi_in_place, y, size(y), mpi_double_precision, mpi_sum, mpi_comm_world, error)
  end subroutine

  subroutine check(off, scale)
    real(real64), intent(out) :: off, scale
    real(real64), allocatable :: one(:), by(:), expected(:), found(:)
    allocate (one(sum(sizes)), by(sum(sizes)), expected(sum(sizes)), found(sum(sizes)))
    one = 1
    call apply(b, one, by)
    call apply(a, by, expected)
    call apply(c, one, found)
    off = maxval(abs(found - expected))
    scale = maxval(abs(expected))
  end subroutine

  subroutine sort(x)
    real(real64), intent(inout) :: x(:)
    integer :: i, j
    real(real64) :: t
    do i = 2, size(x)
      t = x(i)
      do j = i - 1, 1, -1
        if (x(j) <= t) exit
        x(j + 1) = x(j)
      end do
      x(j + 1) = t
    end do
  end subroutine
end program
