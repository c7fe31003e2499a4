// SPDX-License-Identifier: BSD-3-Clause
/// \file  How much memory a product will take on this rank, from its plans alone.
#pragma once

#include "blocksparse/layers.hpp"
#include "blocksparse/panels.hpp"

namespace seiche {

/// All that is known of a product before its values take memory.
template <class Value>
struct Plans {
  const Survey<Value>& survey;
  const Forecast& forecast;
  const Itinerary& journey;
  const Growing<Value>& grown;  ///< structure
  const LayerMail& mail;
  std::int64_t elements = 0;  ///< of C, or of this layer's part of it
  int slots = 0, threads = 1, layers = 1;
  bool zero_copy = false;  ///< what arrives is used where its sender has it
};

/// The most that the product will hold at any time, in bytes, operands and what MPI itself holds left out. It is an
/// upper bound, and close where blocks are not tiny.
template <class Value>
std::int64_t memory_of(const Plans<Value>& plans);

}  // namespace seiche
