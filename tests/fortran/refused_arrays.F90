! SPDX-License-Identifier: BSD-3-Clause
!> \file  Arrays that the compiler refuses. REFUSED is one of these calls. Without REFUSED, the file compiles.
subroutine refused_arrays(fft, n, psi, potential, values)
  use, intrinsic :: iso_fortran_env, only: real64
  use seiche
  implicit none
  type(sphere_fft), intent(inout) :: fft
  integer, intent(in) :: n
  complex(real64), intent(inout), asynchronous, target :: psi(n, *)
  real(real64), intent(inout), asynchronous, target :: potential(*)
  complex(real64), intent(inout), asynchronous, target :: values(n, n, n, *)
  real(real64) :: scalar
  type(seiche_pending) :: pending
  call fft%backward(psi(:, :2), values(:, :, :, :2))
#ifdef REFUSED
  call fft%REFUSED
#endif
end subroutine
