// SPDX-License-Identifier: BSD-3-Clause
/// \file  Keyword arguments for options of the library: conversion, signatures and help().
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <seiche/density.hpp>
#include <seiche/fft_options.hpp>
#include <seiche/purify.hpp>
#include <seiche/tuning.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "interface/blocksparse_members.hpp"
#include "interface/fft_members.hpp"
#include "interface/orbitals_members.hpp"
#include "interface/product_members.hpp"
#include "interface/status_members.hpp"
#include "interface/tuning_members.hpp"
#include "interface/wavefile_members.hpp"
#include "py_arrays.hpp"
#include "py_callback.hpp"
#include "py_errors.hpp"
#include "py_reading.hpp"

namespace seiche::python {

/// Returns the type of a member in signatures.
template <class T>
std::string type_of();
/// Converts a value. \throws TypeError for a value of the wrong type
template <class T>
T value_of(const char* name, nb::handle given, const std::string& wanted = type_of<T>()) {
  T value{};
  if (nb::try_cast<T>(given, value)) return value;
  refuse_argument({name, wanted}, given);
}
GridShape grid_shape_of(nb::handle given);
inline auto tuple_of(const GridShape& shape) { return std::tuple(shape.nx, shape.ny, shape.nz); }
inline auto tuple_of(const Range& range) { return std::pair(range.low, range.high); }

/// Returns the enumerator with a name. \throws Error for an unknown name; the message lists the known ones
template <class Enum, class Words = decltype(WordsOf<Enum>::all)>
Enum named(const char* what, std::string_view word, const Words& words = WordsOf<Enum>::all) {
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw BadArgument(std::string(what) + " has the unknown value \"" + std::string(word) + "\": use one of " + known);
}
template <class Enum, class Words = decltype(WordsOf<Enum>::all)>
std::string word_of(Enum value, const Words& words = WordsOf<Enum>::all) {
  for (const auto& [name, known] : words) {
    if (known == value) return std::string(name);
  }
  return "?";
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
constexpr bool is_function = false;
template <class Type>
constexpr bool is_function<std::function<Type>> = true;
using ManyWaves = std::vector<std::vector<Miller>>;

/// Converts a Python value to a member of options.
template <class T>
T member_of(const char* name, nb::handle given) {
  if constexpr (std::is_same_v<T, Algorithm>) {
    return algorithm_named(value_of<std::string>(name, given));
  } else if constexpr (std::is_enum_v<T>) {
    return named<T>(name, value_of<std::string>(name, given));
  } else if constexpr (std::is_same_v<T, std::function<void(std::int64_t)>>) {
    return reporting_function<std::int64_t>(given);
  } else if constexpr (is_function<T>) {
    return progress_function(given);
  } else if constexpr (std::is_same_v<T, GridShape>) {
    return grid_shape_of(given);
  } else if constexpr (std::is_same_v<T, ManyWaves>) {
    T waves;
    for (const nb::handle one : given) waves.push_back(list_of_waves(one));
    return waves;
  } else if constexpr (IsOptional<T>::value) {
    return given.is_none() ? T() : T(member_of<typename T::value_type>(name, given));
  } else {
    return value_of<T>(name, given);
  }
}

template <class T>
std::string type_of() {
  if constexpr (IsOptional<T>::value) {
    return type_of<typename T::value_type>() + " | None";
  } else if constexpr (is_function<T>) {
    const std::string told = std::is_same_v<T, std::function<void(double)>> ? "float" : "int";
    return "collections.abc.Callable[[" + told + "], None] | None";
  } else if constexpr (std::is_same_v<T, GridShape>) {
    return "tuple[int, int, int]";
  } else if constexpr (std::is_same_v<T, ManyWaves>) {
    return "collections.abc.Sequence[numpy.ndarray]";
  } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, std::string>) {
    return "str";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::is_same_v<T, bool> ? "bool" : std::is_floating_point_v<T> ? "float" : "int";
  } else if constexpr (std::is_arithmetic_v<typename T::value_type>) {
    return "collections.abc.Sequence[" + type_of<typename T::value_type>() + "]";
  } else {
    return "numpy.typing.ArrayLike";
  }
}

/// Converts a member to a Python value. Functions and optional members become None.
template <class T>
nb::object object_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return nb::cast(word_of(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return nb::cast(value);
  } else if constexpr (std::is_same_v<T, ManyWaves>) {
    return nb::tuple();
  } else if constexpr (IsOptional<T>::value || is_function<T>) {
    return nb::none();
  } else {
    return nb::tuple(nb::cast(value));
  }
}

/// A keyword that sets one member of `Options`.
template <class Options>
struct Keyword {
  std::string name, meaning, type;
  std::function<nb::object(const Options&)> get;
  std::function<void(Options&, nb::handle)> set;

