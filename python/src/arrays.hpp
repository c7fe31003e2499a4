// SPDX-License-Identifier: BSD-3-Clause
/// \file  NumPy arrays as the library's spans, and its memory as NumPy arrays: never a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <seiche/layout.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace seiche::python {

namespace nb = nanobind;

/// An argument that has to be a NumPy array; span_of says in sentences what else it has to be.
class Array : public nb::object {
  static bool anything(PyObject*) { return true; }

 public:
  NB_OBJECT_DEFAULT(Array, nb::object, "numpy.ndarray", anything)
};

using Extents = std::vector<std::int64_t>;
constexpr std::int64_t any_extent = -1;

/// What an array has to be like.
struct Wanted {
  const char* name;  ///< of the argument
  nb::dlpack::dtype dtype;
  Extents shape;  ///< any_extent: free
  bool writable;
};
/// Where the values of `array` are, in C order. \throws TypeError or Error for anything else than what is wanted
void* memory_of(const Array& array, const Wanted& wanted);
/// \throws TypeError for what is no NumPy array
Extents shape_of(const Array& array, const char* name);

inline std::int64_t product_of(const Extents& shape) {
  std::int64_t all = 1;
  for (const std::int64_t extent : shape) all *= extent;
  return all;
}

/// The values of a NumPy array in C order; of const T it may be read-only.
template <class T>
std::span<T> span_of(const Array& array, const char* name, const Extents& shape) {
  T* data = static_cast<T*>(memory_of(array, {name, nb::dtype<T>(), shape, !std::is_const_v<T>}));
  return {data, static_cast<std::size_t>(product_of(shape_of(array, name)))};
}

/// A new array, not filled.
Array empty(nb::dlpack::dtype dtype, const Extents& shape);

/// Memory of `owner`, which lives as long as the array does. Strides count elements; none: C order.
template <class T>
Array array_on(T* data, const Extents& shape, nb::handle owner, const Extents& strides = {}) {
  std::vector<std::size_t> extents(shape.begin(), shape.end());
  using Bare = std::remove_const_t<T>;
  using Made =
      std::conditional_t<std::is_const_v<T>, nb::ndarray<nb::numpy, nb::ro, Bare>, nb::ndarray<nb::numpy, Bare>>;
  static Bare nothing{};  // arrays without elements need an address all the same
  const nb::object made = nb::cast(
      Made(data ? data : &nothing, extents.size(), extents.data(), owner, strides.empty() ? nullptr : strides.data()),
      nb::rv_policy::reference);
  return nb::borrow<Array>(made);
}
/// Values that the array takes over.
template <class T>
Array array_from(std::vector<T>&& values, const Extents& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* all) noexcept { delete static_cast<std::vector<T>*>(all); });
  return array_on(kept->data(), shape, owner);
}

/// (z, y, x) of a window on grid values.
template <class T>
Array array_of_view(const View<T>& view, nb::handle owner) {
  return array_on(view.data, {view.shape[2], view.shape[1], view.shape[0]}, owner,
                  {view.stride[2], view.stride[1], view.stride[0]});
}
/// As a field's: rows lie apart, so that this is what is wanted of NumPy arrays on a box.
Extents extents_of(const Box& box);
/// Shape of arrays on `box` with what comes before it.
Extents on_box(const Extents& before, const Box& box);

/// (n, 3) integers as waves, and back.
std::span<const Miller> waves_of(const Array& array, const char* name);
Array array_of_waves(std::vector<Miller>&& waves);

/// "(3, 4)"
std::string text_of(const Extents& shape);

}  // namespace seiche::python
