// SPDX-License-Identifier: BSD-3-Clause
/// \file  Counts as the standard library's containers take them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seiche {

/// A count or an index that is known not to be negative.
constexpr std::size_t size_of(std::int64_t n) { return static_cast<std::size_t>(n); }

}  // namespace seiche
