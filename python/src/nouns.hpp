// SPDX-License-Identifier: BSD-3-Clause
/// \file  What each noun adds to the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace seiche::python {

namespace nb = nanobind;

void bind_layout(nb::module_& module);
void bind_reports(nb::module_& module);
void bind_dense_fft(nb::module_& module);
void bind_sphere_fft(nb::module_& module);
void bind_crystal(nb::module_& module);
void bind_header(nb::module_& module);
void bind_orbitals(nb::module_& module);
void bind_wavefile(nb::module_& module);
void bind_density(nb::module_& module);
void bind_questions(nb::module_& module);
void bind_cut(nb::module_& module);
void bind_wannier(nb::module_& module);
void bind_symmetry(nb::module_& module);
void bind_block_matrix(nb::module_& module);
void bind_block_product(nb::module_& module);
void bind_tuning(nb::module_& module);

}  // namespace seiche::python
