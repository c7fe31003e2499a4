// SPDX-License-Identifier: BSD-3-Clause
/// \file  Amounts of data in a box exchange, and the names of calls in the tuning file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "boxes/box_pieces.hpp"
#include "seiche/communicator.hpp"

namespace seiche {

/// Amounts of a rank, for one field.
struct BoxTraffic {
  std::int64_t elements = 0;  ///< sent or received, the larger of both
  std::int64_t partners = 0;  ///< ranks to which they are sent or from which they are received, the larger of both
  std::int64_t own = 0;       ///< elements that stay on the rank
};

std::int64_t sum_of(const std::vector<PiecesOfPair>& pairs);  ///< Returns the number of elements of all pairs.
BoxTraffic traffic_of(const BoxPieces& pieces);
/// Collective. Returns the largest amounts of all ranks.
BoxTraffic largest(const Communicator& comm, const BoxTraffic& mine);

/// Returns the name of calls in the tuning file. `most`: of all ranks, `element`: bytes of a value.
std::string in_words(const BoxTraffic& most, std::int64_t fields, std::size_t element);

}  // namespace seiche
