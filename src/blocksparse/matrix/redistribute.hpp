// SPDX-License-Identifier: BSD-3-Clause
/// \file  Redistribution that says beforehand how much memory it takes.
#pragma once

#include <functional>

#include "seiche/blocksparse.hpp"

namespace seiche {

/// Called on all ranks before memory is taken, with the bytes that it will be at most; it may throw, on all or none.
using Announce = std::function<void(std::int64_t bytes)>;

/// Collective. redistribute(), which announces what it needs beside its operand before values move.
template <class Value>
BlockMatrix<Value> redistribute_within(const BlockMatrix<Value>& matrix, SharedLayout layout, Transpose op,
                                       const Announce& announce);

}  // namespace seiche
