// SPDX-License-Identifier: BSD-3-Clause
#include "selection_option.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>
#include <sstream>

#include "numbers.hpp"
#include "transfer.hpp"

namespace seiche::command {

namespace {

/// Parses "1-10,12" as 0, ..., 9, 11.
std::vector<int> numbers_in(const char* option, const std::string& text) {
  constexpr int most = 10'000'000;
  std::set<int> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto dash = part.find('-');
    const auto first = integer_in(std::string_view(part).substr(0, dash), 1, most);
    const auto last = dash == std::string::npos ? first : integer_in(std::string_view(part).substr(dash + 1), 1, most);
    if (!first || !last || *last < *first) {
      refuse(fmt::format("{} {} is not a list of positive integers: give for example 1-10,12", option, text));
    }
    for (int n = *first; n <= *last; ++n) numbers.insert(n - 1);
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace

void add_selection(CLI::App& command, SelectionWords& words) {
  command.add_option("--bands,--band", words.bands, "bands to include, such as 1-10,12 [all]");
  command.add_option("--kpoint", words.kpoints, "k-points to include, such as 1,3-5 [all]");
  command.add_option("--spin", words.spin, "spin to include: up or down [both]");
}

Selection selection_of(const SelectionWords& words) {
  Selection selection;
  if (!words.bands.empty()) selection.bands = numbers_in("--bands", words.bands);
  if (!words.kpoints.empty()) selection.kpoints = numbers_in("--kpoint", words.kpoints);
  if (words.spin == "up" || words.spin == "1") selection.spins = {0};
  if (words.spin == "down" || words.spin == "2") selection.spins = {1};
  if (!words.spin.empty() && selection.spins.empty()) {
    refuse("--spin " + words.spin + " is not a spin: give up or down");
  }
  return selection;
}

}  // namespace seiche::command
