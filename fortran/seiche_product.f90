! SPDX-License-Identifier: BSD-3-Clause
!> \file  Filtered products of block-sparse matrices, and density matrices by purification.
module seiche_product
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_blocksparse
  use seiche_tuning
  use seiche_status_types
  use seiche_product_types
  use seiche_c_product
  use seiche_pending_calls
  use seiche_tuning_types
  use seiche_c_tuning
  implicit none
  private

  public :: multiplier, tune_product, purify, purify_function, inverse_square_root

  !> Computes products. Memory and measured settings are cached from one product to the next.
  type :: multiplier
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => multiplier_create
    procedure :: multiply, start_multiply
    procedure :: report => multiplier_report
    procedure :: close => multiplier_close
  end type

  !> Extend this type and override tell. It is called on every rank after each iteration of a stage.
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

contains

  !> Local. Creates a multiplier.
  recursive subroutine multiplier_create(self, options, status)
    class(multiplier), intent(inout) :: self
    type(product_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    if (c_associated(self%handle)) then
      call refuse('multiplier: this multiplier already exists: close it first', status)
      return
    end if
    call settle(c_multiplier_create(self%handle, c_product_options_of(options)), status)
  end subroutine

  !> Collective. Computes c = alpha op_a(a) op_b(b) + beta c. Defaults: alpha = 1, beta = 0, no transposition.
  recursive subroutine multiply(self, a, b, c, alpha, beta, op_a, op_b, status)
    class(multiplier), intent(in) :: self
    class(block_matrix), intent(in) :: a, b, c
    complex(real64), intent(in), optional :: alpha, beta
    integer, intent(in), optional :: op_a, op_b
    integer, intent(out), optional :: status
    call settle(c_multiplier_multiply(self%handle, product_of(a, b, op_a, op_b, alpha, beta), handle_of(c)), status)
  end subroutine

  !> Collective. Starts multiply. A multiplier has one started product at a time. The matrices must exist, and `a` and
  !> `b` stay unchanged, until the call is finished.
  recursive subroutine start_multiply(self, pending, a, b, c, alpha, beta, op_a, op_b, status)
    class(multiplier), intent(in) :: self
    type(seiche_pending), intent(inout) :: pending
    class(block_matrix), intent(in) :: a, b, c
    complex(real64), intent(in), optional :: alpha, beta
    integer, intent(in), optional :: op_a, op_b
    integer, intent(out), optional :: status
    call settle(c_multiplier_start_multiply(pending%handle, self%handle, product_of(a, b, op_a, op_b, alpha, beta), &
                                            handle_of(c)), status)
  end subroutine

  !> Converts a product to C.
  recursive function product_of(a, b, op_a, op_b, alpha, beta) result(asked)
    class(block_matrix), intent(in) :: a, b
    integer, intent(in), optional :: op_a, op_b
    complex(real64), intent(in), optional :: alpha, beta
    type(c_product) :: asked
    asked%size = c_sizeof(asked)
    asked%a = handle_of(a)
    asked%b = handle_of(b)
    asked%alpha(1) = 1
    if (present(op_a)) asked%op_a = int(op_a, c_int)
    if (present(op_b)) asked%op_b = int(op_b, c_int)
    if (present(alpha)) asked%alpha = [real(alpha), aimag(alpha)]
    if (present(beta)) asked%beta = [real(beta), aimag(beta)]
  end function

  !> Local. Returns the report of the last product.
  recursive function multiplier_report(self, status) result(report)
    class(multiplier), intent(in) :: self
    integer, intent(out), optional :: status
    type(product_report) :: report
    type(c_product_report), target :: found
    integer(c_int) :: code
    found%size = c_sizeof(found)
    code = c_multiplier_report(self%handle, found)
    report = product_report_of(found)
    call settle(code, status)
  end function

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
    code = c_tune_product(product_of(a, b, op_a, op_b), handle_of(c), c_product_options_of(options), &
                          c_tune_request_of(request), found)
    report = tune_report_of(found)
    call settle(code, status)
  end subroutine

  !> Collective over the ranks of its products. Destroys the multiplier.
  recursive subroutine multiplier_close(self, status)
    class(multiplier), intent(inout) :: self
    integer, intent(out), optional :: status
    call settle(c_multiplier_destroy(self%handle), status)
  end subroutine

  !> Collective. Computes the density matrix `p`, which must not be created before. The matrices `k` and `s` have the same
  !> layout, and are real(real64), or complex(real64) for a k-point. Without `options`, the filter threshold of products
  !> is 1e-10. `electrons_per_state`: 2 for a closed shell; 1 if `k` and the number of electrons belong to one spin.
  !> `temperature`: k_B T in the unit of `k`, for Fermi-Dirac occupations; 0 (default): `p` is a projector.
  recursive subroutine purify(p, k, s, electrons, report, purifier, options, max_iterations, on_progress, status, &
                    electrons_per_state, temperature)
    type(block_matrix), intent(inout) :: p
    class(block_matrix), intent(in) :: k, s
    real(real64), intent(in) :: electrons
    real(real64), intent(in), optional :: temperature
    type(purify_report), intent(out), optional :: report
    integer, intent(in), optional :: purifier, max_iterations, electrons_per_state
    type(product_options), intent(in), optional :: options
    class(purify_function), target, intent(inout), optional :: on_progress
    integer, intent(out), optional :: status
    type(called_purify), target :: called
    type(c_product_options), target :: of_products
    type(c_purify_options) :: asked
    type(c_purify_report) :: found
    type(c_ptr) :: made
    integer(c_int) :: code
    asked%size = c_sizeof(asked)
    found%size = c_sizeof(found)
    of_products = c_product_options_of(options)
    if (present(options)) asked%product = c_loc(of_products)
    if (present(purifier)) asked%purifier = int(purifier, c_int)
    if (present(max_iterations)) asked%max_iterations = int(max_iterations, c_int)
    if (present(electrons_per_state)) asked%electrons_per_state = int(electrons_per_state, c_int)
    if (present(temperature)) asked%temperature = temperature
    if (present(on_progress)) then
      called%function => on_progress
      asked%on_progress = c_funloc(call_purify)
      asked%user = c_loc(called)
    end if
    code = c_purify(made, handle_of(k), handle_of(s), electrons, asked, found)
    if (code == seiche_ok) call p%adopt(made, k)
    if (code == seiche_ok .and. present(report)) report = purify_report_of(found)
    call settle(code, status)
  end subroutine

  !> Collective. Computes root = s^(-1/2) of a positive definite matrix, real(real64) or complex(real64). `root` must not
  !> be created before.
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
    if (code == seiche_ok) call root%adopt(made, s)
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

end module
