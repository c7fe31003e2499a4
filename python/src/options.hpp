// SPDX-License-Identifier: BSD-3-Clause
/// \file  Keyword arguments as the library's options, and words as its enumerations.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <seiche/fft_options.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "interface/fft_members.hpp"
#include "interface/status_members.hpp"

namespace seiche::python {

/// Keywords that each set one member of `Options`.
template <class Options>
using Keywords = std::map<std::string_view, std::function<void(Options&, nb::handle)>>;

/// \throws TypeError for a value of the wrong type
template <class T>
T value_of(const char* name, nb::handle given) {
  T value{};
  if (!nb::try_cast<T>(given, value)) {
    throw TypeError("python: " + std::string(name) + " cannot be " + nb::cast<std::string>(nb::repr(given)));
  }
  return value;
}

/// A keyword that sets `member`.
template <class Options, class T>
auto sets(const char* name, T Options::*member) {
  return std::pair<const std::string_view, std::function<void(Options&, nb::handle)>>(
      name, [name, member](Options& options, nb::handle given) { options.*member = value_of<T>(name, given); });
}

template <class Enum>
using Words = std::vector<std::pair<std::string_view, Enum>>;

/// One of the enumeration's values by its word. \throws Error listing the words
template <class Enum>
Enum named(const char* what, std::string_view word, const Words<Enum>& words) {
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(Fault::bad_argument,
              "python: " + std::string(what) + " cannot be \"" + std::string(word) + "\"; it is one of " + known);
}
template <class Enum>
std::string word_of(Enum value, const Words<Enum>& words) {
  for (const auto& [name, known] : words) {
    if (known == value) return std::string(name);
  }
  return "?";
}

/// \throws TypeError for a keyword that is not known, listing those that are
template <class Options>
Options options_of(const nb::kwargs& given, const Keywords<Options>& known, Options options = {}) {
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto found = known.find(name);
    if (found == known.end()) {
      std::string names;
      for (const auto& [other, setter] : known) names += (names.empty() ? "" : ", ") + std::string(other);
      throw TypeError("python: there is no option " + name + "; there are " + names);
    }
    found->second(options, value);
  }
  return options;
}

Algorithm algorithm_of(nb::handle given);

/// Sets a member of options from what Python gave for its keyword.
template <class T>
void set_member(const char* name, T& member, nb::handle given) {
  if constexpr (std::is_same_v<T, Algorithm>) {
    member = algorithm_of(given);
  } else if constexpr (std::is_enum_v<T>) {
    member = named<T>(name, value_of<std::string>(name, given), {WordsOf<T>::all.begin(), WordsOf<T>::all.end()});
  } else {
    member = value_of<T>(name, given);
  }
}

/// A keyword for each member of the options.
template <class Options>
Keywords<Options> keywords_of() {
  Keywords<Options> all;
  Members<Options>::each([&](const Member& member, const auto& place) {
    all[member.name] = [name = member.name, place](Options& options, nb::handle given) {
      set_member(name, place(options), given);
    };
  });
  return all;
}

/// The type and the value of a member as a stub has them: "int = 0"
template <class T>
std::string typed_default(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return "str = '" + word_of(value, {WordsOf<T>::all.begin(), WordsOf<T>::all.end()}) + "'";
  } else if constexpr (std::is_same_v<T, std::vector<int>>) {
    return "collections.abc.Sequence[int] = ()";
  } else {
    const char* type = std::is_same_v<T, bool> ? "bool" : std::is_floating_point_v<T> ? "float" : "int";
    return std::string(type) + " = " + nb::cast<std::string>(nb::repr(nb::cast(value)));
  }
}

/// The text, kept as long as the module: nanobind keeps pointers.
const char* kept_text(std::string text);

/// A signature with the keywords of `Options` between two parts.
template <class Options>
nb::sig signature(const std::string& before, const std::string& after, const Options& defaults = {}) {
  std::string keywords;
  Members<Options>::each([&](const Member& member, const auto& place) {
    keywords += (keywords.empty() ? "" : ", ") + std::string(member.name) + ": " + typed_default(place(defaults));
  });
  return nb::sig(kept_text(before + keywords + after));
}

/// A description with a line for each option of `Options`.
template <class Options>
const char* doc_with_options(const std::string& text) {
  std::string lines;
  Members<Options>::each([&](const Member& member, const auto&) {
    lines += "\n" + std::string(member.name) + "\n    " +
             (*member.text == '\0' ? "see the C++ documentation" : member.text) + ".";
  });
  return kept_text(text + "\n\nOptions\n-------" + lines);
}

/// A read-only property for each member of a report, and a text that has their values.
template <class Report>
nb::class_<Report> bind_members(nb::module_& module, const char* name, const char* doc) {
  nb::class_<Report> bound(module, name, doc);
  Members<Report>::each([&](const Member& member, const auto& place) {
    bound.def_prop_ro(
        member.name, [place](const Report& report) { return place(report); }, member.text);
  });
  bound.def("__repr__", [name](const Report& report) {
    std::string values;
    Members<Report>::each([&](const Member& member, const auto& place) {
      values += (values.empty() ? "" : ", ") + std::string(member.name) + "=" +
                nb::cast<std::string>(nb::repr(nb::cast(place(report))));
    });
    return "<seiche." + std::string(name) + ": " + values + ">";
  });
  return bound;
}

FftOptions fft_options(const nb::kwargs& given, const FftOptions& otherwise = {});

GridShape grid_shape_of(nb::handle given);
nb::tuple tuple_of(const GridShape& shape);

}  // namespace seiche::python
