! SPDX-License-Identifier: BSD-3-Clause
!> \file  Autotuning of products of block-sparse matrices.
module seiche_product_tuning
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_tuning_types
  use seiche_blocksparse, only: block_layout, block_matrix
  use seiche_product, only: product_of
  use seiche_product_types
  use seiche_c_tuning
  use seiche_c_product
  implicit none
  private

  public :: tune_product

contains

  !> Collective. Times the product op_a(a) op_b(b), into a matrix of layout `c`, with different settings and writes the
  !> fastest to the tuning file. Later multipliers use it. `options` gives all settings except algorithm, window,
  !> panels, layers and communication share.
  recursive subroutine tune_product(a, b, c, report, request, options, op_a, op_b, status)
    class(block_matrix), intent(in) :: a, b
    class(block_layout), intent(in) :: c
    type(tune_report), intent(out) :: report
    type(tune_request), intent(in), optional :: request
    type(product_options), intent(in), optional :: options
    integer, intent(in), optional :: op_a, op_b
    integer, intent(out), optional :: status
    type(c_tune_report) :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_tune_product(product_of(a, b, op_a, op_b), c%handle, c_product_options_of(options), &
                          c_tune_request_of(request), found)
    report = tune_report_of(found)
    call settle(code, status)
  end subroutine
end module
