// SPDX-License-Identifier: BSD-3-Clause
/// \file  Gathers the boxes of all ranks.
#pragma once

#include <span>
#include <vector>

#include "boxes/box_pieces.hpp"
#include "seiche/communicator.hpp"
#include "seiche/field_array.hpp"

namespace seiche {

/// Collective. Returns the boxes of all ranks, by rank.
std::vector<BoxList> boxes_of_ranks(const Communicator& comm, std::span<const FieldArray> mine);

}  // namespace seiche
