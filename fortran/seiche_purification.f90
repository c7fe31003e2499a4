! SPDX-License-Identifier: BSD-3-Clause
!> \file  Density matrices by purification.
module seiche_purification
  use, intrinsic :: iso_c_binding
  use seiche_base
  use seiche_blocksparse
  use seiche_product
  use seiche_status_types
  use seiche_product_types
  use seiche_c_product
  implicit none
  private

  public :: purify, purify_function, inverse_square_root

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
    code = c_purify(made, k%handle, s%handle, electrons, asked, found)
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
    code = c_inverse_square_root(made, s%handle, by%handle, most)
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
