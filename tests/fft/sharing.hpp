// SPDX-License-Identifier: BSD-3-Clause
/// \file  Distributions of the planes and columns of a dense grid over the ranks.
#pragma once

#include <algorithm>
#include <array>

#include "seiche/layout.hpp"
#include "support/mpi_test.hpp"

namespace seiche::testing {

/// Distribution of planes or columns.
enum class Sharing { blocks, ceil, one_has_all, reversed, every_other };
inline constexpr std::array all_sharings{Sharing::blocks, Sharing::ceil, Sharing::one_has_all, Sharing::reversed,
                                         Sharing::every_other};
inline Range part_of(std::int64_t n, Sharing how) {
  const int last = ranks() - 1;
  switch (how) {
    case Sharing::blocks:
      return block(n, ranks(), rank());
    case Sharing::ceil: {
      const std::int64_t size = (n + last) / ranks(), low = std::min(n, rank() * size);
      return {low, std::min(n, low + size)};
    }
    case Sharing::one_has_all:
      return rank() == last ? Range{0, n} : Range{};
    case Sharing::reversed:
      return block(n, ranks(), last - rank());
    default:
      return rank() % 2 == last % 2 ? block(n, (last + 2) / 2, rank() / 2) : Range{};
  }
}

}  // namespace seiche::testing
