// SPDX-License-Identifier: BSD-3-Clause
/// \file  Arguments of given names, and NumPy arrays as the library's spans and the other way round: never a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
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
  constexpr Text(const char (&text)[length]) { std::copy_n(text, length, chars); }  // NOLINT: text is text
};

/// Any object, which signatures call `said`. What else it has to be, the functions that read it say in sentences.
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
inline Extents joined(Extents before, const Extents& after) {
  before.insert(before.end(), after.begin(), after.end());
  return before;
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
/// An owner of NumPy arrays in the memory of `kept`.
template <class T>
nb::capsule owner_of(T* kept) {
  return nb::capsule(kept, [](void* all) noexcept { delete static_cast<T*>(all); });
}
/// Values that the array takes over.
template <class T>
Array array_from(std::vector<T> values, const Extents& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  return array_on(kept->data(), shape, owner_of(kept));
}

template <class T>
struct Row {
  using Element = T;
  static constexpr std::size_t length = 0;  // a number, not a row
};
template <class T, std::size_t size>
struct Row<std::array<T, size>> {
  using Element = T;
  static constexpr std::size_t length = size;
};
/// A new array of what `part` gives of each entry: (n,) of numbers, (n, 3) of vectors.
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
/// The entries of rows, one row after another.
template <class Rows>
auto flat(const Rows& rows) {
  std::vector<std::remove_cvref_t<decltype(*rows[0].begin())>> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// (z, y, x) of a window on grid values.
template <class T>
Array array_of_view(const View<T>& view, nb::handle owner) {
  return array_on(view.data, {view.shape[2], view.shape[1], view.shape[0]}, owner,
                  {view.stride[2], view.stride[1], view.stride[0]});
}
/// As a field's: rows lie apart, so that this is what is wanted of NumPy arrays on a box.
Extents extents_of(const Box& box);

/// (n, 3) integers as waves, and back.
std::span<const Miller> waves_of(const Array& array, const char* name);
std::vector<Miller> list_of_waves(nb::handle array);
Array array_of_waves(std::vector<Miller> waves);

/// "(3, 4)"
std::string text_of(const Extents& shape);
/// `pattern` with {} replaced, as Python's str.format does.
template <class... Values>
nb::str text(const char* pattern, const Values&... values) {
  return nb::borrow<nb::str>(nb::object(nb::str(pattern).attr("format")(values...)));
}

}  // namespace seiche::python
