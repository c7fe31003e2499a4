// SPDX-License-Identifier: BSD-3-Clause
#include "support/text_number.hpp"

#include <array>
#include <cctype>
#include <charconv>

namespace seiche {

namespace {

char character_at(std::string_view text, std::size_t place) { return place < text.size() ? text[place] : ' '; }
bool is_sign(char c) { return c == '+' || c == '-'; }

std::size_t count_digits(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (std::isdigit(static_cast<unsigned char>(character_at(text, end))) != 0) ++end;
  return end - from;
}

struct Mantissa {
  std::size_t begin = 0, end = 0;  // without a plus sign
  bool has_point = false;
};

/// The end equals the begin if there are no digits.
Mantissa find_mantissa(std::string_view text) {
  Mantissa found{text.starts_with('+') ? 1U : 0U, 0, false};
  std::size_t end = is_sign(character_at(text, 0)) ? 1 : 0;
  const std::size_t whole = count_digits(text, end);
  end += whole;
  found.has_point = character_at(text, end) == '.';
  const std::size_t fraction = found.has_point ? count_digits(text, end + 1) : 0;
  found.end = whole + fraction == 0 ? found.begin : end + (found.has_point ? 1 + fraction : 0);
  return found;
}

struct Exponent {
  std::size_t begin = 0, end = 0;  // of sign and digits; equal if there are none
};

Exponent find_exponent(std::string_view text, const Mantissa& mantissa) {
  const std::size_t place = mantissa.end;
  const char first = character_at(text, place);
  if (first == 'e' || first == 'E' || first == 'd' || first == 'D') {
    const std::size_t sign = is_sign(character_at(text, place + 1)) ? 1 : 0,
                      digits = count_digits(text, place + 1 + sign);
    if (digits > 0) return {place + 1, place + 1 + sign + digits};
  } else if (is_sign(first) && mantissa.has_point) {
    const bool three = count_digits(text, place + 1) == 3;
    if (three && character_at(text, place + 4) != '.') return {place, place + 4};  // with a point it is the next number
  }
  return {place, place};
}

}  // namespace

std::string shortened(std::string_view word) {
  constexpr std::size_t most = 24;
  return std::string(word.substr(0, most));
}

std::optional<double> take_number(std::string_view& text) {
  const Mantissa mantissa = find_mantissa(text);
  const Exponent exponent = find_exponent(text, mantissa);
  const bool ends = is_blank(character_at(text, exponent.end)) || is_sign(character_at(text, exponent.end));
  if (mantissa.end == mantissa.begin || !ends || exponent.end > longest_number) return std::nullopt;
  std::array<char, longest_number + 2> number{};
  std::size_t size = text.copy(number.data(), mantissa.end - mantissa.begin, mantissa.begin);
  if (exponent.end > exponent.begin) {
    number[size++] = 'e';
    size += text.copy(number.data() + size, exponent.end - exponent.begin, exponent.begin);
  }
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + size, value);
  const bool tiny = read.ec == std::errc::result_out_of_range && text.substr(exponent.begin).starts_with('-');
  if (!tiny && (read.ec != std::errc() || read.ptr != number.data() + size)) return std::nullopt;
  text.remove_prefix(exponent.end);
  return tiny ? 0 : value;
}

std::optional<double> number_in(std::string_view word) {
  const auto value = take_number(word);
  return word.empty() ? value : std::nullopt;
}

std::optional<std::int64_t> integer_in(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  std::int64_t value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == word.data() + word.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace seiche
