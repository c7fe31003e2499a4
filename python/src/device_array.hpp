// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arrays in memory of a CUDA device: Seiche's own, and those of CuPy, PyTorch and other libraries (DLPack).
#pragma once

#include "arrays.hpp"

namespace seiche::python {

/// Tells whether an object is an array in device memory, by its method __dlpack_device__.
bool on_device(const Array& array);

/// Creates an uninitialised array in device memory, of the same library as `model`. \pre on_device(model)
Array empty_beside(const Array& model, nb::dlpack::dtype dtype, const Extents& shape);

/// Binds the class DeviceArray.
void bind_device_array(nb::module_& module);

}  // namespace seiche::python
