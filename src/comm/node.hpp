// SPDX-License-Identifier: BSD-3-Clause
/// \file  Definition of a node.
#pragma once

namespace seiche {

/// Number of ranks per node; 0: all ranks that share memory. Tests set it to emulate several nodes on one machine.
int ranks_per_node() noexcept;
void set_ranks_per_node(int ranks) noexcept;

}  // namespace seiche
