! SPDX-License-Identifier: BSD-3-Clause
!> \file  Compares the transforms that replace those of CP2K with sums of plane waves: lines of a circle and of boxes, and
!> grids divided along x and along x and y. Prints the number of comparisons, and each that failed.
program check_transforms
  use, intrinsic :: iso_c_binding, only: dp => c_double
  use fft_tools, only: fft3d_pb, fft3d_ps
  use message_passing, only: mp_cart_type, mp_comm_type, mp_world_finalize, mp_world_init
  implicit none

  real(dp), parameter :: two_pi = 8 * atan(1.0_dp), tolerance = 1e-13_dp
  integer, parameter :: forward = 1, backward = -1, waves = 5
  type(mp_comm_type) :: world
  integer :: compared = 0, failed = 0

  call mp_world_init(world)
  call check([12, 10, 15], divided=1)
  call check([7, 9, 8], divided=1)
  call check([12, 10, 15], divided=1)  ! the plan of the first transform serves again
  if (mod(world%num_pe, 2) == 0 .and. world%num_pe > 2) call check([12, 10, 15], divided=2)
  if (world%mepos == 0) print '(2(i0, a))', compared, ' transforms compared, ', failed, ' differ'
  call mp_world_finalize()
  if (failed > 0) stop 1

contains

  !> `divided`: number of axes along which the grid is divided.
  subroutine check(n, divided)
    integer, intent(in) :: n(3), divided
    type(mp_cart_type) :: group
    integer :: dims(2), rank
    integer, allocatable :: boxes(:, :, :, :), lines(:, :, :), counts(:)
    dims = [world%num_pe, 1]
    if (divided == 2) dims = [world%num_pe / 2, 2]
    call group%create(world, 2, dims)
    allocate (boxes(2, 3, 0:world%num_pe - 1, 3))
    call divide(n, dims, 1, 2, 3, boxes(:, :, :, 1))
    boxes(:, :, :, 2) = boxes(:, :, :, 1)
    call divide(n, dims, 2, 3, 1, boxes(:, :, :, 3))
    call circle(n, lines, counts)
    call compare('lines of a circle', n, group, boxes, lines, counts, .true.)
    do rank = 0, world%num_pe - 1
      lines(:, :counts(rank), rank) = lines(:, counts(rank):1:-1, rank)
    end do
    call compare('lines in another order', n, group, boxes, lines, counts, .true.)
    call boxes_of_lines(boxes(:, :, :, 3), lines, counts)
    call compare('lines of boxes', n, group, boxes, lines, counts, .false.)
    call group%free()
  end subroutine

  !> Divides `axis` over dims(1) and `second` over dims(2). The first parts are smaller.
  subroutine divide(n, dims, axis, second, third, boxes)
    integer, intent(in) :: n(3), dims(2), axis, second, third
    integer, intent(out) :: boxes(:, :, 0:)
    integer :: rank
    do rank = 0, size(boxes, 3) - 1
      boxes(:, axis, rank) = part(n(axis), dims(1), rank / dims(2))
      boxes(:, second, rank) = part(n(second), dims(2), mod(rank, dims(2)))
      boxes(:, third, rank) = [1, n(third)]
    end do
  end subroutine
  function part(length, parts, at) result(ends)
    integer, intent(in) :: length, parts, at
    integer :: ends(2)
    ends = [length * at**2 / parts**2 + 1, length * (at + 1)**2 / parts**2]
  end function

  !> Deals the lines of a circle. Rank 0 has fewer than the others.
  subroutine circle(n, lines, counts)
    integer, intent(in) :: n(3)
    integer, allocatable, intent(out) :: lines(:, :, :), counts(:)
    integer :: y, z, owner
    allocate (counts(0:world%num_pe - 1), source=0)
    allocate (lines(2, n(2) * n(3), 0:world%num_pe - 1), source=0)
    owner = 0
    do z = 1, n(3)
      do y = 1, n(2)
        if (index_of(y, n(2))**2 + index_of(z, n(3))**2 > 16) cycle
        owner = mod(owner + 1, world%num_pe)
        if (owner == 0 .and. mod(y, 2) == 0) owner = world%num_pe - 1
        counts(owner) = counts(owner) + 1
        lines(:, counts(owner), owner) = [y, z]
      end do
    end do
  end subroutine
  subroutine boxes_of_lines(boxes, lines, counts)
    integer, intent(in) :: boxes(:, :, 0:)
    integer, allocatable, intent(out) :: lines(:, :, :), counts(:)
    integer :: y, z, rank
    allocate (counts(0:world%num_pe - 1), source=0)
    allocate (lines(2, maxval(product(boxes(2, 2:3, :) - boxes(1, 2:3, :) + 1, dim=1)), 0:world%num_pe - 1), source=0)
    do rank = 0, world%num_pe - 1
      do z = boxes(1, 3, rank), boxes(2, 3, rank)
        do y = boxes(1, 2, rank), boxes(2, 2, rank)
          counts(rank) = counts(rank) + 1
          lines(:, counts(rank), rank) = [y, z]
        end do
      end do
    end do
  end subroutine
  !> Returns the Miller index of a place on an axis.
  integer function index_of(place, n)
    integer, intent(in) :: place, n
    index_of = place - 1
    if (2 * index_of > n) index_of = index_of - n
  end function

  subroutine compare(what, n, group, boxes, lines, counts, of_circle)
    character(*), intent(in) :: what
    integer, intent(in) :: n(3), boxes(:, :, 0:, :), lines(:, :, 0:), counts(0:)
    type(mp_cart_type), intent(in) :: group
    logical, intent(in) :: of_circle
    complex(dp), allocatable :: grid(:, :, :), of_grid(:, :, :), coefficients(:, :), of_lines(:, :)
    integer :: me
    me = world%mepos
    allocate (of_grid(n(1), n(2), n(3)))
    call sum_of_waves(n, of_grid)
    of_grid = of_grid(boxes(1, 1, me, 1):boxes(2, 1, me, 1), boxes(1, 2, me, 1):boxes(2, 2, me, 1), &
                      boxes(1, 3, me, 1):boxes(2, 3, me, 1))
    allocate (of_lines(n(1), counts(me)))
    call lines_of_waves(n, lines(:, :counts(me), me), of_lines)
    grid = 0 * of_grid
    coefficients = of_lines
    if (status_of(backward, n, grid, coefficients, group, boxes, lines, counts, of_circle) /= 0) grid = huge(1.0_dp)
    call report(what // ', to the grid', maxval(abs(grid - of_grid)))
    grid = of_grid
    coefficients = 7
    if (status_of(forward, n, grid, coefficients, group, boxes, lines, counts, of_circle) /= 0) coefficients = huge(1.0_dp)
    call report(what // ', from the grid', maxval(abs(coefficients - of_lines)))
  end subroutine

  integer function status_of(direction, n, grid, coefficients, group, boxes, lines, counts, of_circle) result(status)
    integer, intent(in) :: direction, n(3), boxes(:, :, 0:, :), lines(:, :, 0:), counts(0:)
    complex(dp), intent(inout) :: grid(:, :, :), coefficients(:, :)
    type(mp_cart_type), intent(in) :: group
    logical, intent(in) :: of_circle
    status = -1
    if (of_circle) then
      call fft3d_ps(direction, n, grid, coefficients, group, lines, counts, boxes, status, debug=.false.)
    else
      call fft3d_pb(direction, n, grid, coefficients, group, boxes, status)
    end if
  end function

  !> Miller indices and the coefficient of a wave. All waves are in the circle.
  subroutine wave(number, g, c)
    integer, intent(in) :: number
    integer, intent(out) :: g(3)
    complex(dp), intent(out) :: c
    integer, parameter :: all_waves(3, waves) = reshape([0, 0, 0, 1, -2, 3, -3, 1, -1, 2, 3, 0, -1, -3, -2], [3, waves])
    g = all_waves(:, number)
    c = cmplx(1.0_dp / number, 0.5_dp * number, dp)
  end subroutine
  subroutine sum_of_waves(n, values)
    integer, intent(in) :: n(3)
    complex(dp), intent(out) :: values(:, :, :)
    integer :: number, g(3), x, y, z
    complex(dp) :: c
    values = 0
    do number = 1, waves
      call wave(number, g, c)
      do concurrent(x=1:n(1), y=1:n(2), z=1:n(3))
        values(x, y, z) = values(x, y, z) + c * exp(cmplx(0, two_pi * sum(g * [x - 1, y - 1, z - 1] / real(n, dp)), dp))
      end do
    end do
  end subroutine
  subroutine lines_of_waves(n, places, values)
    integer, intent(in) :: n(3), places(:, :)
    complex(dp), intent(out) :: values(:, :)
    integer :: number, g(3), line
    complex(dp) :: c
    values = 0
    do number = 1, waves
      call wave(number, g, c)
      g = modulo(g, n) + 1
      do line = 1, size(places, 2)
        if (all(places(:, line) == g(2:3))) values(g(1), line) = c
      end do
    end do
  end subroutine

  !> Collective. Counts a comparison. `deviation`: of this rank.
  subroutine report(what, deviation)
    character(*), intent(in) :: what
    real(dp), intent(in) :: deviation
    real(dp) :: largest
    largest = max(0.0_dp, deviation)  ! maxval of an empty array is negative
    call world%max(largest)
    compared = compared + 1
    if (largest <= tolerance) return
    failed = failed + 1
    if (world%mepos == 0) print '(2a, es9.2)', what, ' differ by ', largest
  end subroutine
end program