  /// Returns type and default for signatures, e.g. "int = 0".
  std::string typed() const { return type + " = " + nb::cast<std::string>(nb::repr(get(Options{}))); }
};
template <class Options>
using Keywords = std::vector<Keyword<Options>>;

/// Creates a keyword. place(options) returns a reference to the member.
template <class Options, class Place>
Keyword<Options> keyword(const char* name, const char* meaning, const Place& place) {
  using T = std::remove_cvref_t<std::invoke_result_t<Place, Options&>>;
  return {name, meaning, type_of<T>(), [place](const Options& of) { return object_of<T>(std::invoke(place, of)); },
          [place, name](Options& of, nb::handle given) { std::invoke(place, of) = member_of<T>(name, given); }};
}

/// Creates a keyword for each member in interface/*.api.
template <class Options>
Keywords<Options> described_keywords() {
  Keywords<Options> all;
  Members<Options>::each([&](const Member& member, const auto& place) {
    all.push_back(keyword<Options>(member.name, member.text, place));
  });
  return all;
}

/// Returns all keywords of `Options`. Specialised in py_options.cpp, and next to functions with their own options.
template <class Options>
Keywords<Options> keywords_of() {
  return described_keywords<Options>();
}
template <>
Keywords<MoveOptions> keywords_of();
template <>
Keywords<ProductOptions> keywords_of();
template <>
Keywords<TuneRequest> keywords_of();
template <>
Keywords<DensityOptions> keywords_of();

template <class Options>
const Keywords<Options>& keywords() {
  static const Keywords<Options> all = keywords_of<Options>();
  return all;
}

/// Adds the keywords of a nested structure, except names that exist already.
template <class Options, class Part>
void nest(Keywords<Options>& all, Part Options::*part) {
  for (const Keyword<Part>& one : keywords<Part>()) {
    const auto same = [&](const Keyword<Options>& other) { return other.name == one.name; };
    if (std::any_of(all.begin(), all.end(), same)) continue;
    all.push_back({one.name, one.meaning, one.type, [&one, part](const Options& o) { return one.get(o.*part); },
                   [&one, part](Options& o, nb::handle given) { one.set(o.*part, given); }});
  }
}

/// Converts keyword arguments. \throws TypeError for an unknown keyword; the message lists the known ones
template <class Options>
Options options_of(const nb::kwargs& given, Options options = {}) {
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    std::string names;
    bool found = false;
    for (const Keyword<Options>& one : keywords<Options>()) {
      if ((found = one.name == name)) {
        one.set(options, value);
        break;
      }
      names += (names.empty() ? "" : ", ") + one.name;
    }
    if (!found) throw TypeError("unknown option " + name + ": use one of " + names);
  }
  return options;
}

/// Returns a docstring with an entry for each option of `Options`.
template <class Options>
const char* doc_with(const char* text) {
  std::string lines;
  for (const Keyword<Options>& one : keywords<Options>())
    lines += "\n" + one.name + " : " + one.typed() + "\n    " + one.meaning + ".";
  return kept_text(std::string(text) + "\n\nOptions\n-------" + lines);
}

/// Returns the signature of `name` from nanobind's docstring "probe(...) -> ...", with `keywords` for **options.
std::string signature_with(const char* name, const nb::object& probe, const std::string& keywords);

/// Returns the signature of a function whose last arguments are the keywords of `Options`.
template <class Options, class Function, class... Extra>
std::string signature_of_options(const char* name, const Function& function, const Extra&... extra) {
  std::string all;
  for (const Keyword<Options>& one : keywords<Options>())
    all += (all.empty() ? "" : ", ") + one.name + ": " + one.typed();
  return signature_with(name, nb::cpp_function(function, nb::name("probe"), extra...), all);
}

/// Binds a function whose last arguments are the keywords of `Options`. Signature and docstring list them.
template <class Options, class Function, class... Extra>
void def_with(nb::module_& module, const char* name, const Function& function, const char* doc, const Extra&... extra) {
  Calls(module).def_as(name, function, signature_of_options<Options>(name, function, extra..., nb::arg("options")),
                       extra..., nb::arg("options"), doc_with<Options>(doc));
}
/// Same for a static method.
template <class Options, class Class, class Function, class... Extra>
void def_static_with(nb::class_<Class>& bound, const char* name, const Function& function, const char* doc,
                     const Extra&... extra) {
  Calls(bound).def_static_as(name, function,
                             signature_of_options<Options>(name, function, extra..., nb::arg("options")), extra...,
                             nb::arg("options"), doc_with<Options>(doc));
}
/// Same for a method without a docstring; the docstring of the class lists the options.
template <class Options, class Class, class Function, class... Extra>
void def_with(nb::class_<Class>& bound, const char* name, const Function& function, const Extra&... extra) {
  Calls(bound).def_as(name, function,
                      signature_of_options<Options>(name, function, nb::is_method(), extra..., nb::arg("options")),
                      extra..., nb::arg("options"));
}

}  // namespace seiche::python
