// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of lists to text.
#pragma once

#include <string>
#include <string_view>

#include "support/formatted.hpp"

namespace seiche {

/// Concatenates the entries, separated by `between`.
template <class Entries>
std::string joined(const Entries& entries, std::string_view between) {
  std::string all;
  std::string_view before;
  for (const auto& entry : entries) {
    all += formatted("{}{}", before, entry);
    before = between;
  }
  return all;
}

}  // namespace seiche
