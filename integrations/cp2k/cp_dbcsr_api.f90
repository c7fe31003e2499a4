! SPDX-License-Identifier: BSD-3-Clause
!> \file  Replaces the procedure dbcsr_multiply_d of CP2K's module cp_dbcsr_api. The compiler gives it the same symbol.
!> The library with this file is preloaded, so that the dynamic linker binds CP2K's calls to it.
module cp_dbcsr_api
  use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
  use dbcsr_api, only: dbcsr_type
  use seiche_dbcsr_product, only: multiply
  implicit none
  private

  public :: dbcsr_multiply_d

contains

  !> Has the arguments of CP2K's procedure. CP2K's type of matrices has one component: DBCSR's.
  subroutine dbcsr_multiply_d(transa, transb, alpha, matrix_a, matrix_b, beta, matrix_c, first_row, last_row, &
                              first_column, last_column, first_k, last_k, retain_sparsity, filter_eps, flop)
    character(len=1), intent(in) :: transa, transb
    real(c_double), intent(in) :: alpha, beta
    type(dbcsr_type), intent(in) :: matrix_a, matrix_b
    type(dbcsr_type), intent(inout) :: matrix_c
    integer, intent(in), optional :: first_row, last_row, first_column, last_column, first_k, last_k
    logical, intent(in), optional :: retain_sparsity
    real(c_double), intent(in), optional :: filter_eps
    integer(c_int64_t), intent(out), optional :: flop
    call multiply(transa, transb, alpha, matrix_a, matrix_b, beta, matrix_c, first_row, last_row, first_column, &
                  last_column, first_k, last_k, retain_sparsity, filter_eps, flop)
  end subroutine
end module
