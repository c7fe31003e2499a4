! SPDX-License-Identifier: BSD-3-Clause
!> \file  Filtered products of block-sparse matrices, and density matrices from them.
module seiche_product
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_blocksparse
  implicit none
  private

  public :: multiplier, product_options, purify, purify_report, inverse_square_root

  !> How the occupied states are found; all give the same density matrix.
  integer, parameter, public :: seiche_trs4 = 0, seiche_tc2 = 1, seiche_mcweeny = 2, seiche_sign = 3

  !> Alike on all ranks but for `memory`.
  type :: product_options
    integer :: algorithm = seiche_algorithm_automatic  !< who moves blocks between ranks
    integer :: progress = seiche_progress_automatic  !< who drives exchanges while blocks are multiplied
    integer :: window = 0  !< panels in memory; 0: by rule, 1: exchange and work take turns
    integer :: threads = 1  !< OpenMP threads of this rank
    integer :: panels = 0  !< into which a rank cuts its work; 0: by size
    integer :: layers = 0  !< of the inner index; 1: the 2D product; 0: what costs least
    logical :: whole_panels = .false.  !< send blocks whether needed or not
    integer(int64) :: memory = 0  !< bytes a product may take on a rank besides its operands; 0: no limit
    real(real64) :: eps = 0  !< of the filter: A_ik B_kj is skipped where |A_ik| |B_kj| < eps / (blocks in row i)
    real(real64) :: communication_share = -1  !< work of the thread that drives communication; -1: measured
  end type

  !> Does products, and keeps memory and what it measured from one to the next.
  type :: multiplier
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => multiplier_create
    procedure :: multiply
    procedure :: close => multiplier_close
  end type

  !> What is known of a density matrix P.
  type :: purify_report
    real(real64) :: trace = 0, energy = 0  !< Tr(P S), electrons; Tr(P K)
    real(real64) :: idempotency = 0, norm = 0  !< |P S P - 2 P|, |P|, Frobenius
    real(real64) :: error_bound = 0  !< on |P - exact P|
    real(real64) :: homo = 0, lumo = 0, chemical_potential = 0
    integer :: iterations = 0, root_iterations = 0, products = 0
  end type

  interface
    function c_multiplier_create(multiplier, numbers, memory, reals) bind(c, name='seiche_fortran_multiplier_create')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), intent(inout) :: multiplier
      integer(c_int), intent(in) :: numbers(*)
      integer(c_int64_t), value :: memory
      real(c_double), intent(in) :: reals(*)
      integer(c_int) :: c_multiplier_create
    end function
    function c_multiplier_destroy(multiplier) bind(c, name='seiche_multiplier_destroy')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: multiplier
      integer(c_int) :: c_multiplier_destroy
    end function
    function c_multiply(multiplier, a, b, c, factors, ops) bind(c, name='seiche_fortran_multiply')
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: multiplier, a, b, c
      real(c_double), intent(in) :: factors(4)
      integer(c_int), intent(in) :: ops(2)
      integer(c_int) :: c_multiply
    end function
    function c_purify(p, k, s, electrons, purifier, max_iterations, numbers, memory, product_reals, reals, counts) &
      bind(c, name='seiche_fortran_purify')
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), intent(inout) :: p
      type(c_ptr), value :: k, s
      real(c_double), value :: electrons
      integer(c_int), value :: purifier, max_iterations
      integer(c_int), intent(in) :: numbers(*)
      integer(c_int64_t), value :: memory
      real(c_double), intent(in) :: product_reals(*)
      real(c_double), intent(inout) :: reals(*)
      integer(c_int), intent(inout) :: counts(*)
      integer(c_int) :: c_purify
    end function
    function c_inverse_square_root(root, s, multiplier, max_iterations) bind(c, name='seiche_inverse_square_root')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: root
      type(c_ptr), value :: s, multiplier
      integer(c_int), value :: max_iterations
      integer(c_int) :: c_inverse_square_root
    end function
  end interface

