! SPDX-License-Identifier: BSD-3-Clause
!> \file  The Fortran face: FFTs of dense grids and of spheres of plane waves, block-sparse products. docs/fortran.md shows how it is used.
module seiche
  use seiche_base, only: seiche_last_error, seiche_open_handles, seiche_version, seiche_box, &
    seiche_ok, seiche_bad_argument, seiche_bad_file, seiche_unwritable, seiche_mpi_failed, seiche_unsupported, &
    seiche_internal, seiche_misuse, seiche_float, seiche_double, seiche_complex_float, seiche_complex_double, &
    seiche_algorithm_automatic, seiche_algorithm_alltoallv, seiche_algorithm_alltoall, seiche_algorithm_ialltoallv, &
    seiche_algorithm_ialltoall, seiche_algorithm_persistent, seiche_algorithm_pairwise, seiche_algorithm_put, &
    seiche_algorithm_two_level, seiche_algorithm_shared, seiche_algorithm_local, seiche_progress_automatic, &
    seiche_progress_poll, seiche_progress_thread, seiche_progress_none
  use seiche_fft_options, only: fft_options, fft_report, progress_report, balanced_owners, sphere_of_waves, &
    seiche_lines_automatic, seiche_lines_fftw, seiche_lines_mkl, seiche_lines_ducc, seiche_lines_fastest, &
    seiche_decomposition_automatic, seiche_decomposition_slab, &
    seiche_decomposition_pencil, seiche_decomposition_pencil_yz
  use seiche_dense_arrays, only: dense_arrays, field_array, interleaved, consecutive
  use seiche_dense_fft, only: dense_fft, seiche_field
  use seiche_grid_function, only: grid_function
  use seiche_sphere_fft, only: sphere_fft, sphere_stream
  use seiche_tuning, only: tune_request, tune_report, tune_dense, tune_sphere
  use seiche_timeline, only: timeline, timeline_work, timeline_transfer, start_recording, stop_recording
  use seiche_blocksparse, only: block_layout, block_matrix, seiche_symmetry_none, seiche_symmetric, seiche_hermitian, &
    seiche_antisymmetric, seiche_transpose_no, seiche_transpose_yes, seiche_transpose_conjugate, seiche_csr_binary, &
    seiche_csr_text, seiche_matrix_market, seiche_dbcsr
  use seiche_product, only: multiplier, product_options, product_report, tune_product, purify, purify_report, &
    purify_function, inverse_square_root, seiche_trs4, seiche_tc2, seiche_mcweeny, seiche_sign, seiche_stage_root, &
    seiche_stage_chemical_potential, seiche_stage_purification
  implicit none
  public
end module
