! SPDX-License-Identifier: BSD-3-Clause
!> \file  Without `status`, a failure ends the program with the sentence.
program stop_test
  use mpi_f08
  use seiche
  implicit none
  type(dense_fft) :: fft
  type(seiche_box) :: box
  call MPI_Init()
  box = fft%grid_box()
  print '(a)', 'this is not reached'
  call MPI_Finalize()
end program
