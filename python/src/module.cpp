// SPDX-License-Identifier: BSD-3-Clause
/// \file  The extension module: every noun's part of it.
#include <nanobind/nanobind.h>

#include "communicators.hpp"
#include "errors.hpp"
#include "nouns.hpp"

NB_MODULE(_core, module) {
  using namespace seiche::python;
  module.doc() = "The C++ library's nouns; the package seiche gives them to users.";
  nb::set_leak_warnings(false);  // what was not closed is kept: see kept.hpp
  translate_errors();
  bind_mpi(module);
  bind_layout(module);
  bind_reports(module);
  bind_dense_fft(module);
  bind_sphere_fft(module);
  bind_crystal(module);
  bind_header(module);
  bind_orbitals(module);
  bind_symmetry(module);
  bind_wavefile(module);
  bind_density(module);
  bind_questions(module);
  bind_cut(module);
  bind_wannier(module);
  bind_block_matrix(module);
  bind_block_product(module);
  bind_tuning(module);
}
