// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of lists to text. fmt::join() would increase compile times.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace seiche {

/// Concatenates the entries, separated by `between`.
template <class Entries>
std::string joined(const Entries& entries, std::string_view between) {
  std::string all;
  std::string_view before;
  for (const auto& entry : entries) {
    all += fmt::format("{}{}", before, entry);
    before = between;
  }
  return all;
}

}  // namespace seiche