contains

  !> Local.
  subroutine multiplier_create(self, options, status)
    class(multiplier), intent(inout) :: self
    type(product_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(product_options) :: asked
    if (c_associated(self%handle)) then
      call refuse('multiplier: it was created before; close it first', status)
      return
    end if
    if (present(options)) asked = options
    call settle(c_multiplier_create(self%handle, numbers_of(asked), int(asked%memory, c_int64_t), &
                                    [asked%eps, asked%communication_share]), status)
  end subroutine

  !> Collective. c = alpha op_a(a) op_b(b) + beta c; alpha is 1, beta 0, nothing is transposed where they are not given.
  subroutine multiply(self, a, b, c, alpha, beta, op_a, op_b, status)
    class(multiplier), intent(in) :: self
    class(block_matrix), intent(in) :: a, b, c
    complex(real64), intent(in), optional :: alpha, beta
    integer, intent(in), optional :: op_a, op_b
    integer, intent(out), optional :: status
    real(c_double) :: factors(4)
    integer(c_int) :: ops(2)
    factors = [1, 0, 0, 0]
    if (present(alpha)) factors(:2) = [real(alpha), aimag(alpha)]
    if (present(beta)) factors(3:) = [real(beta), aimag(beta)]
    ops = seiche_transpose_no
    if (present(op_a)) ops(1) = int(op_a, c_int)
    if (present(op_b)) ops(2) = int(op_b, c_int)
    call settle(c_multiply(self%handle, handle_of(a), handle_of(b), handle_of(c), factors, ops), status)
  end subroutine

  !> Collective over the ranks of its products.
  subroutine multiplier_close(self, status)
    class(multiplier), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_multiplier_destroy(self%handle), status)
  end subroutine

  !> Collective. The closed-shell density matrix p, not created before, of real(real64) matrices k and s on one layout.
  !> Without options, products drop what is below 1e-10.
  subroutine purify(p, k, s, electrons, report, purifier, options, max_iterations, status)
    type(block_matrix), intent(inout) :: p
    class(block_matrix), intent(in) :: k, s
    real(real64), intent(in) :: electrons
    type(purify_report), intent(out), optional :: report
    integer, intent(in), optional :: purifier, max_iterations
    type(product_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(product_options) :: asked
    type(c_ptr) :: made
    real(c_double) :: reals(8)
    integer(c_int) :: how, most, counts(3), code
    asked%eps = 1e-10_real64
    if (present(options)) asked = options
    how = seiche_trs4
    if (present(purifier)) how = int(purifier, c_int)
    most = 100
    if (present(max_iterations)) most = int(max_iterations, c_int)
    code = c_purify(made, handle_of(k), handle_of(s), electrons, how, most, numbers_of(asked), &
                    int(asked%memory, c_int64_t), [asked%eps, asked%communication_share], reals, counts)
    if (code == seiche_ok) then
      call p%adopt(made)
      if (present(report)) report = purify_report(reals(1), reals(2), reals(3), reals(4), reals(5), reals(6), reals(7), &
                                                  reals(8), counts(1), counts(2), counts(3))
    end if
    call settle(code, status)
  end subroutine

  !> Collective. root = s^(-1/2) of a positive definite matrix of real(real64); root was not created before.
  subroutine inverse_square_root(root, s, by, max_iterations, status)
    type(block_matrix), intent(inout) :: root
    class(block_matrix), intent(in) :: s
    type(multiplier), intent(in) :: by
    integer, intent(in), optional :: max_iterations
    integer, intent(out), optional :: status
    type(c_ptr) :: made
    integer(c_int) :: most, code
    most = 100
    if (present(max_iterations)) most = int(max_iterations, c_int)
    code = c_inverse_square_root(made, handle_of(s), by%handle, most)
    if (code == seiche_ok) call root%adopt(made)
    call settle(code, status)
  end subroutine

  !> The numbers that block_shims.c takes.
  pure function numbers_of(options) result(numbers)
    type(product_options), intent(in) :: options
    integer(c_int) :: numbers(7)
    numbers = [integer(c_int) :: options%algorithm, options%progress, options%window, options%threads, options%panels, &
               options%layers, as_integer(options%whole_panels)]
  end function
end module
