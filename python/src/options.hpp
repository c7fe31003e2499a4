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
#include <utility>
#include <vector>

#include "errors.hpp"

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
Progress progress_of(nb::handle given);

/// algorithm, progress, window and memory of options that have a policy.
template <class Options>
void add_policy(Keywords<Options>& known) {
  known["algorithm"] = [](Options& o, nb::handle given) { o.policy.algorithm = algorithm_of(given); };
  known["progress"] = [](Options& o, nb::handle given) { o.policy.progress = progress_of(given); };
  known["window"] = [](Options& o, nb::handle given) { o.policy.window = value_of<int>("window", given); };
  known["memory"] = [](Options& o, nb::handle given) { o.policy.memory = value_of<std::int64_t>("memory", given); };
}

FftOptions fft_options(const nb::kwargs& given, const FftOptions& otherwise = {});

GridShape grid_shape_of(nb::handle given);
nb::tuple tuple_of(const GridShape& shape);

/// Options of transforms in stubs.
#define SEICHE_FFT_KEYWORDS                                                                                       \
  "algorithm: str = 'automatic', library: str = 'automatic', decomposition: str = 'automatic', "                  \
  "threads: int = 1, reproducible: bool = False, progress: str = 'automatic', window: int = 0, memory: int = 0, " \
  "chunks: collections.abc.Sequence[int] = (), band_groups: int = 0, rounded_exchange: bool = False, "            \
  "components: int = 1"

}  // namespace seiche::python
