// SPDX-License-Identifier: BSD-3-Clause
/// \file  Order of ranks by the levels of a machine.
#pragma once

#include "seiche/communicator.hpp"

namespace seiche {

/// Collective. Returns a communicator of the same ranks, in which the ranks of a node follow each other, and the nodes
/// of a group. SEICHE_TOPOLOGY has the groups. Returns `comm` without SEICHE_TOPOLOGY, and if it has this order.
/// \throws Error if the file of SEICHE_TOPOLOGY is not valid, or does not contain the host of a rank
Communicator order_ranks(const Communicator& comm);

}  // namespace seiche
