! SPDX-License-Identifier: BSD-3-Clause
!> \file  The Fortran interface: FFTs of dense grids and of spheres of plane waves, exact exchange, pair
!> densities, block-sparse products, autotuning.
module seiche
  use seiche_status_types
  use seiche_fft_types
  use seiche_blocksparse_types
  use seiche_product_types
  use seiche_tuning_types
  use seiche_base, only: seiche_last_error, seiche_open_handles, seiche_version, seiche_box
  use seiche_layout, only: balanced_owners, sphere_of_waves
  use seiche_dense_arrays, only: dense_arrays, field_array, interleaved, consecutive
  use seiche_dense_fft, only: dense_fft, seiche_field
  use seiche_grid_function, only: grid_function, device_function, device_bands
  use seiche_pending_calls, only: seiche_pending
  use seiche_boxes, only: box_exchange
  use seiche_boxes_types
  use seiche_sphere_fft, only: sphere_fft, sphere_stream
  use seiche_exact_exchange, only: exact_exchange, occupied_orbitals
  use seiche_exact_exchange_types
  use seiche_pair_densities, only: pair_densities, grid_orbitals
  use seiche_pair_function, only: pair_function
  use seiche_pair_densities_types
  use seiche_tuning, only: tune_dense, tune_sphere, tune_boxes, tune_product
  use seiche_timeline, only: timeline, timeline_work, timeline_transfer, start_recording, stop_recording
  use seiche_blocksparse, only: block_layout, block_matrix
  use seiche_product, only: multiplier
  use seiche_purification, only: purify, purify_function, inverse_square_root, seiche_stage_root, &
    seiche_stage_chemical_potential, seiche_stage_purification
  implicit none
  public
end module
