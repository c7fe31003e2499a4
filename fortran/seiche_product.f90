! SPDX-License-Identifier: BSD-3-Clause
!> \file  Filtered products of block-sparse matrices, and density matrices from them.
module seiche_product
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_blocksparse
  use seiche_tuning
  implicit none
  private

  public :: multiplier, product_options, product_report, tune_product, purify, purify_report, purify_function, &
    inverse_square_root

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

  !> What a product did and cost on this rank.
  type :: product_report
    real(real64) :: error = 0, filter_error = 0  !< bounds on the Frobenius norm of the error of C, and its part from the filter
    integer(int64) :: products = 0, skipped = 0  !< small products done, and skipped by the filter
    integer(int64) :: operations = 0  !< of floating point
    integer(int64) :: bytes_received = 0, bytes_sent = 0, memory = 0
    integer :: panels = 0, layers = 0, window = 0
    real(real64) :: seconds_work = 0, seconds_wait = 0, seconds_total = 0
    character(:), allocatable :: algorithm  !< that moved blocks of a and b
    character(:), allocatable :: kernels  !< 'libxsmm' or 'blas'
  end type

  !> Does products, and keeps memory and what it measured from one to the next.
  type :: multiplier
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => multiplier_create
    procedure :: multiply
    procedure :: report => multiplier_report
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

  !> Extend it, and override tell: it is called on every rank after each iteration of a stage.
  type, abstract :: purify_function
  contains
    procedure(tell_function), deferred :: tell
  end type
  integer, parameter, public :: seiche_stage_root = 0, seiche_stage_chemical_potential = 1, seiche_stage_purification = 2

  abstract interface
    subroutine tell_function(self, stage, iteration, residual)
      import :: purify_function, real64
      class(purify_function), intent(inout) :: self
      integer, intent(in) :: stage, iteration
      real(real64), intent(in) :: residual
    end subroutine
  end interface

  type :: called_purify
    class(purify_function), pointer :: function => null()
  end type

  !> seiche_product_report
  type, bind(c) :: c_report
    integer(c_size_t) :: size = 0
    real(c_double) :: error = 0, filter_error = 0
    integer(c_int64_t) :: products = 0, skipped = 0, operations = 0, bytes_received = 0, bytes_sent = 0, memory = 0
    integer(c_int) :: panels = 0, layers = 0, window = 0, reserved = 0
    real(c_double) :: seconds_work = 0, seconds_wait = 0, seconds_total = 0
    character(kind=c_char) :: algorithm(16) = c_null_char, kernels(16) = c_null_char
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
    function c_multiplier_report(multiplier, report) bind(c, name='seiche_multiplier_report')
      import :: c_int, c_ptr, c_report
      type(c_ptr), value :: multiplier
      type(c_report), intent(inout) :: report
      integer(c_int) :: c_multiplier_report
    end function
    function c_tune_product(a, b, layout, ops, numbers, memory, reals, request, report) &
      bind(c, name='seiche_fortran_tune_product')
      import :: c_double, c_int, c_int64_t, c_ptr, c_tune_report, c_tune_request
      type(c_ptr), value :: a, b, layout
      integer(c_int), intent(in) :: ops(2), numbers(*)
      integer(c_int64_t), value :: memory
      real(c_double), intent(in) :: reals(*)
      type(c_tune_request), intent(in) :: request
      type(c_tune_report), intent(inout) :: report
      integer(c_int) :: c_tune_product
    end function
    function c_purify(p, k, s, electrons, purifier, max_iterations, electrons_per_state, numbers, memory, product_reals, &
                      on_progress, user, reals, counts) bind(c, name='seiche_fortran_purify')
      import :: c_double, c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), intent(inout) :: p
      type(c_ptr), value :: k, s
      real(c_double), value :: electrons
      integer(c_int), value :: purifier, max_iterations, electrons_per_state
      integer(c_int), intent(in) :: numbers(*)
      integer(c_int64_t), value :: memory
      real(c_double), intent(in) :: product_reals(*)
      type(c_funptr), value :: on_progress
      type(c_ptr), value :: user
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
  recursive subroutine multiplier_create(self, options, status)
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
  recursive subroutine multiply(self, a, b, c, alpha, beta, op_a, op_b, status)
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

  !> Local. Of the last product.
  recursive function multiplier_report(self, status) result(report)
    class(multiplier), intent(in) :: self
    integer, intent(out), optional :: status
    type(product_report) :: report
    type(c_report), target :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_multiplier_report(self%handle, found)
    report%error = found%error
    report%filter_error = found%filter_error
    report%products = found%products
    report%skipped = found%skipped
    report%operations = found%operations
    report%bytes_received = found%bytes_received
    report%bytes_sent = found%bytes_sent
    report%memory = found%memory
    report%panels = int(found%panels)
    report%layers = int(found%layers)
    report%window = int(found%window)
    report%seconds_work = found%seconds_work
    report%seconds_wait = found%seconds_wait
    report%seconds_total = found%seconds_total
    report%algorithm = text_of(c_loc(found%algorithm))
    report%kernels = text_of(c_loc(found%kernels))
    call settle(code, status)
  end function

  !> Collective. Runs the product op_a(a) op_b(b) into a matrix of layout c in all ways that these ranks can use, and writes
  !> what won to the tuning file, from which later multipliers take it. What options say of algorithm, window, panels,
  !> layers and shares is not looked at.
  recursive subroutine tune_product(a, b, c, report, request, options, op_a, op_b, status)
    class(block_matrix), intent(in) :: a, b
    class(block_layout), intent(in) :: c
    type(tune_report), intent(out) :: report
    type(tune_request), intent(in), optional :: request
    type(product_options), intent(in), optional :: options
    integer, intent(in), optional :: op_a, op_b
    integer, intent(out), optional :: status
    type(product_options) :: asked
    type(c_tune_report) :: found
    integer(c_int) :: ops(2), code
    if (present(options)) asked = options
    ops = seiche_transpose_no
    if (present(op_a)) ops(1) = int(op_a, c_int)
    if (present(op_b)) ops(2) = int(op_b, c_int)
    found%size = c_sizeof(found)
    code = c_tune_product(handle_of(a), handle_of(b), handle_of(c), ops, numbers_of(asked), int(asked%memory, c_int64_t), &
                          [asked%eps, asked%communication_share], c_request_of(request), found)
    report = report_of(found)
    call settle(code, status)
  end subroutine

  !> Collective over the ranks of its products.
  recursive subroutine multiplier_close(self, status)
    class(multiplier), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_multiplier_destroy(self%handle), status)
  end subroutine

  !> Collective. The density matrix p, not created before, of real(real64) matrices k and s on one layout. Without
  !> options, products drop what is below 1e-10. electrons_per_state: 2, closed shell; 1, k and the electrons are those
  !> of one spin.
  recursive subroutine purify(p, k, s, electrons, report, purifier, options, max_iterations, on_progress, status, &
                    electrons_per_state)
    type(block_matrix), intent(inout) :: p
    class(block_matrix), intent(in) :: k, s
    real(real64), intent(in) :: electrons
    type(purify_report), intent(out), optional :: report
    integer, intent(in), optional :: purifier, max_iterations, electrons_per_state
    type(product_options), intent(in), optional :: options
    class(purify_function), target, intent(inout), optional :: on_progress
    integer, intent(out), optional :: status
    type(product_options) :: asked
    type(called_purify), target :: called
    type(c_funptr) :: tell
    type(c_ptr) :: made
    real(c_double) :: reals(8)
    integer(c_int) :: how, most, per_state, counts(3), code
    asked%eps = 1e-10_real64
    if (present(options)) asked = options
    how = seiche_trs4
    if (present(purifier)) how = int(purifier, c_int)
    most = 100
    if (present(max_iterations)) most = int(max_iterations, c_int)
    per_state = 2
    if (present(electrons_per_state)) per_state = int(electrons_per_state, c_int)
    tell = c_null_funptr
    if (present(on_progress)) then
      called%function => on_progress
      tell = c_funloc(call_purify)
    end if
    code = c_purify(made, handle_of(k), handle_of(s), electrons, how, most, per_state, numbers_of(asked), &
                    int(asked%memory, c_int64_t), [asked%eps, asked%communication_share], tell, c_loc(called), reals, counts)
    if (code == seiche_ok) then
      call p%adopt(made)
      if (present(report)) report = purify_report(reals(1), reals(2), reals(3), reals(4), reals(5), reals(6), reals(7), &
                                                  reals(8), counts(1), counts(2), counts(3))
    end if
    call settle(code, status)
  end subroutine

  !> Collective. root = s^(-1/2) of a positive definite matrix of real(real64); root was not created before.
  recursive subroutine inverse_square_root(root, s, by, max_iterations, status)
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

  recursive subroutine call_purify(stage, iteration, residual, user) bind(c)
    integer(c_int), value :: stage, iteration
    real(c_double), value :: residual
    type(c_ptr), value :: user
    type(called_purify), pointer :: called
    call c_f_pointer(user, called)
    call called%function%tell(int(stage), int(iteration), residual)
  end subroutine

  !> The numbers that block_shims.c takes.
  recursive pure function numbers_of(options) result(numbers)
    type(product_options), intent(in) :: options
    integer(c_int) :: numbers(7)
    numbers = [integer(c_int) :: options%algorithm, options%progress, options%window, options%threads, options%panels, &
               options%layers, as_integer(options%whole_panels)]
  end function
end module
