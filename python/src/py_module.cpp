// SPDX-License-Identifier: BSD-3-Clause
/// \file  The extension module.
#include "py_bind.hpp"
#include "py_device_array.hpp"

NB_MODULE(_core, module) {
  using namespace seiche::python;
  module.doc() = "Bindings of the C++ library. Use them through the package seiche.";
  nb::set_leak_warnings(false);  // objects that are not closed stay alive: see py_kept.hpp
  translate_errors();
  for (const auto bind : {bind_mpi,
                          bind_layout,
                          bind_device_array,
                          bind_pending,
                          bind_boxes,
                          bind_exact_exchange,
                          bind_pair_densities,
                          bind_dense_fft,
                          bind_grid_operator,
                          bind_grid_interpolation,
                          bind_sphere_fft,
                          bind_crystal,
                          bind_header,
                          bind_orbitals,
                          bind_wavefile,
                          bind_planes,
                          bind_density,
                          bind_questions,
                          bind_block_matrix,
                          bind_block_product,
                          bind_tuning}) {
    bind(module);
  }
}
