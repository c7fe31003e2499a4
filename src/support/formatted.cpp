// SPDX-License-Identifier: BSD-3-Clause
#include "support/formatted.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace seiche {

namespace {

/// What follows the colon of a place.
struct Place {
  char fill = ' ', align = 0, type = 0;
  std::size_t width = 0;
  int precision = -1;
};

std::size_t number_at(std::string_view& text) {
  std::size_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

Place place_of(std::string_view text) {
  Place place;
  const auto aligns = [](char c) { return c == '<' || c == '>'; };
  if (text.size() > 1 && aligns(text[1])) {
    place.fill = text[0];
    text.remove_prefix(1);
  }
  if (!text.empty() && aligns(text[0])) {
    place.align = text[0];
    text.remove_prefix(1);
  }
  if (text.starts_with('0')) place.fill = '0';
  place.width = number_at(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    place.precision = static_cast<int>(number_at(text));
  }
  if (!text.empty()) place.type = text[0];
  return place;
}

/// Returns a number as std::to_chars() writes it.
template <class... How>
std::string characters(How... how) {
  std::array<char, 512> text;  // the longest double has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), how...);
  if (end.ec != std::errc()) throw std::length_error("formatted: a number is too long: use fewer digits");
  return {text.data(), end.ptr};
}

/// Returns the shortest text that reads back as the same number; with an exponent below 1e-4 and from 1e16.
template <class Real>
std::string shortest(Real value) {
  const Real size = std::abs(value);
  const bool exponent = size != 0 && (size < static_cast<Real>(1e-4) || size >= static_cast<Real>(1e16));
  return characters(value, exponent ? std::chars_format::scientific : std::chars_format::fixed);
}

template <class Real>
std::string text_of_real(Real value, const Place& place) {
  if (place.type == 0 && place.precision < 0) return shortest(value);
  const auto format = place.type == 'f'                        ? std::chars_format::fixed
                      : place.type == 'e' || place.type == 'E' ? std::chars_format::scientific
                                                               : std::chars_format::general;
  std::string text = characters(value, format, place.precision < 0 ? 6 : place.precision);
  if (place.type == 'E') {
    for (char& c : text) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

std::string text_of(const FormattedValue& value, const Place& place) {
  return std::visit(
      [&]<class Value>(const Value& v) -> std::string {
        if constexpr (std::is_same_v<Value, bool>) {
          return v ? "true" : "false";
        } else if constexpr (std::is_floating_point_v<Value>) {
          return text_of_real(v, place);
        } else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, char>) {
          return characters(v, place.type == 'x' ? 16 : 10);
        } else if constexpr (std::is_same_v<Value, char>) {
          return {v};
        } else {
          return std::string(v);
        }
      },
      value);
}

/// Fills the text up to the width. Numbers are on the right, zeros between sign and digits.
std::string padded(std::string text, const Place& place, bool number) {
  if (text.size() >= place.width) return text;
  const std::size_t missing = place.width - text.size();
  const bool left = place.align == '<' || (place.align == 0 && !number);
  const std::size_t sign = place.fill == '0' && place.align == 0 && text.starts_with('-') ? 1 : 0;
  return text.insert(left ? text.size() : sign, missing, place.fill);
}

}  // namespace

std::string formatted_text(std::string_view text, std::span<const FormattedValue> values) {
  std::string all;
  std::size_t next = 0;
  while (!text.empty()) {
    const std::size_t brace = std::min(text.find_first_of("{}"), text.size());
    all += text.substr(0, brace);
    text.remove_prefix(brace);
    if (text.empty()) break;
    if (text[0] == text[1]) {
      all += text[0];
      text.remove_prefix(2);
      continue;
    }
    const std::size_t end = text.find('}');
    std::string_view written = text.substr(1, end - 1);
    const bool numbered = !written.empty() && written[0] != ':';
    const FormattedValue& value = values[numbered ? number_at(written) : next++];
    const Place how = place_of(written.empty() ? written : written.substr(1));
    const bool number = !std::holds_alternative<std::string_view>(value) && !std::holds_alternative<char>(value);
    all += padded(text_of(value, how), how, number);
    text.remove_prefix(end + 1);
  }
  return all;
}

}  // namespace seiche
