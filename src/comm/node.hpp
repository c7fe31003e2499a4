// SPDX-License-Identifier: BSD-3-Clause
/// \file  Definition of a node.
#pragma once

namespace seiche {

/// Number of ranks per node. 0: all ranks that share memory. -n: n nodes, which have the ranks in turn. Tests set it to
/// emulate several nodes on one machine.
int ranks_per_node() noexcept;
void set_ranks_per_node(int ranks) noexcept;
/// Returns the number of the emulated node of this process. \pre ranks_per_node() is not 0
int emulated_node();

}  // namespace seiche
