// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistribution that announces its memory in advance.
#pragma once

#include <functional>

#include "blocksparse/matrix/storage.hpp"

namespace seiche {

/// Called on all ranks with an upper bound of the memory before it is allocated; it may throw on all ranks or on none.
using Announce = std::function<void(std::int64_t bytes)>;

/// Collective. Works like redistribute(), and announces the memory besides the operand before values are sent.
template <class Value>
BlockMatrix<Value> redistribute_within(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op,
                                       const Announce& announce);

}  // namespace seiche
