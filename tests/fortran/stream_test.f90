! SPDX-License-Identifier: BSD-3-Clause
!> \file  Streams of bands to the grid: what their function sees, beside the sums of their coefficients.
module weighing
  use, intrinsic :: iso_fortran_env, only: real64
  use seiche
  implicit none

  !> Adds up |psi(r)|^2 of all bands and points that it is called for.
  type, extends(grid_function) :: scale_of_bands
    real(real64) :: sum = 0
    integer :: last_band = 0, ends_at = 0
  contains
    procedure :: on_complex64 => weigh
  end type

contains

  subroutine weigh(self, band, box, values, status)
    class(scale_of_bands), intent(inout) :: self
    integer, intent(in) :: band
    type(seiche_box), intent(in) :: box
    complex(real64), intent(inout) :: values(:, :, :)
    integer, intent(inout) :: status
    self%sum = self%sum + sum(real(values)**2 + aimag(values)**2)
    self%last_band = max(self%last_band, band)
    if (band == self%ends_at) status = 7
  end subroutine
end module

program stream_test
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use mpi_f08
  use expect_seiche
  use seiche
  use weighing
  implicit none
  integer, parameter :: points(3) = [8, 6, 7]
  integer(int32), parameter :: waves(3, 2) = reshape([1, 2, 3, 0, 1, 0], [3, 2])
  type(sphere_fft) :: fft
  type(sphere_stream) :: stream
  integer :: me, mine, status
  complex(real64), allocatable :: one(:), three(:, :)
  complex(real32), allocatable :: single(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  mine = merge(2, 0, me == 0)
  allocate (one(mine), three(mine, 3), single(mine))
  one = 1
  three = spread([1, 2, 3], 1, mine)
  call fft%create(MPI_COMM_WORLD, seiche_complex_double, points, waves(:, :mine))
  call bands_that_come_by_and_by()
  call faults()
  call fft%close()
  call expect(seiche_open_handles() == 0, 'all handles are closed')
  deallocate (one, three, single)
  call verdict()

contains

  subroutine bands_that_come_by_and_by()
    type(scale_of_bands) :: seen
    real(real64) :: all
    integer :: last
    call stream%create(fft, seen)
    call stream%add(one)
    call stream%add(three)
    call stream%finish()
    call MPI_Allreduce(seen%sum, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(seen%last_band, last, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call expect(abs(all / product(points) - 2 * (1 + 1 + 4 + 9)) < 1e-11_real64 .and. last == 4, 'all bands were seen')
    call stream%add(one, status)
    call expect_fault(status, seiche_bad_argument, 'this stream is finished')
    call stream%close()
    call stream%close()
  end subroutine

  subroutine faults()
    type(scale_of_bands) :: seen
    type(sphere_fft) :: none
    call stream%create(none, seen, status)
    call expect_fault(status, seiche_misuse, 'sphere_fft: the handle is NULL')
    call stream%create(fft, seen)
    call stream%create(fft, seen, status)
    call expect_fault(status, seiche_misuse, 'sphere_stream: this stream already exists')
    if (me == 0) then  ! a fault of one rank alone comes out on all
      call stream%add(single, status)
      call expect_fault(status, seiche_misuse, "the coefficients are complex(real32), but the plan has complex(real64)")
    else
      call stream%add(one)
    end if
    call stream%finish(status)
    call expect_fault(status, seiche_bad_argument, "the coefficients are complex(real32), but the plan has complex(real64)")
    call stream%close()
    call stream%create(fft, seen)
    if (me == 0) call stream%fail('the band was not to be had')
    call stream%add(one)
    call stream%finish(status)
    call expect_fault(status, seiche_bad_argument, 'the band was not to be had')
    call stream%close()
    seen%ends_at = 2
    call stream%create(fft, seen)
    call stream%add(three)
    call stream%finish(status)
    call expect_fault(status, seiche_bad_argument, 'returned 7')
    call stream%close()
    call stream%finish(status)
    call expect_fault(status, seiche_misuse, 'sphere_stream: the handle is NULL')
    call stream%fail('nobody hears it', status)
    call expect_fault(status, seiche_misuse, 'sphere_stream: the handle is NULL')
  end subroutine
end program
