// SPDX-License-Identifier: BSD-3-Clause
#include "numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>

#include "seiche/band_edges.hpp"
#include "seiche/error.hpp"

namespace seiche::command {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

/// Returns the factor of K, M, G or T, with or without B or iB, or 0 if the text is not such a unit.
double bytes_in(const std::string& unit) {
  const std::string letters = "kmgt";
  const std::size_t power = unit.empty() ? std::string::npos : letters.find(unit[0]);
  const std::string rest = unit.empty() ? "" : unit.substr(1);
  if (power == std::string::npos || !(rest.empty() || rest == "b" || rest == "ib")) return 0;
  return std::pow(1024.0, static_cast<double>(power + 1));
}

/// `accepts`: whether the number is accepted. `rule`: the remedy in the message. `type`: the word in --help.
CLI::Validator checked(const std::function<bool(double)>& accepts, const std::string& rule, const std::string& type) {
  return CLI::Validator(
      [accepts, rule](std::string& input) {
        const auto value = number_in(input);
        return value && accepts(*value) ? std::string() : fmt::format("the value {} is invalid: {}", input, rule);
      },
      type);
}

}  // namespace

std::optional<double> take_number(std::string_view& text) {
  std::string_view rest = trimmed(text);
  if (rest.starts_with('+') && !rest.starts_with("+-")) rest.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  text = trimmed(rest);
  return value;
}

std::optional<double> number_in(std::string_view text) {
  const auto value = take_number(text);
  return text.empty() ? value : std::nullopt;
}

std::optional<int> integer_in(std::string_view text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

double energy_of(const std::string& option, const std::string& text) {
  std::string_view rest = text;
  const auto value = take_number(rest);
  const std::string unit = in_small_letters(rest);
  if (value && (unit == "ha" || (unit.empty() && *value == 0))) return *value;
  if (value && unit == "ry") return *value / 2;
  if (value && unit == "ev") return *value / hartree_in_electronvolt;
  throw Error(Fault::bad_argument,
              fmt::format("{} {} is not an energy: give a number with the unit eV, Ry or Ha", option, text));
}

std::int64_t bytes_of(const std::string& option, const std::string& text, std::int64_t unit) {
  std::string_view rest = text;
  const auto value = take_number(rest);
  const double factor = rest.empty() ? static_cast<double>(unit) : bytes_in(in_small_letters(rest));
  if (!value || *value <= 0 || factor == 0) {
    throw Error(Fault::bad_argument,
                fmt::format("invalid amount of memory ({} {}): give for example 64M or 2G", option, text));
  }
  constexpr double most = 0x1p60;
  const double bytes = *value * factor;
  if (bytes < 1 || bytes > most) {
    throw Error(Fault::bad_argument, fmt::format("the amount of memory is too {} ({} {}): give for example 64M or 2G",
                                                 bytes < 1 ? "small" : "large", option, text));
  }
  return static_cast<std::int64_t>(bytes);
}

CLI::Validator at_least(std::int64_t least) {
  return checked([least](double value) { return value >= static_cast<double>(least); },
                 fmt::format("it must be at least {}", least), fmt::format(">= {}", least));
}

CLI::Validator positive() {
  return checked([](double value) { return value > 0; }, "it must be above 0", "> 0");
}

CLI::Validator finite() {
  return checked([](double) { return true; }, "it must be a finite number", "");
}

}  // namespace seiche::command
