// SPDX-License-Identifier: BSD-3-Clause
/// \file  The complete plan of a product before its values are allocated, and its memory.
#pragma once

#include "blocksparse/product/accumulator.hpp"
#include "blocksparse/product/communication_plan.hpp"
#include "blocksparse/product/product_order.hpp"
#include "seiche/exchange.hpp"
#include "support/aligned_memory.hpp"

namespace seiche {

/// Blocks of C that are exchanged between layers and added.
struct LayerMessages {
  std::vector<std::vector<BlockPlace>> arriving;  ///< from each rank
  Messages values;
  std::vector<BlockPlace> blocks;  ///< of the result
  std::int64_t result_bytes = 0;
};

/// The results of each step of a product for the next one.
template <class Value>
struct ProductPlan {
  ReplicationGroups groups;
  IndexExchange<Value> index;
  ProductOrder order;
  SymbolicProduct symbolic;
  CommunicationPlan communication;
  Accumulator<Value> accumulator;
  LayerMessages layers;  ///< empty for one layer
  int slots = 0;         ///< panels in memory; 0: nothing is sent
  Algorithm algorithm = Algorithm::automatic;
  std::int64_t beside_slots = 0;  ///< bytes of the exchanges besides their slots
  /// Returns whether received data is used in the memory of its sender.
  bool zero_copy() const { return algorithm == Algorithm::shared; }
};

/// Returns the bytes, rounded up so that values after them are aligned.
inline std::int64_t room_of(std::int64_t bytes) { return rounded_up<std::int64_t>(bytes, 128); }

/// Returns the bytes of the plan.
template <class Value>
std::int64_t held_by(const ProductPlan<Value>& plan);

/// Returns an upper bound of the peak memory of the product in bytes, without operands and memory of MPI. It is close
/// unless blocks are tiny.
template <class Value>
std::int64_t memory_estimate(const ProductPlan<Value>& plan, int threads);

}  // namespace seiche
