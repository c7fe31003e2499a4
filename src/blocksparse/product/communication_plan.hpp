// SPDX-License-Identifier: BSD-3-Clause
/// \file  The blocks that are sent for each panel of a product, with their sources and targets.
#pragma once

#include "blocksparse/matrix/block_messages.hpp"
#include "blocksparse/product/panels.hpp"

namespace seiche {

/// The blocks that are sent for one panel, by target, and the messages that are sent and received.
struct Parcel {
  struct Piece {
    int operand;          // 0: A, 1: B
    std::int64_t number;  // of the block on this rank
    std::int64_t bytes;
    const std::byte* data = nullptr;  // of place_departures()
  };
  /// A block from another rank, by operand and entry in its index.
  struct Arrival {
    int operand, source;
    std::int64_t entry, bytes;
  };
  std::vector<Piece> pieces;
  std::vector<Arrival> arrivals;  // in the order of the messages
  MessageTable send, receive;
};

struct CommunicationPlan {
  Panels panels;
  std::vector<Parcel> parcels;  ///< one per panel
  std::int64_t largest_send = 0, largest_receive = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0, bytes_whole_panels = 0, bytes_index = 0;
  double seconds_index = 0;  ///< time of requests
};

/// Collective. Cuts the share into panels, and requests the blocks from their owners. \param fault of this rank in the
/// steps before. \throws the error of any rank
template <class Value>
CommunicationPlan plan_communication(const IndexExchange<Value>& index, const BlockMatrix<Value>& a,
                                     const BlockMatrix<Value>& b, const PanelCount& count,
                                     const std::optional<Error>& fault);

/// Sets the addresses of sent blocks.
template <class Value>
void place_departures(CommunicationPlan& plan, const BlockMatrix<Value>& a, const BlockMatrix<Value>& b);

/// Assigns positions to blocks from other ranks: the blocks of each panel are consecutive from arrivals(panel, source).
template <class Value>
void place_arrivals(IndexExchange<Value>& index, const CommunicationPlan& plan,
                    const std::function<std::byte*(std::int64_t panel, int source)>& arrivals);

/// Computes the norms of the blocks that arrived.
template <class Value>
void measure_arrivals(IndexExchange<Value>& index, const Parcel& parcel, int threads);

/// Copies the sent blocks to the contiguous send buffer.
void pack_parcel(const Parcel& parcel, std::byte* into, int threads);

}  // namespace seiche
