// SPDX-License-Identifier: BSD-3-Clause
/// \file  Access to CUDA memory of other ranks.
#pragma once

#include "seiche/communicator.hpp"

namespace seiche {

/// Collective. Tells whether all ranks share a node and can access each other's CUDA memory. The first call on a
/// communicator tries it.
bool peer_memory(const Communicator& comm);

}  // namespace seiche
