// SPDX-License-Identifier: BSD-3-Clause
#include "py_device_array.hpp"

#include <nanobind/stl/string.h>

#include <seiche/device_memory.hpp>
#include <string>

#include "py_bind.hpp"
#include "py_errors.hpp"

namespace seiche::python {

namespace {

constexpr int dlpack_cuda = nb::device::cuda::value, dlpack_managed = nb::device::cuda_managed::value;

struct DeviceArray {
  DeviceMemory memory;
  nb::dlpack::dtype dtype;
  Extents shape;
};

std::size_t bytes_of(nb::dlpack::dtype dtype, const Extents& shape) {
  return static_cast<std::size_t>(product_of(shape)) * dtype.bits / 8;
}

DeviceArray empty_array(nb::dlpack::dtype dtype, const Extents& shape) {
  return {DeviceMemory(bytes_of(dtype, shape)), dtype, shape};
}

DeviceArray from_numpy(const Array& array) {
  nb::ndarray<nb::ro, nb::numpy, nb::c_contig> values;
  if (!nb::try_cast(array, values, false)) {
    throw TypeError("DeviceArray needs a NumPy array in C order, not " + type_name_of(array));
  }
  DeviceArray made = empty_array(values.dtype(), Extents(values.shape_ptr(), values.shape_ptr() + values.ndim()));
  made.memory.write(values.data(), made.memory.size());
  return made;
}

Array to_numpy(const DeviceArray& array) {
  Array values = empty(array.dtype, array.shape);
  const nb::ndarray<nb::numpy> into = nb::cast<nb::ndarray<nb::numpy>>(values);
  array.memory.read(into.data(), array.memory.size());
  return values;
}

nb::object dlpack_of(nb::handle self, const nb::kwargs&) {
  const auto& array = nb::cast<const DeviceArray&>(self);
  const std::vector<std::size_t> shape(array.shape.begin(), array.shape.end());
  const nb::ndarray<> made(array.memory.data(), shape.size(), shape.data(), self, nullptr, array.dtype, dlpack_cuda,
                           DeviceMemory::device());
  return nb::cast(made);  // arrays without a library become capsules
}

nb::object dtype_in_numpy(const DeviceArray& array) { return empty(array.dtype, {0}).attr("dtype"); }

/// Returns the description of an array for CuPy, Numba and other libraries. Without a stream, they do not wait.
nb::dict cuda_interface_of(const DeviceArray& array) {
  nb::dict all;
  all["shape"] = nb::tuple(nb::cast(array.shape));
  all["typestr"] = dtype_in_numpy(array).attr("str");
  all["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.memory.data()), false);
  all["version"] = 3;
  return all;
}

/// Returns the module of the library of an array, which has from_dlpack().
nb::object module_of(const Array& array) {
  const std::string name = nb::cast<std::string>(nb::handle(array.type()).attr("__module__"));
  const std::string top = name.substr(0, name.find('.'));
  return nb::module_::import_(top == "jaxlib" || top == "jax" ? "jax.numpy" : top.c_str());
}

}  // namespace

bool on_device(const Array& array) {
  if (!nb::hasattr(array, "__dlpack_device__")) return false;
  const int device = nb::cast<int>(array.attr("__dlpack_device__")()[0]);
  return device == dlpack_cuda || device == dlpack_managed;
}

Array empty_beside(const Array& model, nb::dlpack::dtype dtype, const Extents& shape, bool device_too) {
  if (!device_too || !on_device(model)) return empty(dtype, shape);
  const nb::object made = nb::cast(empty_array(dtype, shape));
  if (nb::isinstance<DeviceArray>(model)) return nb::borrow<Array>(made);
  return nb::borrow<Array>(module_of(model).attr("from_dlpack")(made));
}

nb::object device_view(void* values, nb::dlpack::dtype dtype, const Extents& shape, std::int64_t stream) {
  return nb::cast(DeviceArray{DeviceMemory(values, bytes_of(dtype, shape), stream), dtype, shape});
}

void bind_device_array(nb::module_& module) {
  nb::class_<DeviceArray>(module, "DeviceArray",
                          R"(Array in memory of the CUDA device, for programs without another library for such arrays.

Plans with space="cuda" accept it, and arrays of CuPy, PyTorch and other libraries with DLPack. CuPy and others make
arrays from it without copying, such as cupy.asarray(array). All functions are local.

Parameters
----------
values : array
    NumPy array in C order, which is copied.)")
      .def(
          "__init__", [](DeviceArray* self, const Array& values) { new (self) DeviceArray(from_numpy(values)); },
          "values"_a)
      .def("numpy", &to_numpy, "Returns a copy in host memory. Local.")
      .def_prop_ro(
          "shape", [](const DeviceArray& self) { return nb::tuple(nb::cast(self.shape)); }, "Shape. Local.")
      .def_prop_ro("dtype", &dtype_in_numpy, "Type of the elements, as in NumPy. Local.")
      .def_prop_ro("__cuda_array_interface__", &cuda_interface_of,
                   "Description of the array for CuPy and others. Local.")
      .def("__dlpack__", &dlpack_of, "kwargs"_a, "Returns a DLPack capsule without copying.")
      .def(
          "__dlpack_device__", [](const DeviceArray&) { return nb::make_tuple(dlpack_cuda, DeviceMemory::device()); },
          "Returns the type and number of the device, as in DLPack.");
}

}  // namespace seiche::python
