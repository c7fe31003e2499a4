// SPDX-License-Identifier: BSD-3-Clause
/// \file  What counts as a node.
#pragma once

namespace seiche {

/// 0: all ranks that share memory are a node. A test makes nodes of fewer, to see several on one machine.
int ranks_per_node() noexcept;
void set_ranks_per_node(int ranks) noexcept;

}  // namespace seiche
