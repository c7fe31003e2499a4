// SPDX-License-Identifier: BSD-3-Clause
/// \file  Formatting of text by the format strings of C++20, which the standard library of GCC 12 does not have.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace seiche {

using FormattedValue = std::variant<bool, char, std::int64_t, std::uint64_t, float, double, std::string_view>;

template <class Value>
FormattedValue formatted_value(const Value& value) {
  if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, char> || std::is_floating_point_v<Value>) {
    return value;
  } else if constexpr (std::is_integral_v<Value>) {
    return static_cast<std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t>>(value);
  } else {
    return std::string_view(value);
  }
}

/// Returns whether text has a place for each of `values` values: {}, {0}, or {:20.14f}; {{ and }} are braces.
constexpr bool has_places(std::string_view text, std::size_t values) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' && text[i] != '}') continue;
    if (i + 1 < text.size() && text[i + 1] == text[i]) {
      ++i;
      continue;
    }
    i = text[i] == '{' ? text.find('}', i) : text.npos;
    if (i == text.npos) return false;
    const char before = text[i - 1];
    const bool numbered = before >= '0' && before <= '9' && text[i - 2] == '{';
    const std::size_t place = numbered ? static_cast<std::size_t>(before - '0') : next;
    next = place < next ? next : place + 1;
  }
  return next == values;
}

void places_and_values_differ();  // not constexpr: its call is a compile error

/// A format string for values of these types, checked by the compiler.
template <class... Values>
struct FormatString {
  template <class Text>
  consteval FormatString(const Text& written) : text(written) {  // NOLINT: implicit
    if (!has_places(text, sizeof...(Values))) places_and_values_differ();
  }
  std::string_view text;
};
template <class... Values>
using FormatFor = FormatString<std::type_identity_t<Values>...>;

std::string formatted_text(std::string_view text, std::span<const FormattedValue> values);

/// Returns the text with values. After a colon follow: fill and alignment (< or >), 0, width, precision, and one of the
/// letters d, x, e, E, f, g, s. Numbers do not depend on the locale.
template <class... Values>
std::string formatted(FormatFor<Values...> text, const Values&... values) {
  return formatted_text(text.text, std::array<FormattedValue, sizeof...(Values)>{formatted_value(values)...});
}

}  // namespace seiche
