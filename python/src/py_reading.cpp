// SPDX-License-Identifier: BSD-3-Clause
#include "py_reading.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <deque>

namespace seiche::python {

namespace {

/// Splits a text at commas that are not in brackets.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += static_cast<int>(c == '[' || c == '(') - static_cast<int>(c == ']' || c == ')');
    if (c != ',' || depth != 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 2;  // after ", "
    if (begin > text.size()) break;
  }
  return parts;
}

}  // namespace

const char* kept_text(std::string text) {
  static std::deque<std::string> all;  // a deque does not move its elements
  return all.emplace_back(std::move(text)).c_str();
}

Parameters parameters_of(std::string_view signature) {
  const std::size_t begin = signature.find('(') + 1, end = std::min(signature.rfind(") ->"), signature.size() - 1);
  Parameters found;
  for (const std::string_view part : parts_of(signature.substr(begin, end - begin))) {
    if (part.empty() || part == "*" || part == "/") continue;
    const std::size_t colon = std::min(part.find(": "), part.size()), value = std::min(part.find(" = "), part.size());
    const std::size_t type = std::min(colon + 2, value);
    found.push_back({std::string(part.substr(0, colon)), std::string(part.substr(type, value - type))});
  }
  return found;
}

std::string signature_from(const char* name, const nb::object& probe) {
  const auto text = nb::cast<std::string>(probe.attr("__doc__"));
  return "def " + std::string(name) + text.substr(text.find('('), text.find('\n') - text.find('('));
}

void refuse_argument(const Parameter& parameter, nb::handle given) {
  constexpr std::size_t longest = 60;
  auto value = nb::cast<std::string>(nb::repr(given));
  if (value.size() > longest) value = type_name_of(given);
  throw TypeError(parameter.name + " has an invalid value " + value + ": pass " + parameter.type);
}

}  // namespace seiche::python
