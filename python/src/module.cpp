// SPDX-License-Identifier: BSD-3-Clause
/// \file  The extension module: every noun's part of it.
#include "bind.hpp"

NB_MODULE(_core, module) {
  using namespace seiche::python;
  module.doc() = "Bindings of the C++ library. Use them through the package seiche.";
  nb::set_leak_warnings(false);  // what was not closed is kept: see kept.hpp
  translate_errors();
  for (const auto bind :
       {bind_mpi, bind_layout, bind_dense_fft, bind_sphere_fft, bind_crystal, bind_header, bind_orbitals, bind_wavefile,
        bind_density, bind_questions, bind_block_matrix, bind_block_product, bind_tuning}) {
    bind(module);
  }
}
