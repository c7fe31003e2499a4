! SPDX-License-Identifier: BSD-3-Clause
!> \file  The call of call_cost.c from Fortran.
module call_cost_fortran
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use seiche
  implicit none
  integer, parameter :: bands = 8
  type(sphere_fft), save :: fft
  type(seiche_box), save :: box

contains

  subroutine create(waves, count) bind(c, name='seiche_bench_fortran_create')
    integer(c_int64_t), value :: count
    integer(c_int32_t), intent(in) :: waves(3, count)
    call fft%create(MPI_COMM_WORLD, seiche_complex_double, [32, 32, 32], waves)
    box = fft%grid_box()
  end subroutine

  subroutine apply(in, out, potential, count, points) bind(c, name='seiche_bench_fortran_apply')
    integer(c_int64_t), value :: count, points
    complex(c_double_complex), intent(in) :: in(count, bands)
    complex(c_double_complex), intent(inout) :: out(count, bands)
    real(c_double), target, intent(in) :: potential(points)
    real(c_double), pointer :: on_box(:, :, :)
    on_box(1:32, 1:box%high(2) - box%low(2) + 1, 1:box%high(3) - box%low(3) + 1) => potential
    call fft%apply_potential(in, out, on_box)
  end subroutine

  subroutine destroy() bind(c, name='seiche_bench_fortran_destroy')
    call fft%close()
  end subroutine
end module
