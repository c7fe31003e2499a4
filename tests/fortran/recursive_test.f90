! SPDX-License-Identifier: BSD-3-Clause
!> \file  A function on the grid that uses another plan, with a library whose procedures keep their variables from call to
!> call where they are not recursive: some compilers do so, and gfortran with -fno-automatic.
module nested_functions
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use seiche
  implicit none

  type, extends(grid_function) :: scaled
    real(real64) :: factor = 2
    integer :: calls = 0
  contains
    procedure :: on_complex64 => scale_values
  end type

  !> Uses a plan of its own, with another function, before it scales.
  type, extends(scaled) :: nested
    type(sphere_fft) :: inner
    type(scaled) :: of_inner
    real(real64) :: worst = 0
  contains
    procedure :: on_complex64 => use_another_plan
  end type

contains

  recursive subroutine scale_values(self, band, box, values, status)
    class(scaled), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    self%calls = self%calls + 1
    values = self%factor * values
    if (band < 1 .or. any(box%extent() /= shape(values))) status = 5
  end subroutine

  recursive subroutine use_another_plan(self, band, box, values, status)
    class(nested), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    complex(real64) :: one(1)
    one = (1, 2)
    call self%inner%round_trip(one, self%of_inner, status)
    self%worst = max(self%worst, abs(one(1) - self%of_inner%factor * (1, 2)))
    call scale_values(self, band, box, values, status)
  end subroutine
end module

program recursive_test
  use, intrinsic :: iso_fortran_env, only: int32, real64
  use mpi_f08
  use expect_seiche
  use nested_functions
  implicit none
  integer, parameter :: points(3) = [8, 6, 7], bands = 3
  integer(int32), parameter :: wave(3, 1) = reshape([1, 2, 3], [3, 1])
  type(sphere_fft) :: fft
  type(nested) :: function
  complex(real64), allocatable :: in(:, :), out(:, :)
  integer :: me, n

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  n = merge(1, 0, me == 0)
  call fft%create(MPI_COMM_WORLD, seiche_complex_double, points, wave(:, :n))
  call function%inner%create(MPI_COMM_SELF, seiche_complex_double, [4, 5, 6], wave - 1)
  function%factor = 3
  allocate (in(n, bands), out(n, bands))
  in = (2, 1)
  call fft%round_trip(in, out, function)
  call expect(all(abs(out - 3 * in) < 1e-12_real64), 'all bands by the outer function')
  call expect(function%worst < 1e-12_real64 .and. function%of_inner%calls >= function%calls, 'and the inner one by its own')
  call function%inner%close()
  call fft%close()
  call verdict()
end program
