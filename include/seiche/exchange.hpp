// SPDX-License-Identifier: BSD-3-Clause
/// \file  The ways in which the bytes of an exchange can be moved between ranks.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace seiche {

/// A way of moving. All move the same values; docs/exchange.md says when each is best.
enum class Way {
  automatic,  ///< shared where all ranks share one memory, else alltoallv
  alltoallv,  ///< one collective with each rank's true counts
  alltoall,   ///< one collective with all counts padded to the largest
  pairwise,   ///< point-to-point messages on a fixed schedule, a bounded number in flight
  shared      ///< the ranks of one node read and write each other's memory; nothing is packed or sent
};

std::span<const Way> all_ways();       ///< every way but `automatic`
std::string_view name_of(Way way);     ///< "alltoallv", ...
Way way_named(std::string_view name);  ///< \throws Error for an unknown name, listing the known ones

}  // namespace seiche
