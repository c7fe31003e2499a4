// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arrays in memory of a CUDA device: Seiche's own, and those of CuPy, PyTorch and other libraries (DLPack).
#pragma once

#include "py_arrays.hpp"

namespace seiche::python {

/// Tells whether an object is an array in device memory, by its method __dlpack_device__.
bool on_device(const Array& array);

/// Creates an uninitialised array: with `device_too` in the memory of `model` and of its library, else in host memory.
Array empty_beside(const Array& model, nb::dlpack::dtype dtype, const Extents& shape, bool device_too);

/// Creates a DeviceArray that refers to device memory of others. Its copies run in `stream`.
nb::object device_view(void* values, nb::dlpack::dtype dtype, const Extents& shape, std::int64_t stream);

/// Binds the class DeviceArray.
void bind_device_array(nb::module_& module);

}  // namespace seiche::python
