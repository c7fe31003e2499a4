// SPDX-License-Identifier: BSD-3-Clause
/// \file  All that is known of a product before its values take memory, and how much memory that will be.
#pragma once

#include "blocksparse/product/accumulator.hpp"
#include "blocksparse/product/communication_plan.hpp"
#include "seiche/exchange.hpp"

namespace seiche {

/// Blocks of C on their way between layers, which add them up.
struct LayerMessages {
  std::vector<std::vector<BlockPlace>> arriving;  ///< from each rank
  MessageTable out, in;
  std::vector<BlockPlace> blocks;  ///< of the result
  std::int64_t result_bytes = 0;
};

/// What each station of a product makes for the next.
template <class Value>
struct ProductPlan {
  ReplicationGroups groups;
  IndexExchange<Value> index;
  SymbolicProduct symbolic;
  CommunicationPlan communication;
  Accumulator<Value> accumulator;
  LayerMessages layers;  ///< empty for one layer
  int slots = 0;         ///< panels in memory; 0: nothing travels
  Algorithm algorithm = Algorithm::automatic;
  /// Whether what arrives is used where its sender has it.
  bool zero_copy() const { return algorithm == Algorithm::shared; }
};

/// So many bytes, and a few more, so that values behind them are aligned.
inline std::int64_t room_of(std::int64_t bytes) { return rounded_up<std::int64_t>(bytes, 128); }

/// The most that the product will hold at any time, in bytes, operands and what MPI itself holds left out. It is an
/// upper bound, and close where blocks are not tiny.
template <class Value>
std::int64_t memory_estimate(const ProductPlan<Value>& plan, int threads);

}  // namespace seiche
