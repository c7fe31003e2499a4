// SPDX-License-Identifier: BSD-3-Clause
/// \file  Conversion of counts to std::size_t.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seiche {

/// Converts a count or an index that is not negative.
constexpr std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace seiche
