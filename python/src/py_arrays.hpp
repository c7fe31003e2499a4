// SPDX-License-Identifier: BSD-3-Clause
/// \file  Typed arguments, and conversion between NumPy arrays and spans without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <seiche/coefficients.hpp>
#include <seiche/layout.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace seiche::python {

namespace nb = nanobind;

template <std::size_t length>
struct Text {
  char chars[length];
  constexpr Text(const char (&text)[length]) { std::copy_n(text, length, chars); }  // NOLINT: implicit on purpose
};

/// Any object, with the type `said` in signatures. The functions that read it check it.
template <Text said>
class Argument : public nb::object {
  static bool anything(PyObject*) { return true; }

 public:
  NB_OBJECT_DEFAULT(Argument, nb::object, said.chars, anything)
};
using Array = Argument<"numpy.ndarray">;
using Dtype = Argument<"numpy.typing.DTypeLike">;
using Shape = Argument<"tuple[int, int, int]">;
using Number = Argument<"complex">;
using PyRange = Argument<"range">;
using OnProgress = Argument<"collections.abc.Callable[[float], None]">;

using Extents = std::vector<std::int64_t>;
constexpr std::int64_t any_extent = -1;

/// Requirements on an array.
struct Wanted {
  const char* name;  ///< name of the argument
  nb::dlpack::dtype dtype;
  Extents shape;  ///< any_extent: not checked
  bool writable;
  bool device_too = false;  ///< accepts arrays in device memory
  bool rows = false;        ///< accepts rows along the last axis with a distance, such as psi[:, :n]
};
/// Values of an array.
struct Place {
  void* data;
  std::int64_t row_length;  ///< distance of rows along the last axis
};
/// Returns where the values of `array` are. \throws TypeError or Error unless it meets the requirements
Place place_of(const Array& array, const Wanted& wanted);
/// Returns the address of the values of `array` in C order. \throws TypeError or Error unless it meets the requirements
void* memory_of(const Array& array, const Wanted& wanted);
/// Returns the shape of an array. \throws TypeError unless it is a NumPy array, or with `device_too` an array in device
/// memory
Extents shape_of(const Array& array, const char* name, bool device_too = false);

/// Returns the dtype of an array, as an argument of numpy.dtype(). \throws TypeError as shape_of()
nb::object dtype_of(const Array& array, const char* name, bool device_too = false);

inline std::int64_t product_of(const Extents& shape) {
  std::int64_t all = 1;
  for (const std::int64_t extent : shape) all *= extent;
  return all;
}
inline Extents joined(Extents before, const Extents& after) {
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

/// Returns the values of an array in C order: of a NumPy array, or with `device_too` of an array in device memory. For
/// const T the array may be read-only.
template <class T>
std::span<T> span_of(const Array& array, const char* name, const Extents& shape, bool device_too = false) {
  T* data = static_cast<T*>(memory_of(array, {name, nb::dtype<T>(), shape, !std::is_const_v<T>, device_too}));
  return {data, static_cast<std::size_t>(product_of(shape_of(array, name, device_too)))};
}

/// Same for coefficients, whose rows may be padded: slices such as psi[:, :n].
template <class T>
Coefficients<T> coefficients_of(const Array& array, const char* name, const Extents& shape, bool device_too) {
  const auto [data, row] = place_of(array, {name, nb::dtype<T>(), shape, !std::is_const_v<T>, device_too, true});
  const std::int64_t all = product_of(shape), last = shape.back();
  const std::int64_t reach = all == 0 ? 0 : (all / last - 1) * row + last;
  return {std::span(static_cast<T*>(data), static_cast<std::size_t>(reach)), row};
}

/// Creates an uninitialised array.
Array empty(nb::dlpack::dtype dtype, const Extents& shape);

/// Creates an array in memory of `owner`, which it keeps alive. Strides count elements (none: C order).
template <class T>
Array array_on(T* data, const Extents& shape, nb::handle owner, const Extents& strides = {}) {
  std::vector<std::size_t> extents(shape.begin(), shape.end());
  using Bare = std::remove_const_t<T>;
  using Made =
      std::conditional_t<std::is_const_v<T>, nb::ndarray<nb::numpy, nb::ro, Bare>, nb::ndarray<nb::numpy, Bare>>;
  static Bare nothing{};  // arrays without elements need an address, too
  const nb::object made = nb::cast(
      Made(data ? data : &nothing, extents.size(), extents.data(), owner, strides.empty() ? nullptr : strides.data()),
      nb::rv_policy::reference);
  return nb::borrow<Array>(made);
}
/// Creates an owner of NumPy arrays in the memory of `kept`.
template <class T>
nb::capsule owner_of(T* kept) {
  return nb::capsule(kept, [](void* all) noexcept { delete static_cast<T*>(all); });
}
/// Creates an array that takes ownership of `values`.
template <class T>
Array array_from(std::vector<T> values, const Extents& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  return array_on(kept->data(), shape, owner_of(kept));
}

template <class T>
struct Row {
  using Element = T;
  static constexpr std::size_t length = 0;  // a scalar
};
template <class T, std::size_t size>
struct Row<std::array<T, size>> {
  using Element = T;
  static constexpr std::size_t length = size;
};
/// Creates an array of `part` of each entry: (n,) for numbers, (n, 3) for vectors.
template <class Entries, class Part = std::identity>
Array array_of(const Entries& entries, const Part& part = {}) {
  using As = Row<std::remove_cvref_t<decltype(std::invoke(part, *std::begin(entries)))>>;
  std::vector<typename As::Element> values;
  for (const auto& entry : entries) {
    const auto& row = std::invoke(part, entry);
    if constexpr (As::length == 0) {
      values.push_back(row);
    } else {
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  Extents shape{static_cast<std::int64_t>(std::size(entries))};
  if constexpr (As::length > 0) shape.push_back(As::length);
  return array_from(std::move(values), shape);
}
/// Concatenates rows.
template <class Rows>
auto flat(const Rows& rows) {
  std::vector<std::remove_cvref_t<decltype(*rows[0].begin())>> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// Creates an array (z, y, x) on a view of grid values.
template <class T>
Array array_of_view(const View<T>& view, nb::handle owner) {
  return array_on(view.data, {view.shape[2], view.shape[1], view.shape[0]}, owner,
                  {view.stride[2], view.stride[1], view.stride[0]});
}
/// Shape (nz, ny, nx) of arrays on a box.
Extents extents_of(const Box& box);

/// Conversion between integer arrays (n, 3) and waves.
std::span<const Miller> waves_of(const Array& array, const char* name);
std::vector<Miller> list_of_waves(nb::handle array);
Array array_of_waves(std::vector<Miller> waves);

/// Formats a shape, e.g. "(3, 4)".
std::string text_of(const Extents& shape);
/// Formats `pattern` with Python's str.format.
template <class... Values>
nb::str text(const char* pattern, const Values&... values) {
  return nb::borrow<nb::str>(nb::object(nb::str(pattern).attr("format")(values...)));
}

}  // namespace seiche::python
