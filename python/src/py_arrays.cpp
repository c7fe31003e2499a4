// SPDX-License-Identifier: BSD-3-Clause
#include "py_arrays.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "py_device_array.hpp"
#include "py_errors.hpp"

namespace seiche::python {

namespace {

using BorrowedArray = nb::ndarray<nb::ro>;

nb::object numpy() { return nb::module_::import_("numpy"); }

std::string name_of(nb::dlpack::dtype dtype) {
  using Code = nb::dlpack::dtype_code;
  const bool is_complex = dtype.code == static_cast<std::uint8_t>(Code::Complex);
  const bool is_float = dtype.code == static_cast<std::uint8_t>(Code::Float);
  return (is_complex ? "complex" : is_float ? "float" : "int") + std::to_string(dtype.bits);
}

std::string dtype_text(const Array& array) {
  const nb::object dtype = array.attr("dtype");
  return nb::cast<std::string>(nb::str(dtype));
}

/// Returns whether the array is a NumPy array. Otherwise it is in device memory. \throws TypeError for other objects
bool is_numpy(const Array& array, const char* name, bool device_too) {
  if (nb::isinstance(array, numpy().attr("ndarray"))) return true;
  if (device_too && on_device(array)) return false;
  throw TypeError(std::string(name) + " must be a NumPy array" + (device_too ? " or an array on the device" : "") +
                  ", not " + type_name_of(array));
}

bool has_nothing(const Extents& shape) { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

void require_shape(const Extents& shape, const Wanted& wanted) {
  bool fits = shape.size() == wanted.shape.size();
  // an empty box may be empty along any axis
  const bool both_empty = fits && has_nothing(shape) && has_nothing(wanted.shape);
  for (std::size_t i = 0; fits && !both_empty && i < shape.size(); ++i) {
    fits = wanted.shape[i] == any_extent || wanted.shape[i] == shape[i];
  }
  if (fits) return;
  const bool padded = wanted.rows && shape.size() == wanted.shape.size() && shape.back() > wanted.shape.back();
  throw BadArgument(
      std::string(wanted.name) + " has shape " + text_of(shape) + ", but " + text_of(wanted.shape) + " is expected" +
      (padded
           ? ": pass padded rows as " + std::string(wanted.name) + "[..., :" + std::to_string(wanted.shape.back()) + "]"
           : ""));
}

/// Returns the distance of rows along the last axis: their length, unless rows with a distance are wanted.
std::int64_t row_length_of(const BorrowedArray& array, const Wanted& wanted) {
  const std::size_t axes = array.ndim();
  if (axes == 0) return 1;
  auto length = static_cast<std::int64_t>(array.shape(axes - 1));
  if (!wanted.rows || array.size() == 0) return length;  // an array without elements may have any strides
  for (std::size_t i = axes - 1; i-- > 0;) {
    if (array.shape(i) != 1) return std::max<std::int64_t>(length, array.stride(i));
  }
  return length;
}

void require_order(const BorrowedArray& array, const Wanted& wanted) {
  std::int64_t stride = 1;
  for (std::size_t i = array.ndim(); i-- > 0 && array.size() > 0;) {
    if (array.shape(i) != 1 && array.stride(i) != stride) {
      throw BadArgument(std::string(wanted.name) + " is not contiguous in C order: pass numpy.ascontiguousarray(" +
                        wanted.name + ") or a contiguous array");
    }
    stride = i + 1 == array.ndim() ? row_length_of(array, wanted) : stride * static_cast<std::int64_t>(array.shape(i));
  }
}

}  // namespace

std::string text_of(const Extents& shape) {
  std::string text;
  for (const std::int64_t extent : shape) {
    text += (text.empty() ? "" : ", ") + (extent == any_extent ? std::string("any") : std::to_string(extent));
  }
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

Extents shape_of(const Array& array, const char* name, bool device_too) {
  is_numpy(array, name, device_too);
  Extents shape;
  for (const nb::handle extent : nb::borrow<nb::tuple>(array.attr("shape"))) {
    shape.push_back(nb::cast<std::int64_t>(extent));
  }
  return shape;
}

nb::object dtype_of(const Array& array, const char* name, bool device_too) {
  if (is_numpy(array, name, device_too)) return array.attr("dtype");
  return nb::str(name_of(nb::cast<BorrowedArray>(array).dtype()).c_str());
}

Place place_of(const Array& array, const Wanted& wanted) {
  const bool in_numpy = is_numpy(array, wanted.name, wanted.device_too);
  BorrowedArray found;
  if (!nb::try_cast(array, found, false) || found.dtype() != wanted.dtype) {
    throw TypeError(std::string(wanted.name) + " has dtype " + dtype_text(array) + ": convert it to " +
                    name_of(wanted.dtype) + ", e.g. with astype()");
  }
  if (wanted.writable && in_numpy && !nb::cast<bool>(array.attr("flags").attr("writeable"))) {
    throw BadArgument(std::string(wanted.name) + " is read-only, but the call writes to it");
  }
  require_shape(Extents(found.shape_ptr(), found.shape_ptr() + found.ndim()), wanted);
  require_order(found, wanted);
  return {const_cast<void*>(static_cast<const void*>(found.data())), row_length_of(found, wanted)};
}

void* memory_of(const Array& array, const Wanted& wanted) { return place_of(array, wanted).data; }

Array empty(nb::dlpack::dtype dtype, const Extents& shape) {
  nb::list extents;
  for (const std::int64_t extent : shape) extents.append(extent);
  return nb::borrow<Array>(numpy().attr("empty")(nb::tuple(extents), name_of(dtype)));
}

Extents extents_of(const Box& box) {
  if (box.empty()) return {0, 0, 0};
  return {box.size(2), box.size(1), box.size(0)};
}

std::span<const Miller> waves_of(const Array& array, const char* name) {
  static_assert(sizeof(Miller) == 3 * sizeof(std::int32_t));
  const auto all = span_of<const std::int32_t>(array, name, {any_extent, 3});
  return {reinterpret_cast<const Miller*>(all.data()), all.size() / 3};
}

std::vector<Miller> list_of_waves(nb::handle array) {
  const auto waves = waves_of(nb::borrow<Array>(array), "waves");
  return {waves.begin(), waves.end()};
}

Array array_of_waves(std::vector<Miller> waves) {
  auto* kept = new std::vector<Miller>(std::move(waves));
  return array_on(reinterpret_cast<std::int32_t*>(kept->data()), {std::ssize(*kept), 3}, owner_of(kept));
}

}  // namespace seiche::python
