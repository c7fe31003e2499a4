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

}  // namespace seiche::python
