// SPDX-License-Identifier: BSD-3-Clause
/// \file  Lists as text. fmt::join() would compile the formatting of all types in each file that uses it.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace seiche {

/// The entries, with `between` between them.
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
